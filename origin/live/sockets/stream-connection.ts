import type { Clock } from "../../../shared/clock.ts";
import { problemResponse } from "../../../shared/http/errors.ts";
import { isPrivateChannel } from "../../../shared/live/channel-names.ts";
import type { Hub } from "../fan-out/hub.ts";
import { readEventId } from "../fan-out/stream-events.ts";
import { createSubscriptions, type SubscribeRefusal } from "./subscriptions.ts";

/**
 * One event stream of public channels (`GET /api/v1/stream`), for clients without WebSockets. It ends after some minutes,
 * so that the gate sees the client again; a browser reconnects by itself with `Last-Event-ID`, and loses nothing.
 */
export type StreamConnection = {
  /** To be called about once a second. */
  readonly look: () => void;
  readonly close: () => void;
};

/** Plain data: it crosses processes. */
export type StreamRequest = {
  readonly channels: readonly string[];
  readonly lastEventId: string | undefined;
  readonly address: string;
};

/** The response, on the server's own connection or on a socket that was handed over. */
export type StreamResponse = {
  readonly refuse: (response: Response) => void;
  /** Writes the head of the response. */
  readonly begin: () => void;
  readonly write: (bytes: Buffer) => void;
  readonly unsentBytes: () => number;
  readonly end: () => void;
  readonly destroy: () => void;
  readonly onClose: (run: () => void) => void;
};

type StreamParts = {
  readonly hub: Hub;
  readonly request: StreamRequest;
  readonly response: StreamResponse;
  readonly clock: Clock;
};

const CHANNELS_MAX = 20;
const LIFE_MS_MAX = 300_000;
const HEARTBEAT_EVERY_MS = 20_000;
/** A reader that takes nothing for so long is gone. */
const STALLED_MS_MAX = 45_000;
const RETRY_AFTER_SECONDS = 2;
/** The browser's pause before it reconnects. */
const FIRST_LINES = Buffer.from("retry: 2000\n\n");
const HEARTBEAT = Buffer.from(": heartbeat\n\n");

export async function openStream({ hub, request, response, clock }: StreamParts): Promise<StreamConnection> {
  let isOver = false;
  const openedAtMs = clock.nowMs();
  let heartbeatAtMs = openedAtMs;
  let drainedAtMs = openedAtMs;
  const write = (bytes: Buffer) => void (isOver || response.write(bytes));
  const outlet = { kind: "stream", write, unsentBytes: response.unsentBytes } as const;
  const member = hub.open({ outlet, onSlow: close });
  const subscriptions = createSubscriptions({ hub, member, user: () => undefined });

  function close(): void {
    if (isOver) return;
    isOver = true;
    hub.leave(member);
    response.end();
  }

  function refuse({ code, detail }: SubscribeRefusal): void {
    isOver = true;
    const retry = code === "store_unavailable" ? { retryAfterSeconds: RETRY_AFTER_SECONDS } : {};
    response.refuse(problemResponse(code, { detail, ...retry }));
  }

  response.onClose(() => {
    isOver = true;
    hub.leave(member);
  });
  const { channels, lastEventId } = request;
  const from = lastEventId === undefined ? {} : readEventId(lastEventId, channels);
  const refusal = refusalOf(channels, from === undefined);
  const begun = refusal === undefined ? await subscriptions.subscribe({ channels, from }) : undefined;
  if (isOver) return { look: () => {}, close };
  if (refusal !== undefined) refuse(refusal);
  else if (begun?.ok === false) refuse(begun.reason);
  else {
    response.begin();
    write(FIRST_LINES);
    begun?.value();
  }

  return {
    close,
    look() {
      const nowMs = clock.nowMs();
      if (response.unsentBytes() === 0) drainedAtMs = nowMs;
      if (nowMs - drainedAtMs > STALLED_MS_MAX) response.destroy();
      else if (nowMs - openedAtMs > LIFE_MS_MAX) close();
      else if (nowMs - heartbeatAtMs > HEARTBEAT_EVERY_MS) {
        heartbeatAtMs = nowMs;
        write(HEARTBEAT);
      }
    },
  };
}

function refusalOf(channels: readonly string[], isIdInvalid: boolean): SubscribeRefusal | undefined {
  const hidden = channels.find(isPrivateChannel);
  if (hidden !== undefined)
    return { code: "channel_unknown", detail: `${hidden} is private: subscribe to it over a WebSocket.` };
  if (channels.length > CHANNELS_MAX)
    return { code: "subscription_limit_reached", detail: `A stream can have ${CHANNELS_MAX} channels.` };
  if (isIdInvalid) return { code: "resume_invalid", detail: "Last-Event-ID does not belong to these channels." };
  return undefined;
}

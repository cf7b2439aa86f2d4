import type { ServerResponse } from "node:http";
import type { Command } from "../stack/program/resp/encode-commands.ts";
import type { Access } from "./access-tokens.ts";
import { openEventStream } from "./event-stream.ts";
import { parsePathCommand } from "./path-command.ts";
import { sendJson } from "./send-json.ts";
import { errorJson, STORE_ERRORS, type Store } from "./store/store.ts";

/** `/subscribe/<channel>…`, `/psubscribe/<pattern>…` and, where it is allowed, `/monitor`, as Server-Sent Events. */
export type EventStreams = {
  readonly isStreamPath: (url: string) => boolean;
  readonly open: (call: { readonly url: string; readonly access: Access; readonly res: ServerResponse }) => void;
  readonly closeAll: () => void;
};

type EventStreamsOptions = {
  readonly store: Store;
  readonly isMonitorAllowed: boolean;
  /** Each stream holds its own connection to Redis. */
  readonly streamsMax: number;
};

const STREAM_PATH = /^\/(?:p?subscribe|monitor)(?:[/?]|$)/i;
const NO_BODY = Buffer.alloc(0);

export function createEventStreams({ store, isMonitorAllowed, streamsMax }: EventStreamsOptions): EventStreams {
  const closers = new Set<() => void>();

  const open: EventStreams["open"] = ({ url, access, res }) => {
    const parsed = parsePathCommand(url, NO_BODY);
    const refusal = parsed.ok ? refusalOf(parsed.value, access) : parsed.reason;
    if (!parsed.ok || refusal !== undefined) return sendJson(res, 400, errorJson(refusal ?? ""));
    if (closers.size >= streamsMax) return sendJson(res, 503, errorJson("ERR too many subscriptions are open"));
    const redis = store.newConnection();
    if (redis === undefined) return sendJson(res, 503, errorJson(STORE_ERRORS.unreachable));
    const close = openEventStream({ redis, command: parsed.value, res });
    closers.add(close);
    res.once("close", () => {
      closers.delete(close);
      close();
    });
  };

  /** The read-only token may be public; channels carry other callers' messages, so it cannot subscribe. */
  function refusalOf(command: Command, access: Access): string | undefined {
    const name = command[0].toLowerCase();
    if (access !== "full") return `NOPERM the read-only token may not run the '${name}' command`;
    if (name === "monitor")
      return isMonitorAllowed ? undefined : "ERR the command 'monitor' is not available through this bridge";
    return command.length < 2 ? `ERR wrong number of arguments for '${name}' command` : undefined;
  }

  return {
    isStreamPath: (url) => STREAM_PATH.test(url),
    open,
    closeAll: () => {
      for (const close of closers) close();
    },
  };
}

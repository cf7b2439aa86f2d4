import {
  type ChannelMessage,
  type ControlMessage,
  isChannelMessage,
  type LivePosition,
  type ServerMessage,
} from "./messages.ts";

/**
 * A client of the live hub that resumes by itself. It hands over the messages of each channel exactly once and in
 * order: it checks `prev`, remembers the last `seq`, and after a disconnect, a gap or a silence it asks for what comes
 * after it. A `reset` is a new snapshot, in place of messages that can no longer be had. Sockets and timers are passed
 * in, so that it runs in browsers, in Node and in tests.
 */
export type LiveClient = {
  /** Returns how to unsubscribe. One reader per channel. */
  readonly subscribe: (channel: string, reader: ChannelReader) => () => void;
  readonly state: () => LiveState;
  /** The last message of a channel; undefined before the first. */
  readonly position: (channel: string) => LivePosition | undefined;
  readonly stop: () => void;
};

export type ChannelReader = {
  readonly onMessage: (message: ChannelMessage) => void;
  /** The venue refuses the channel. */
  readonly onError?: (error: Extract<ControlMessage, { readonly type: "error" }>) => void;
};

/** `connecting` includes the pauses between two attempts. */
export type LiveState = "connecting" | "open" | "stopped";

/** The part of a WebSocket that is used, as browsers and `ws` have it. */
export type LiveSocket = {
  readonly send: (text: string) => void;
  readonly close: () => void;
  onopen: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
  onerror: ((event: unknown) => void) | null;
};

export type LiveClientParts = {
  readonly connect: () => LiveSocket;
  /** For private channels: a current access token; undefined for a client without an account. */
  readonly accessToken?: () => Promise<string | undefined>;
  /** At least 0, below 1. */
  readonly random: () => number;
  /** Returns how to cancel it. */
  readonly later: (run: () => void, afterMs: number) => () => void;
  readonly onState?: (state: LiveState) => void;
};

const RETRY_MS_FIRST = 250;
const RETRY_MS_MAX = 10_000;
/** The hub sends a heartbeat every 20 s. */
const SILENCE_MS_MAX = 45_000;

type Channel = {
  readonly reader: ChannelReader;
  position: LivePosition | undefined;
  /** Asked for on this socket. */
  isAsked: boolean;
  /** The request that is not acknowledged: messages before that belong to an earlier subscription. */
  request: number | undefined;
};

export function createLiveClient(parts: LiveClientParts): LiveClient {
  const { random, later } = parts;
  const channels = new Map<string, Channel>();
  let state: LiveState = "connecting";
  let socket: LiveSocket | undefined;
  let isSignedIn = false;
  let requests = 0;
  let retryMs = RETRY_MS_FIRST;
  let nextInMs: number | undefined;
  let cancelRetry = () => {};
  let cancelSilence = () => {};

  function setState(next: LiveState): void {
    if (state === next) return;
    state = next;
    parts.onState?.(next);
  }

  function send(message: unknown): void {
    socket?.send(JSON.stringify(message));
  }

  /** Everything that this socket has not been asked for, from where it was left. */
  function ask(): void {
    if (state !== "open") return;
    const due = [...channels].filter(([name, { isAsked }]) => !isAsked && (isSignedIn || isPublic(name)));
    if (due.length === 0) return;
    const id = ++requests;
    for (const [, channel] of due) Object.assign(channel, { isAsked: true, request: id });
    const known = due.flatMap(([name, { position }]) => (position === undefined ? [] : [[name, position] as const]));
    send({ type: "subscribe", id, channels: due.map(([name]) => name), from: Object.fromEntries(known) });
  }

  function onChannelMessage(message: ChannelMessage): void {
    const channel = channels.get(message.channel);
    if (channel === undefined || channel.request !== undefined) return;
    const { position } = channel;
    const isNext = position?.epoch === message.epoch && position.seq === message.prev;
    if (message.type === "update" && !isNext) askAgain(message.channel, channel);
    else {
      channel.position = { epoch: message.epoch, seq: message.seq };
      channel.reader.onMessage(message);
    }
  }

  /** A message is missing: the subscription begins again after the last one. */
  function askAgain(name: string, channel: Channel): void {
    if (!channel.isAsked) return;
    send({ type: "unsubscribe", channels: [name] });
    channel.isAsked = false;
    ask();
  }

  function onControl(message: ControlMessage): void {
    switch (message.type) {
      case "authenticated":
        isSignedIn = true;
        ask();
        return;
      case "subscribed":
        for (const channel of channels.values()) if (channel.request === message.id) channel.request = undefined;
        return;
      case "reconnect":
        nextInMs = message.afterMs;
        return;
      case "error":
        for (const { reader } of channels.values()) reader.onError?.(message);
        // The subscription has not begun: it is asked for again on the next socket.
        if (message.code === "store_unavailable") socket?.close();
        return;
      default:
    }
  }

  function listenForSilence(): void {
    cancelSilence();
    cancelSilence = later(() => socket?.close(), SILENCE_MS_MAX);
  }

  async function authenticate(of: LiveSocket): Promise<void> {
    const accessToken = await parts.accessToken?.();
    if (accessToken !== undefined && of === socket) send({ type: "authenticate", accessToken });
  }

  function onClosed(): void {
    socket = undefined;
    isSignedIn = false;
    cancelSilence();
    for (const channel of channels.values()) channel.isAsked = false;
    if (state === "stopped") return;
    setState("connecting");
    const waitMs = nextInMs ?? retryMs * (0.5 + random() / 2);
    retryMs = Math.min(retryMs * 2, RETRY_MS_MAX);
    nextInMs = undefined;
    cancelRetry = later(open, waitMs);
  }

  function open(): void {
    const opened = parts.connect();
    socket = opened;
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      if (socket === opened) onClosed();
    };
    opened.onopen = () => {
      setState("open");
      listenForSilence();
      // A token that cannot be had is asked for again with the next socket; public channels need none.
      authenticate(opened).catch(() => opened.close());
      ask();
    };
    opened.onmessage = ({ data }) => {
      if (socket !== opened) return;
      listenForSilence();
      retryMs = RETRY_MS_FIRST;
      const message = JSON.parse(String(data)) as ServerMessage;
      if (isChannelMessage(message)) onChannelMessage(message);
      else onControl(message);
    };
    opened.onclose = end;
    opened.onerror = () => {};
  }

  open();
  return {
    subscribe(name, reader) {
      const channel: Channel = { reader, position: undefined, isAsked: false, request: undefined };
      channels.set(name, channel);
      ask();
      return () => {
        if (channels.get(name) !== channel) return;
        channels.delete(name);
        if (channel.isAsked && state === "open") send({ type: "unsubscribe", channels: [name] });
      };
    },
    state: () => state,
    position: (name) => channels.get(name)?.position,
    stop() {
      setState("stopped");
      cancelRetry();
      cancelSilence();
      socket?.close();
    },
  };
}

/** Public channels of a pair have its name in theirs. */
const isPublic = (name: string): boolean => name.includes(":") || PUBLIC_NAMES.has(name);

const PUBLIC_NAMES: ReadonlySet<string> = new Set(["summary", "system", "prices"]);

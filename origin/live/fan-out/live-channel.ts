import type { LiveMemory } from "../feed/live-memory.ts";
import type { PublicChannel } from "../feed/public-channel.ts";
import type { Audience, SharedChannel } from "./audiences.ts";
import { channelFrame, type Frame } from "./frames.ts";
import { type Member, NEEDS_RESET } from "./member.ts";

/** A public channel with its readers, and the frames of its state at `seq`. */
export type LiveChannel = SharedChannel & {
  source: PublicChannel;
  flushedAtMs: number;
  /** A reader that is ahead of the last message waits for one. */
  isTouched: boolean;
  readonly members: Set<Member>;
  /** Frames of the state at `seq`, by the `seq` that a reader has. */
  readonly catchUps: Map<number, Frame>;
};

export function openLiveChannel(source: PublicChannel, { position }: LiveMemory): LiveChannel {
  return {
    ...{ name: source.name, source, seq: position.sequence, flushedAtMs: 0, isTouched: false, previous: 0 },
    ...{ frame: undefined, audiences: new Set<Audience>(), members: new Set<Member>() },
    catchUps: new Map<number, Frame>(),
  };
}

/** From now on `frame` is the message of this flush. */
export function flushChannel(channel: LiveChannel, memory: LiveMemory, nowMs: number): void {
  const { type, data } = channel.source.flush();
  channel.previous = channel.seq;
  channel.seq = memory.position.sequence;
  channel.isTouched = false;
  channel.flushedAtMs = nowMs;
  channel.catchUps.clear();
  const facts = { channel: channel.name, epoch: memory.epoch, seq: channel.seq, prev: channel.previous };
  channel.frame = channelFrame({ ...facts, type, data });
}

/** From a reader's state to the channel's. */
export function catchUpFrame(channel: LiveChannel, from: number, memory: LiveMemory): Frame {
  if (channel.frame !== undefined && from === channel.previous) return channel.frame;
  const known = channel.catchUps.get(from);
  if (known !== undefined) return known;
  const data = from === NEEDS_RESET ? undefined : channel.source.since(from);
  const facts = { channel: channel.name, epoch: memory.epoch, seq: channel.seq };
  const frame =
    data === undefined
      ? channelFrame({ ...facts, prev: 0, type: "reset", data: channel.source.snapshot() })
      : channelFrame({ ...facts, prev: from, type: "update", data });
  channel.catchUps.set(from, frame);
  return frame;
}

export function snapshotFrame(channel: LiveChannel, memory: LiveMemory): Frame {
  const key = Number.POSITIVE_INFINITY;
  const known = channel.catchUps.get(key);
  if (known !== undefined) return known;
  const facts = { channel: channel.name, epoch: memory.epoch, seq: channel.seq, prev: 0 };
  const frame = channelFrame({ ...facts, type: "snapshot", data: channel.source.snapshot() });
  channel.catchUps.set(key, frame);
  return frame;
}

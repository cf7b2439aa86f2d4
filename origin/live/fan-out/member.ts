import type { LivePosition } from "../../../shared/live/messages.ts";
import type { Audience } from "./audiences.ts";
import { type Frame, frameBytes } from "./frames.ts";
import { streamEvents } from "./stream-events.ts";

/** Where a reader's bytes go: a WebSocket or an event stream. */
export type Outlet = {
  readonly kind: "socket" | "stream";
  readonly write: (bytes: Buffer) => void;
  /** Written, and not yet taken by the kernel. */
  readonly unsentBytes: () => number;
};

/** A reader of the hub: its subscriptions, and what it gets with the next flush. */
export type Member = {
  readonly outlet: Outlet;
  /** Its own messages since the last write, in order. */
  queued: Frame[];
  queuedChars: number;
  /** Public channels, and the `seq` that the reader has of each; those of an audience are at the channel's own. */
  readonly seqs: Map<string, number>;
  /** Public channels that begin with the next flush. */
  readonly joins: Map<string, Join>;
  /** Undefined while it gets messages of its own: it joins, or does not read fast enough. */
  audience: Audience | undefined;
  isOver: boolean;
  /** Readers with something in their queue. */
  readonly due: Set<Member>;
  /** It does not read its private messages. */
  readonly onSlow: () => void;
};

export type Join = {
  /** Undefined for a snapshot. */
  from: LivePosition | undefined;
  readonly sinceMs: number;
  /** The missed messages are being read from the journal. */
  isReplaying: boolean;
};

/** The state of a reader that must get a new snapshot. */
export const NEEDS_RESET = -1;

/**
 * A reader with so much unsent gets no more public messages until it has read them: books, summaries and candles
 * collapse to their newest state meanwhile. About two snapshots.
 */
export const BEHIND_BYTES = 128 * 1024;
/** A reader with so much unsent does not read its private messages: its socket is closed. */
const UNSENT_BYTES_MAX = 1024 * 1024;

export function createMember({ outlet, due, onSlow }: Pick<Member, "outlet" | "due" | "onSlow">): Member {
  return {
    ...{ outlet, due, onSlow, queued: [], queuedChars: 0, isOver: false, audience: undefined },
    ...{ seqs: new Map<string, number>(), joins: new Map<string, Join>() },
  };
}

export function queueFrame(member: Member, frame: Frame): void {
  if (member.isOver) return;
  member.queued.push(frame);
  member.due.add(member);
  member.queuedChars += frame.json.length;
}

/** Messages of a subscription that has ended must not arrive after its end was acknowledged. */
export function dropQueued(member: Member, channel: string): void {
  if (member.queued.length === 0) return;
  member.queued = member.queued.filter((frame) => frame.channel !== channel);
  member.queuedChars = member.queued.reduce((sum, { json }) => sum + json.length, 0);
}

/** Everything that waits for a reader, and the bytes of its audience, in one write. */
export function writeQueued(member: Member, shared?: Buffer): void {
  const { queued, outlet } = member;
  if (member.isOver) return;
  if (queued.length === 0) {
    if (shared !== undefined) outlet.write(shared);
    return;
  }
  if (outlet.unsentBytes() > UNSENT_BYTES_MAX) {
    member.onSlow();
    return;
  }
  member.queued = [];
  member.queuedChars = 0;
  member.due.delete(member);
  const own = outlet.kind === "socket" ? queued.map(frameBytes) : [streamEvents(queued, positionsOf(member, queued))];
  const all = shared === undefined ? own : [...own, shared];
  outlet.write(all.length === 1 && all[0] !== undefined ? all[0] : Buffer.concat(all));
}

export const isBehind = ({ outlet }: Member): boolean => outlet.unsentBytes() > BEHIND_BYTES;

/** The `seq` of each channel that an event stream's reader has before these messages. */
function positionsOf({ seqs, joins }: Member, queued: readonly Frame[]): Map<string, number> {
  const names = [...new Set([...seqs.keys(), ...joins.keys()])].sort();
  const isQueued = new Set(queued.map(({ channel }) => channel));
  // Of a channel with a message here, the position before it is not needed: its own message is the first with an id.
  return new Map(
    names.map((name) => [name, isQueued.has(name) ? (joins.get(name)?.from?.seq ?? 0) : (seqs.get(name) ?? 0)]),
  );
}

import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { PRIVATE_CHANNELS, type PrivateChannel } from "../../../shared/live/channel-names.ts";
import type { LivePosition } from "../../../shared/live/messages.ts";
import type { Committed } from "../../journal/journal-feed.ts";
import type { LiveMemory } from "../feed/live-memory.ts";
import type { LivePositions } from "../feed/live-positions.ts";
import { type PrivateSnapshot, readSnapshot } from "../feed/private-snapshots.ts";
import type { Replay } from "../feed/replay.ts";
import { rowsOfUsers, type UserRows, updateData } from "../feed/user-rows.ts";
import { channelFrame, type Frame } from "./frames.ts";
import { type Member, queueFrame } from "./member.ts";

/**
 * Private channels: each committed change of a user exactly once and in order, one message for each journal entry. They
 * never collapse. A subscription without a position begins with a snapshot; one with a position gets what it missed
 * from the journal, and where that is impossible a snapshot marked `reset`.
 */
export type PrivateHub = {
  readonly subscribe: (subscriber: Subscriber, from: LivePosition | undefined) => void;
  readonly unsubscribe: (member: Member, channel: PrivateChannel) => void;
  readonly leave: (member: Member) => void;
  /** The last message of each private channel that was written to a reader. */
  readonly positions: (member: Member) => Readonly<Record<string, LivePosition>>;
  /** An entry that the memory has absorbed. */
  readonly deliver: (committed: Committed, memory: LiveMemory) => void;
  /** The journal was loaded again. */
  readonly reset: (memory: LiveMemory) => void;
  readonly stop: () => void;
};

type Subscriber = { readonly member: Member; readonly user: string; readonly channel: PrivateChannel };

type Subscription = Subscriber & {
  /** The last message. */
  seq: number;
  epoch: string;
  isLive: boolean;
  /** A snapshot that is not exact yet. */
  snapshot: PrivateSnapshot | undefined;
  snapshotType: "snapshot" | "reset";
  /** Of a `positions` channel that is live. */
  positions: LivePositions | undefined;
  isOver: boolean;
  /** Grows with each beginning: what an earlier one still reads is dropped. */
  attempt: number;
};

type HubParts = {
  readonly redis: Redis;
  readonly replay: Replay;
  readonly memory: () => LiveMemory | undefined;
  readonly log: Logger;
};

/** Snapshots that are read at the same time: a crowd must not fill Redis' queue. */
const READS_AT_ONCE_MAX = 32;
const RETRY_MS = 300;
/** Of one resume. A reader that missed more than this gets a snapshot. */
const REPLAYED_CHARS_MAX = 512 * 1024;

export function createPrivateHub({ redis, replay, memory: currentMemory, log }: HubParts): PrivateHub {
  const byUser = new Map<string, Set<Subscription>>();
  const byMember = new Map<Member, Map<PrivateChannel, Subscription>>();
  /** Live, with a snapshot that becomes exact at a later entry. */
  const unfinished = new Set<Subscription>();
  const toRead: { readonly subscription: Subscription; readonly attempt: number }[] = [];
  let reading = 0;
  let isStopped = false;

  function send(subscription: Subscription, seq: number, frame: Frame): void {
    subscription.seq = seq;
    queueFrame(subscription.member, frame);
  }

  function frameOf({ channel, epoch, seq: prev }: Subscription, seq: number, data: string): Frame {
    return channelFrame({ channel, epoch, seq, prev, type: "update", data });
  }

  function finish(subscription: Subscription, { epoch, position, ...memory }: LiveMemory): void {
    const { snapshot, channel, snapshotType: type } = subscription;
    if (snapshot === undefined || position.sequence < snapshot.exactFrom) return;
    subscription.snapshot = undefined;
    subscription.positions = snapshot.positions;
    subscription.epoch = epoch;
    unfinished.delete(subscription);
    const data = snapshot.show(memory);
    send(
      subscription,
      position.sequence,
      channelFrame({ channel, epoch, seq: position.sequence, prev: 0, type, data }),
    );
  }

  async function readNext(): Promise<void> {
    const next = toRead.shift();
    if (next === undefined) return;
    const { subscription, attempt } = next;
    const isOver = () => subscription.isOver || subscription.attempt !== attempt;
    reading++;
    try {
      const snapshot = isOver() ? undefined : await readSnapshot(redis, subscription);
      if (snapshot !== undefined && !isOver()) begin(subscription, snapshot);
    } catch (error) {
      log.debug({ err: error }, "a snapshot for a socket cannot be read: trying again");
      toRead.push(next);
      await sleep(RETRY_MS, undefined, { ref: false });
    }
    reading--;
    readMore();
  }

  function readMore(): void {
    while (reading < READS_AT_ONCE_MAX && toRead.length > 0 && !isStopped) void readNext();
  }

  function takeSnapshot(subscription: Subscription, type: "snapshot" | "reset"): void {
    subscription.isLive = false;
    subscription.snapshot = undefined;
    subscription.positions = undefined;
    subscription.snapshotType = type;
    subscription.attempt++;
    unfinished.delete(subscription);
    toRead.push({ subscription, attempt: subscription.attempt });
    readMore();
  }

  /** Absorbs the entries since the reading began, then those that come. */
  function begin(subscription: Subscription, snapshot: PrivateSnapshot): void {
    subscription.snapshot = snapshot;
    replay.add({
      ...{ user: subscription.user, from: snapshot.from },
      isOver: () => subscription.isOver || subscription.snapshot !== snapshot,
      onRows(_sequence, rows) {
        const memory = currentMemory();
        if (memory !== undefined) snapshot.absorb(rows, memory);
      },
      onEnd(end) {
        const memory = currentMemory();
        if (end.kind === "lost" || memory === undefined) return takeSnapshot(subscription, subscription.snapshotType);
        subscription.isLive = true;
        unfinished.add(subscription);
        finish(subscription, memory);
      },
    });
  }

  function resume(subscription: Subscription, from: LivePosition): void {
    const missed: { readonly sequence: number; readonly data: string }[] = [];
    let chars = 0;
    subscription.isLive = false;
    subscription.snapshot = undefined;
    subscription.epoch = from.epoch;
    subscription.seq = from.seq;
    subscription.attempt++;
    const { attempt } = subscription;
    const isOver = () => subscription.isOver || subscription.attempt !== attempt;
    replay.add({
      ...{ user: subscription.user, from: from.seq, isOver },
      onRows(sequence, rows) {
        const grids = currentMemory()?.grids;
        const data = grids === undefined ? undefined : updateData(subscription.channel, rows, grids);
        if (data === undefined) return;
        chars += data.length;
        if (chars <= REPLAYED_CHARS_MAX) missed.push({ sequence, data });
      },
      onEnd(end) {
        const isWhole = end.kind === "joined" && chars <= REPLAYED_CHARS_MAX && currentMemory()?.epoch === from.epoch;
        if (!isWhole) return takeSnapshot(subscription, "reset");
        for (const { sequence, data } of missed) send(subscription, sequence, frameOf(subscription, sequence, data));
        subscription.isLive = true;
      },
    });
  }

  function start(subscription: Subscription, from: LivePosition | undefined): void {
    if (from === undefined) takeSnapshot(subscription, "snapshot");
    // Before the memory is loaded its life is not known: the resume itself finds out.
    else if ((currentMemory()?.epoch ?? from.epoch) !== from.epoch) takeSnapshot(subscription, "reset");
    // Positions are sums: what they were at an earlier entry is not known, what they are now is.
    else if (subscription.channel === "positions") takeSnapshot(subscription, "reset");
    else resume(subscription, from);
  }

  function end(subscription: Subscription | undefined): void {
    if (subscription === undefined) return;
    subscription.isOver = true;
    unfinished.delete(subscription);
    const ofUser = byUser.get(subscription.user);
    ofUser?.delete(subscription);
    if (ofUser?.size === 0) byUser.delete(subscription.user);
  }

  /** Readers that have the same message before it share the frame. */
  function deliverRows(subscriptions: Iterable<Subscription>, rows: UserRows, { sequence, memory }: At): void {
    const texts = new Map<PrivateChannel, string | undefined>();
    const frames = new Map<string, Frame>();
    for (const channel of PRIVATE_CHANNELS) texts.set(channel, updateData(channel, rows, memory.grids));
    for (const subscription of subscriptions) {
      if (!subscription.isLive) continue;
      const data = positionsData(subscription, rows, memory) ?? texts.get(subscription.channel);
      if (subscription.snapshot !== undefined) subscription.snapshot.absorb(rows, memory);
      else if (data !== undefined) {
        const key = `${subscription.channel} ${subscription.seq}`;
        const frame = frames.get(key) ?? frameOf(subscription, sequence, data);
        frames.set(key, frame);
        send(subscription, sequence, frame);
      }
    }
  }

  return {
    subscribe(subscriber, from) {
      const { member, user, channel } = subscriber;
      const ofMember = byMember.get(member) ?? new Map<PrivateChannel, Subscription>();
      end(ofMember.get(channel));
      const subscription: Subscription = {
        ...subscriber,
        ...{
          seq: 0,
          epoch: "",
          isLive: false,
          snapshot: undefined,
          snapshotType: "snapshot",
          positions: undefined,
          isOver: false,
          attempt: 0,
        },
      };
      byMember.set(member, ofMember.set(channel, subscription));
      byUser.set(user, (byUser.get(user) ?? new Set()).add(subscription));
      start(subscription, from);
    },
    unsubscribe(member, channel) {
      end(byMember.get(member)?.get(channel));
      byMember.get(member)?.delete(channel);
    },
    leave(member) {
      for (const subscription of byMember.get(member)?.values() ?? []) end(subscription);
      byMember.delete(member);
    },
    positions(member) {
      const written = [...(byMember.get(member)?.values() ?? [])].map(({ channel, epoch, seq }) => {
        const waiting = member.queued.find((frame) => frame.channel === channel);
        return [channel, { epoch, seq: waiting?.prev ?? seq }] as const;
      });
      return Object.fromEntries(written.filter(([, { seq }]) => seq > 0));
    },
    deliver({ position: { sequence }, changes }, memory) {
      if (byUser.size > 0) {
        for (const [user, rows] of rowsOfUsers(changes, (name) => byUser.has(name)))
          deliverRows(byUser.get(user) ?? [], rows, { sequence, memory });
      }
      for (const subscription of unfinished) finish(subscription, memory);
    },
    reset(memory) {
      for (const subscription of [...byUser.values()].flatMap((ofUser) => [...ofUser])) {
        const { epoch, seq, snapshotType } = subscription;
        // One that still waits for its first message begins again.
        if (seq === 0) takeSnapshot(subscription, snapshotType);
        else if (epoch === memory.epoch && subscription.channel !== "positions") resume(subscription, { epoch, seq });
        else takeSnapshot(subscription, "reset");
      }
    },
    stop() {
      isStopped = true;
    },
  };
}

/** The positions that an entry has changed; undefined in other channels, and when it has changed none. */
function positionsData({ positions, snapshot }: Subscription, rows: UserRows, memory: LiveMemory): string | undefined {
  if (positions === undefined || snapshot !== undefined || rows.trades.length === 0) return undefined;
  return JSON.stringify({ positions: positions.show(positions.absorb(rows, memory), memory) });
}

type At = { readonly sequence: number; readonly memory: LiveMemory };

import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Clock } from "../../../shared/clock.ts";
import { isPrivateChannel } from "../../../shared/live/channel-names.ts";
import type { LivePosition } from "../../../shared/live/messages.ts";
import type { Committed } from "../../journal/journal-feed.ts";
import { createPublicChannel } from "../feed/create-channel.ts";
import { followFeed } from "../feed/follow-feed.ts";
import type { LiveMemory } from "../feed/live-memory.ts";
import { createReplay } from "../feed/replay.ts";
import type { LiveSources } from "../feed/state-channel.ts";
import { openVisibleJournal } from "../feed/visible-journal.ts";
import { FLUSH_TIMES, type FlushTimes } from "./flush-times.ts";
import { createMember, dropQueued, type Member, type Outlet, writeQueued } from "./member.ts";
import { createPrivateHub } from "./private-hub.ts";
import { createPublicHub } from "./public-hub.ts";

/**
 * The live hub of a process: follows the journal, keeps the books in memory, and sends what has changed to the readers
 * of each channel. Everything it sends was committed. While Redis is unavailable it sends nothing and continues
 * afterwards without a gap.
 */
export type Hub = {
  readonly open: (reader: Pick<Member, "onSlow"> & { readonly outlet: Outlet }) => Member;
  /** Resolves once channels can be subscribed to; false when the time is up. */
  readonly untilReady: (waitMs: number) => Promise<boolean>;
  readonly isKnown: (channel: string) => boolean;
  /** Private channels are those of `user`. */
  readonly subscribe: (member: Member, subscription: Subscription) => void;
  readonly unsubscribe: (member: Member, channel: string) => void;
  readonly leave: (member: Member) => void;
  /** The last message of each private channel of a reader. */
  readonly privatePositions: (member: Member) => Readonly<Record<string, LivePosition>>;
  /** The last entry that was absorbed; undefined while nothing can be shown. */
  readonly position: () => LivePosition | undefined;
  readonly counts: () => { readonly channels: number; readonly audiences: number; readonly apart: number };
  readonly stop: () => Promise<void>;
};

type Subscription = {
  readonly channel: string;
  readonly user: string | undefined;
  readonly from: LivePosition | undefined;
};

type HubParts = {
  readonly redis: Redis;
  /** A connection that nothing else uses. */
  readonly reader: Redis;
  readonly flushMs?: FlushTimes;
  readonly sources: LiveSources;
  /** Called with each entry, after the readers' own. */
  readonly alsoNotify?: (committed: Committed, memory: LiveMemory) => void;
  readonly clock: Clock;
  readonly log: Logger;
};

const READY_LOOK_MS = 10;

export function openHub({ redis, reader, flushMs = FLUSH_TIMES, sources, alsoNotify, clock, log }: HubParts): Hub {
  const due = new Set<Member>();
  const journal = openVisibleJournal({ redis, reader });
  let shown: LiveMemory | undefined;
  const feed = followFeed({
    ...{ redis, reader, journal, nowMs: clock.nowMs, log },
    onEntry(committed, memory) {
      show(memory);
      privately.deliver(committed, memory);
      alsoNotify?.(committed, memory);
    },
  });
  const replay = createReplay({ journal, position: () => feed.memory()?.position.sequence, log });
  const privately = createPrivateHub({ redis, replay, memory: feed.memory, log });
  const publicly = createPublicHub({
    ...{ memory: feed.memory, replay, everyMs: flushMs },
    createChannel: (name, memory) => createPublicChannel(name, memory, sources),
    nowMs: () => performance.now(),
  });

  function show(memory: LiveMemory): void {
    if (memory === shown) return;
    shown = memory;
    privately.reset(memory);
  }

  function flush(): void {
    const memory = feed.memory();
    if (memory !== undefined) {
      show(memory);
      publicly.flush(memory);
    }
    for (const member of due) writeQueued(member);
  }

  const timer = setInterval(flush, flushMs.private);
  timer.unref();
  return {
    open: (reader_) => createMember({ ...reader_, due }),
    async untilReady(waitMs) {
      const deadline = performance.now() + waitMs;
      while (feed.memory() === undefined && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, READY_LOOK_MS));
      return feed.memory() !== undefined;
    },
    isKnown: (channel) => isPrivateChannel(channel) || publicly.isKnown(channel),
    subscribe(member, { channel, user, from }) {
      // A reader may leave while its request waits: nothing would ever end the subscription.
      if (member.isOver) return;
      dropQueued(member, channel);
      if (!isPrivateChannel(channel)) publicly.subscribe(member, channel, from);
      else if (user !== undefined) privately.subscribe({ member, user, channel }, from);
    },
    unsubscribe(member, channel) {
      dropQueued(member, channel);
      if (isPrivateChannel(channel)) privately.unsubscribe(member, channel);
      else publicly.unsubscribe(member, channel);
    },
    leave(member) {
      member.isOver = true;
      due.delete(member);
      publicly.leave(member);
      privately.leave(member);
    },
    privatePositions: privately.positions,
    position() {
      const memory = feed.memory();
      return memory && { epoch: memory.epoch, seq: memory.position.sequence };
    },
    counts: publicly.counts,
    async stop() {
      clearInterval(timer);
      replay.stop();
      privately.stop();
      await feed.stop();
    },
  };
}

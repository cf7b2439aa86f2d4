import type { LivePosition } from "../../../shared/live/messages.ts";
import type { LiveMemory } from "../feed/live-memory.ts";
import type { Pace, PublicChannel } from "../feed/public-channel.ts";
import type { Replay } from "../feed/replay.ts";
import { tradeText } from "../feed/trade-ring.ts";
import { type Audience, audienceBytes, createAudiences } from "./audiences.ts";
import { channelFrame } from "./frames.ts";
import { catchUpFrame, flushChannel, type LiveChannel, openLiveChannel, snapshotFrame } from "./live-channel.ts";
import { BEHIND_BYTES, isBehind, type Join, type Member, NEEDS_RESET, queueFrame, writeQueued } from "./member.ts";

/**
 * Public channels and their readers. A subscription takes effect at a flush, so all readers of a channel have the same
 * state, and each flush is serialised once. A reader is in an audience while it is up to date with all its channels, and
 * gets the audience's bytes; otherwise it is apart, and gets the difference from its own state when it can take it.
 */
export type PublicHub = {
  readonly isKnown: (name: string) => boolean;
  readonly subscribe: (member: Member, name: string, from: LivePosition | undefined) => void;
  readonly unsubscribe: (member: Member, name: string) => void;
  readonly leave: (member: Member) => void;
  /** Sends what is due, together with what waits in the readers' own queues. */
  readonly flush: (memory: LiveMemory) => void;
  readonly counts: () => { readonly channels: number; readonly audiences: number; readonly apart: number };
};

type Resumption = {
  readonly member: Member;
  readonly channel: LiveChannel;
  readonly join: Join;
  readonly from: LivePosition;
};

/** Leads to a snapshot marked `reset`. */
const NOWHERE: LivePosition = { epoch: "", seq: 0 };

type HubParts = {
  readonly createChannel: (name: string, memory: LiveMemory) => PublicChannel | undefined;
  readonly memory: () => LiveMemory | undefined;
  readonly replay: Replay;
  readonly everyMs: Readonly<Record<Pace, number>>;
  readonly nowMs: () => number;
};

/** A reader that has more than this process gets a snapshot when it has waited so long: its entries never came. */
const AHEAD_MS_MAX = 5_000;
/** A flush takes at most this share of the time: with very many sockets the intervals grow instead of the delay. */
const FLUSH_SHARE = 0.5;
/** Trades of one resume; beyond this a snapshot says more. */
const REPLAYED_MAX = 5_000;

export function createPublicHub({ createChannel, memory: currentMemory, replay, everyMs, nowMs }: HubParts): PublicHub {
  const channels = new Map<string, LiveChannel>();
  const apart = new Set<Member>();
  const audiences = createAudiences();
  let shown: LiveMemory | undefined;
  let lastFlushMs = 0;

  function open(name: string, memory: LiveMemory): LiveChannel | undefined {
    const known = channels.get(name);
    const source = known === undefined ? createChannel(name, memory) : undefined;
    if (source === undefined) return known;
    const channel = openLiveChannel(source, memory);
    channels.set(name, channel);
    return channel;
  }

  function setApart(member: Member): void {
    for (const { name, seq, frame, previous } of member.audience?.channels ?? [])
      member.seqs.set(name, frame === undefined ? seq : previous);
    audiences.leave(member);
    apart.add(member);
  }

  function drop(member: Member, name: string): void {
    const channel = channels.get(name);
    member.seqs.delete(name);
    member.joins.delete(name);
    channel?.members.delete(member);
    if (channel?.members.size === 0) channels.delete(name);
  }

  /** The journal was loaded again: everyone gets the new state. */
  function resetAll(memory: LiveMemory): void {
    shown = memory;
    for (const channel of channels.values()) {
      const source = createChannel(channel.name, memory);
      if (source !== undefined) resetChannel(channel, source, memory);
      else for (const member of channel.members) dropUnknown(member, channel.name, memory);
    }
  }

  function resetChannel(channel: LiveChannel, source: PublicChannel, memory: LiveMemory): void {
    channel.source = source;
    channel.seq = memory.position.sequence;
    channel.catchUps.clear();
    for (const member of channel.members) {
      if (member.audience !== undefined) setApart(member);
      if (member.seqs.has(channel.name)) member.seqs.set(channel.name, NEEDS_RESET);
    }
  }

  /** A pair that the restored venue does not have. */
  function dropUnknown(member: Member, name: string, { epoch, position }: LiveMemory): void {
    if (member.audience !== undefined) setApart(member);
    drop(member, name);
    queueFrame(
      member,
      channelFrame({ channel: name, epoch, seq: position.sequence, prev: 0, type: "reset", data: "null" }),
    );
  }

  function flushDue(memory: LiveMemory): readonly LiveChannel[] {
    const now = nowMs();
    const flushed: LiveChannel[] = [];
    for (const channel of channels.values()) {
      if (!channel.isTouched && !channel.source.isDirty()) continue;
      const restMs = Math.max(everyMs[channel.source.pace], lastFlushMs / FLUSH_SHARE);
      // A channel without readers in step has no message before this one to keep a distance from.
      if (now - channel.flushedAtMs < restMs && channel.audiences.size > 0) continue;
      flushChannel(channel, memory, now);
      flushed.push(channel);
    }
    return flushed;
  }

  /** Whether the subscription has begun; otherwise it waits for the next flush. */
  function serveJoin(member: Member, channel: LiveChannel, join: Join, memory: LiveMemory): boolean {
    const { from } = join;
    if (join.isReplaying || channel.source.isDirty() || member.queuedChars > BEHIND_BYTES) return false;
    if (from === undefined) queueFrame(member, snapshotFrame(channel, memory));
    else if (from.epoch !== memory.epoch) queueFrame(member, catchUpFrame(channel, NEEDS_RESET, memory));
    else if (from.seq > channel.seq) return waitAhead(channel, join, from, memory);
    else if (from.seq < channel.seq) return resume({ member, channel, join, from }, memory);
    return true;
  }

  /** A reader that is ahead of the last message gets the next one at its own `seq` or later. */
  function waitAhead(channel: LiveChannel, join: Join, from: LivePosition, memory: LiveMemory): false {
    if (from.seq <= memory.position.sequence) channel.isTouched = true;
    else if (nowMs() - join.sinceMs > AHEAD_MS_MAX) join.from = NOWHERE;
    return false;
  }

  function resume(resumption: Resumption, memory: LiveMemory): boolean {
    const { member, channel, from } = resumption;
    const { replays } = channel.source;
    if (replays === undefined || channel.source.since(from.seq) !== undefined) {
      queueFrame(member, catchUpFrame(channel, from.seq, memory));
      return true;
    }
    replayTrades(resumption, replays.tradesOf);
    return false;
  }

  /** The missed trades in one message; the subscription then continues from its `seq`. */
  function replayTrades({ member, channel, join, from }: Resumption, pair: string): void {
    const texts: string[] = [];
    join.isReplaying = true;
    const isOver = () => member.isOver || member.joins.get(channel.name) !== join;
    replay.add({
      ...{ pair, from: from.seq, isOver },
      onTrades(_sequence, trades) {
        const grids = currentMemory()?.grids;
        if (grids !== undefined) texts.push(...trades.map((trade) => tradeText(trade, grids)));
      },
      onEnd(end) {
        join.isReplaying = false;
        const epoch = currentMemory()?.epoch;
        const isWhole = end.kind === "joined" && epoch === from.epoch && texts.length <= REPLAYED_MAX;
        join.from = isWhole ? { epoch: from.epoch, seq: end.position } : NOWHERE;
        if (!isWhole || texts.length === 0) return;
        const facts = { channel: channel.name, epoch: from.epoch, seq: end.position, prev: from.seq };
        queueFrame(member, channelFrame({ ...facts, type: "update", data: `{"trades":[${texts.join()}]}` }));
      },
    });
  }

  function serveJoins(member: Member, memory: LiveMemory): void {
    for (const [name, join] of member.joins) {
      const channel = channels.get(name);
      if (channel === undefined || !serveJoin(member, channel, join, memory)) continue;
      member.joins.delete(name);
      member.seqs.set(name, channel.seq);
    }
  }

  /** Whether the reader is up to date with all its channels. */
  function catchUp(member: Member, memory: LiveMemory): boolean {
    serveJoins(member, memory);
    let isInStep = member.joins.size === 0;
    for (const [name, seq] of member.seqs) {
      const channel = channels.get(name);
      if (channel === undefined || seq === channel.seq) continue;
      // The rest follows when the reader has taken this.
      const isLater = channel.source.isDirty() || member.queuedChars > BEHIND_BYTES;
      isInStep &&= !isLater;
      if (isLater) continue;
      queueFrame(member, catchUpFrame(channel, seq, memory));
      member.seqs.set(name, channel.seq);
    }
    return isInStep;
  }

  function writeAudience(audience: Audience): void {
    const bytes = audienceBytes(audience);
    for (const member of audience.members) {
      if (isBehind(member)) setApart(member);
      else writeQueued(member, bytes);
    }
  }

  return {
    isKnown: (name) => {
      const memory = currentMemory();
      return channels.has(name) || (memory !== undefined && createChannel(name, memory) !== undefined);
    },
    subscribe(member, name, from) {
      const memory = currentMemory();
      const channel = memory === undefined ? channels.get(name) : open(name, memory);
      if (channel === undefined) return;
      setApart(member);
      drop(member, name);
      channels.set(name, channel);
      channel.members.add(member);
      member.joins.set(name, { from, sinceMs: nowMs(), isReplaying: false });
    },
    unsubscribe(member, name) {
      if (member.audience !== undefined) setApart(member);
      drop(member, name);
    },
    leave(member) {
      for (const name of [...member.seqs.keys(), ...member.joins.keys(), ...namesOf(member)]) drop(member, name);
      audiences.leave(member);
      apart.delete(member);
    },
    flush(memory) {
      const begunMs = nowMs();
      if (memory !== shown) resetAll(memory);
      const flushed = flushDue(memory);
      const inStep = [...apart].filter((member) => !isBehind(member) && catchUp(member, memory));
      for (const audience of new Set(flushed.flatMap((channel) => [...channel.audiences]))) writeAudience(audience);
      for (const channel of flushed) channel.frame = undefined;
      for (const member of inStep) {
        apart.delete(member);
        audiences.join(
          member,
          [...member.seqs.keys()].flatMap((name) => channels.get(name) ?? []),
        );
      }
      if (flushed.length > 0) lastFlushMs = nowMs() - begunMs;
    },
    counts: () => ({ channels: channels.size, audiences: audiences.count(), apart: apart.size }),
  };
}

const namesOf = ({ audience }: Member): readonly string[] => audience?.channels.map(({ name }) => name) ?? [];

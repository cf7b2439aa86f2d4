import { type Frame, frameBytes } from "./frames.ts";
import type { Member, Outlet } from "./member.ts";
import { streamEvents } from "./stream-events.ts";

/** A public channel as the readers of an audience have it. */
export type SharedChannel = {
  readonly name: string;
  /** The `seq` of its last message. */
  seq: number;
  /** The message of this flush, and the `seq` before it. */
  frame: Frame | undefined;
  previous: number;
  readonly audiences: Set<Audience>;
};

/** Readers with the same channels, all of them up to date: they get the same bytes in the same buffer. */
export type Audience = {
  readonly key: string;
  readonly kind: Outlet["kind"];
  /** In the order of their names. */
  readonly channels: readonly SharedChannel[];
  readonly members: Set<Member>;
};

export type Audiences = {
  readonly join: (member: Member, channels: readonly SharedChannel[]) => void;
  readonly leave: (member: Member) => void;
  readonly count: () => number;
};

export function createAudiences(): Audiences {
  const all = new Map<string, Audience>();

  function audienceOf(kind: Outlet["kind"], channels: readonly SharedChannel[]): Audience {
    const sorted = [...channels].sort((first, second) => (first.name < second.name ? -1 : 1));
    const key = [kind, ...sorted.map(({ name }) => name)].join(" ");
    const known = all.get(key);
    if (known !== undefined) return known;
    const audience = { key, kind, channels: sorted, members: new Set<Member>() };
    all.set(key, audience);
    for (const channel of sorted) channel.audiences.add(audience);
    return audience;
  }

  return {
    join(member, channels) {
      const audience = audienceOf(member.outlet.kind, channels);
      audience.members.add(member);
      member.audience = audience;
    },
    leave(member) {
      const { audience } = member;
      member.audience = undefined;
      audience?.members.delete(member);
      if (audience === undefined || audience.members.size > 0) return;
      all.delete(audience.key);
      for (const channel of audience.channels) channel.audiences.delete(audience);
    },
    count: () => all.size,
  };
}

/** All messages of a flush for an audience, in one buffer. */
export function audienceBytes({ kind, channels }: Audience): Buffer {
  const frames = channels.flatMap(({ frame }) => (frame === undefined ? [] : [frame]));
  if (kind === "stream") {
    const before = channels.map(
      ({ name, frame, previous, seq }) => [name, frame === undefined ? seq : previous] as const,
    );
    return streamEvents(frames, new Map(before));
  }
  const [first] = frames;
  return frames.length === 1 && first !== undefined ? frameBytes(first) : Buffer.concat(frames.map(frameBytes));
}

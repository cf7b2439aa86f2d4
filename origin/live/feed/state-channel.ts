import type { LiveMemory } from "./live-memory.ts";
import type { Pace, PublicChannel } from "./public-channel.ts";

type StateParts = {
  readonly name: string;
  readonly pace: Pace;
  /** Changes whenever the data may have changed; cheap, because it is asked for all the time. */
  readonly version: () => unknown;
  readonly data: () => string;
};

/** A channel whose every message is its whole state, so that any reader can continue from any other. */
export function createStateChannel({ name, pace, version, data }: StateParts): PublicChannel {
  let shown = version();
  return {
    name,
    pace,
    isDirty: () => version() !== shown,
    flush() {
      shown = version();
      return { type: "update", data: data() };
    },
    snapshot: data,
    since: data,
  };
}

/** Sources of channels beside the journal. */
export type LiveSources = {
  readonly maintenance: () => { readonly message: string } | undefined;
  /** The board of tracked prices; undefined where none is kept. */
  readonly board: (() => { readonly etag: string; readonly body: Buffer }) | undefined;
};

/** `system`: whether the venue is open, and the state of each pair. */
export function createSystemChannel({ maintenance }: LiveSources, memory: LiveMemory): PublicChannel {
  const data = () => {
    const pairs = [...memory.pairs.values()].map(({ pair, state }) => ({ pair, state }));
    return JSON.stringify({
      maintenance: maintenance() ?? null,
      pairs: pairs.sort((a, b) => (a.pair < b.pair ? -1 : 1)),
    });
  };
  // Terms of a pair change with its version; everything else changes with every trade.
  const version = () => [...memory.pairs.values()].reduce((sum, pair) => sum + pair.version, 0);
  return createStateChannel({
    ...{ name: "system", pace: "slow", data },
    version: () => `${version()} ${maintenance()?.message ?? "open"}`,
  });
}

/** `prices`: the board as `GET /prices` shows it. */
export function createPricesChannel(board: NonNullable<LiveSources["board"]>): PublicChannel {
  return createStateChannel({
    ...{ name: "prices", pace: "slow", version: () => board().etag },
    data: () => board().body.toString(),
  });
}

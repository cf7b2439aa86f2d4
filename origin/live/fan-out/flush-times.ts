import type { Pace } from "../feed/public-channel.ts";

/** The least time between two messages of a channel, in milliseconds. */
export type FlushTimes = Readonly<Record<Pace | "private", number>>;

export const FLUSH_TIMES: FlushTimes = { private: 10, fast: 100, slow: 100 };

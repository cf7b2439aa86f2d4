/**
 * A public channel: a state that follows the journal, and the difference between two of its states. All readers of a
 * channel get the same messages; what a channel shows is the state at its last flush, never one in between.
 */
export type PublicChannel = {
  readonly name: string;
  readonly pace: Pace;
  /** Whether the state has changed since the last flush. */
  readonly isDirty: () => boolean;
  /** The difference since the last flush, which may be empty; from now on the state is the current one. */
  readonly flush: () => Flushed;
  /** The whole state at the last flush, as JSON. Called only while it is not dirty. */
  readonly snapshot: () => string;
  /**
   * The difference from an earlier entry to the last flush, as JSON; undefined when it is not known: a snapshot is sent
   * instead. Called only while it is not dirty.
   */
  readonly since: (sequence: number) => string | undefined;
  /** For a channel whose messages are events: which pair's trades the journal has, when `since` no longer has them. */
  readonly replays?: { readonly tradesOf: string };
};

/** `fast`: books and trades. `slow`: states that change with every trade and are looked at by people. */
export type Pace = "fast" | "slow";

export type Flushed = { readonly type: "update" | "reset"; readonly data: string };

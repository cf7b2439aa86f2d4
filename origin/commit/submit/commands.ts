import type { CommandBody } from "../../engine/command.ts";
import type { Outcome } from "../../engine/outcome.ts";

/**
 * The way of a command from an api process to the engine and back. Promises: a command answered as committed survives
 * every crash; a refused one has left no trace; for every other the caller gets the command id, to ask for the outcome
 * later. While Redis or the engine is unavailable a command is refused or unknown within `ANSWER_MS_MAX`; no caller
 * waits longer.
 */
export type Commands = {
  /** All commands that come in during one turn of the event loop share one write. */
  readonly submit: (body: CommandBody) => Promise<Submitted>;
  readonly outcomeOf: (commandId: string) => Promise<KnownOutcome>;
  /** True once readers of Redis see what this commit has changed; false when it takes too long. */
  readonly untilProjected: (sequence: number) => Promise<boolean>;
};

/** How long a caller waits for the engine; then it gets the command's id instead. */
export const ANSWER_MS_MAX = 2_000;

export type Submitted =
  /** `sequence` is the journal entry that it is part of: what `untilProjected` takes. */
  | { readonly kind: "committed"; readonly commandId: string; readonly sequence: number; readonly outcome: Outcome }
  /**
   * It may still be executed. The id is empty if the store became unavailable during the write: then not even its place
   * is known.
   */
  | { readonly kind: "unknown"; readonly commandId: string }
  /** Nothing was written. */
  | { readonly kind: "refused"; readonly code: RefusalCode };

/** All are 503 in the catalogue of errors, and a retry can help. */
export type RefusalCode = "venue_busy" | "store_unavailable" | "engine_unavailable" | "backlog_full" | "store_full";

export type KnownOutcome =
  | { readonly kind: "pending" }
  | {
      readonly kind: "committed";
      readonly sequence: number;
      /**
       * The command's user; empty for a configuration command. An order in the outcome has its state after the whole
       * batch.
       */
      readonly user: string;
      readonly outcome: Outcome;
    }
  /** Too long ago, or never there. */
  | { readonly kind: "forgotten" };

const TAKES_ON_MORE: ReadonlySet<string> = new Set(["place", "deposit", "withdraw", "transfer"]);

/**
 * Commands that are refused while the record or the store has no room. Cancels are always taken; there are no more of
 * them than open orders.
 */
export const takesOnMore = ({ kind }: CommandBody): boolean => TAKES_ON_MORE.has(kind);

export const userOfCommand = (body: CommandBody): string =>
  "user" in body ? body.user : "from" in body ? body.from : "";

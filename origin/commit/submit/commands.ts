import type { Command } from "../engine/command.ts";
import type { Outcome } from "../engine/outcome.ts";

/**
 * The way of a command from an api process to the engine and back. Promises: what was answered as committed survives every crash; what was
 * refused has left no trace; of everything else the command id is told, under which the outcome can be asked for. With Redis or
 * the engine away a command is refused or unknown within `ANSWER_MS_MAX`; nothing waits longer.
 */
export type Commands = {
  /** All commands that come in during one turn of the event loop share one write. */
  readonly submit: (body: CommandBody) => Promise<Submitted>;
  readonly outcomeOf: (commandId: string) => Promise<KnownOutcome>;
  /** True once readers of Redis see what this commit has changed; false when it takes too long. */
  readonly untilProjected: (sequence: number) => Promise<boolean>;
};

type WithoutHead<Whole> = Whole extends unknown ? Omit<Whole, "id" | "at"> : never;

/** A command as the api makes it: its id is its place in the stream or in the journal, and its time is taken when it is submitted. */
export type CommandBody = WithoutHead<Command>;

/** How long a caller waits for the engine; then it is told the command's id instead. */
export const ANSWER_MS_MAX = 2_000;

export type Submitted =
  /** `sequence` is the journal entry that it is part of: what `untilProjected` takes. */
  | { readonly kind: "committed"; readonly commandId: string; readonly sequence: number; readonly outcome: Outcome }
  /** It may still be executed. The id is empty if the store went away while the command was written: then not even its place is known. */
  | { readonly kind: "unknown"; readonly commandId: string }
  /** Nothing was written. */
  | { readonly kind: "refused"; readonly code: RefusalCode };

/** All are 503 in the catalogue of errors, and worth another try. */
export type RefusalCode = "venue_busy" | "store_unavailable" | "engine_unavailable" | "backlog_full" | "store_full";

export type KnownOutcome =
  | { readonly kind: "pending" }
  | {
      readonly kind: "committed";
      readonly sequence: number;
      /** Whose command it was; empty for one of the configuration. An order in it stands as after the whole batch. */
      readonly user: string;
      readonly outcome: Outcome;
    }
  /** Too long ago, or never there. */
  | { readonly kind: "forgotten" };

const TAKES_ON_MORE: ReadonlySet<string> = new Set(["place", "deposit", "withdraw", "transfer"]);

/** What is refused while the record or the store has no room. Cancelling lets people out; there is no more of it than there are orders. */
export const takesOnMore = ({ kind }: CommandBody): boolean => TAKES_ON_MORE.has(kind);

export const userOfCommand = (body: CommandBody): string => ("user" in body ? body.user : "from" in body ? body.from : "");

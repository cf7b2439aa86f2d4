import { fail, ok, type Result } from "../../shared/result.ts";
import type { Commands, Submitted } from "../commit/submit/commands.ts";
import type { CommandBody } from "../engine/command.ts";
import type { Outcome, Rejected } from "../engine/outcome.ts";
import type { CommandSeal } from "./command-seal.ts";
import type { Reader, Trader, TradingFailure } from "./trading-port.ts";

/**
 * Submits traders' commands and reports their outcomes. It remembers the last sequence that each user has seen, so
 * that the user's next read is not older. It keeps nothing else: the stream and the journal are the truth.
 */
export type Desk = {
  readonly submit: (
    trader: Trader,
    command: CommandBody,
    options?: SubmitOptions,
  ) => Promise<Result<Committed, TradingFailure>>;
  /** All commands in one write. An undefined entry submits nothing and has no result. */
  readonly submitAll: (
    trader: Trader,
    commands: readonly (CommandBody | undefined)[],
  ) => Promise<readonly (Result<Committed, TradingFailure> | undefined)[]>;
  /** True once the projections show everything that the reader has seen; false when that takes too long. */
  readonly catchUp: (reader: Reader) => Promise<boolean>;
  /** The outcome of a command of this user. */
  readonly outcomeOf: (userId: string, sealedId: string) => ReturnType<Commands["outcomeOf"]>;
};

export type Committed = { readonly outcome: Accepted; readonly sequence: number };
export type Accepted = Exclude<Outcome, Rejected>;

type SubmitOptions = {
  /** Other users whose next read must show the effect. */
  readonly alsoNotify?: readonly string[];
  /** Called once, before the result is returned. */
  readonly onSubmitted?: ((submitted: Submitted) => void) | undefined;
};

export function createDesk({ commands, seal }: { readonly commands: Commands; readonly seal: CommandSeal }): Desk {
  const told = createToldSequences();

  async function submit(trader: Trader, command: CommandBody, index: number, options: SubmitOptions = {}) {
    const { userId, nonce } = trader;
    const submitted = await commands.submit(nonce === undefined ? command : { ...command, nonce: nonce.take(index) });
    options.onSubmitted?.(submitted);
    if (submitted.kind === "refused") return fail(submitted);
    if (submitted.kind === "unknown") {
      const { commandId } = submitted;
      return fail({ kind: "unknown", commandId: commandId === "" ? undefined : seal.seal(commandId, userId) } as const);
    }
    const { outcome, sequence } = submitted;
    told.tell(userId, sequence);
    if (outcome.kind === "rejected") return fail({ kind: "rejected", code: outcome.code, sequence } as const);
    for (const notified of options.alsoNotify ?? []) told.tell(notified, sequence);
    return ok({ outcome, sequence });
  }

  return {
    submit: (trader, command, options) => submit(trader, command, 0, options),
    submitAll(trader, all) {
      if (all.every((command) => command === undefined)) trader.nonce?.waive();
      return Promise.all(all.map(async (command, index) => command && submit(trader, command, index)));
    },
    async catchUp({ userId, afterSequence }) {
      const sequence = Math.max(afterSequence, userId === undefined ? 0 : told.of(userId));
      return sequence === 0 || (await commands.untilProjected(sequence));
    },
    async outcomeOf(userId, sealedId) {
      const commandId = seal.open(sealedId, userId);
      if (commandId === undefined) return { kind: "forgotten" };
      const known = await commands.outcomeOf(commandId);
      if (known.kind === "committed") told.tell(userId, known.sequence);
      return known;
    },
  };
}

/** Some 100 bytes each. */
const USERS_MAX = 20_000;

/**
 * The last sequence that each user has seen, in this process only: a client that may reach another process sends the
 * `venue-sequence` header of its last answer. For evicted users, assume the newest evicted sequence: they may wait
 * longer than needed, never too short.
 */
function createToldSequences(usersMax = USERS_MAX) {
  const told = new Map<string, number>();
  let newestEvicted = 0;
  return {
    tell(userId: string, sequence: number): void {
      const known = told.get(userId) ?? 0;
      told.delete(userId);
      told.set(userId, Math.max(known, sequence));
      if (told.size <= usersMax) return;
      const [oldest] = told;
      if (oldest === undefined) return;
      told.delete(oldest[0]);
      newestEvicted = Math.max(newestEvicted, oldest[1]);
    },
    of: (userId: string): number => told.get(userId) ?? newestEvicted,
  };
}

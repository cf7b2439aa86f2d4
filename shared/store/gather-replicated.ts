import { type GatheredCalls, gatherCalls } from "./gather-calls.ts";

/** What is asked of a client of Redis. */
export type ReplicatedWire<Call> = {
  /** On one connection: the calls, and WAIT behind them. An error or a value for each of them, WAIT's own last. */
  readonly sendAndWait: (calls: readonly Call[], wait: Wait) => Promise<readonly Answered[]>;
  /** Looks anew where keys lie. Whether it worked is seen by the next try. */
  readonly refreshSlots: () => Promise<void>;
};

export type Answered = readonly [error: Error | null, value?: unknown];
export type Wait = { readonly replicas: number; readonly msMax: number };

type ReplicatedOptions<Call> = {
  readonly wire: ReplicatedWire<Call>;
  /** How many replicas must have a change before its caller hears of it. */
  readonly replicas: number;
  readonly atEndOfTurn: (callBack: () => void) => void;
};

/** Less than a request may take in all, so that a replica that is away is told as that. */
const REPLICA_MS_MAX = 400;
const CALLS_MAX = 256;

/**
 * Calls whose answer leaves only when so many replicas have what they changed. WAIT goes out behind them on the same connection, because
 * it speaks of nothing else; the calls of one turn and one group share one. What fewer replicas have is not answered but failed, as with a
 * connection that is lost: it may have run.
 */
export function gatherReplicated<Call>({ wire, replicas, atEndOfTurn }: ReplicatedOptions<Call>): GatheredCalls<Call, { value: unknown }> {
  async function send(calls: readonly Call[]): Promise<readonly ({ value: unknown } | Error)[]> {
    const answers = await sendOnce(calls);
    if (!answers.every((answer) => answer instanceof Error && answer.message.startsWith("MOVED "))) return answers;
    // Beside a WAIT that has its answer a client does not follow by itself. Nothing has run.
    await wire.refreshSlots();
    return sendOnce(calls);
  }

  async function sendOnce(calls: readonly Call[]): Promise<readonly ({ value: unknown } | Error)[]> {
    const answered = await wire.sendAndWait(calls, { replicas, msMax: REPLICA_MS_MAX });
    const [waitError, count] = answered.at(-1) ?? [new Error("WAIT was given no answer")];
    const missing = waitError ?? (Number(count) < replicas ? new NotReplicatedError(Number(count), replicas) : undefined);
    return calls.map((_, index) => {
      const [error, value] = answered[index] ?? [new Error("a call was given no answer")];
      return error ?? missing ?? { value };
    });
  }

  return gatherCalls({ send, atEndOfTurn, callsMax: CALLS_MAX });
}

class NotReplicatedError extends Error {
  override readonly name = "NotReplicatedError";

  constructor(count: number, wanted: number) {
    super(`${count} of ${wanted} replicas have the change`);
  }
}

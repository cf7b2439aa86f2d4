import { type GatheredCalls, gatherCalls } from "./gather-calls.ts";

/** The interface of a Redis client. */
export type ReplicatedWire<Call> = {
  /** On one connection: the calls, and WAIT behind them. An error or a value for each of them, WAIT's own last. */
  readonly sendAndWait: (calls: readonly Call[], wait: Wait) => Promise<readonly Answered[]>;
  /** Refreshes the map of slots. The next attempt shows whether it worked. */
  readonly refreshSlots: () => Promise<void>;
};

export type Answered = readonly [error: Error | null, value?: unknown];
export type Wait = { readonly replicas: number; readonly msMax: number };

type ReplicatedOptions<Call> = {
  readonly wire: ReplicatedWire<Call>;
  /** How many replicas must have a change before its caller gets the reply. */
  readonly replicas: number;
  readonly atEndOfTurn: (callBack: () => void) => void;
};

/** Less than the request timeout, so that a missing replica is reported as such. */
const REPLICA_MS_MAX = 400;
const CALLS_MAX = 256;

/**
 * Calls whose reply is released only when so many replicas have their changes. WAIT follows them on the same
 * connection, the only one it covers; the calls of one turn and one group share one WAIT. With fewer replicas the call
 * fails as with a lost connection: it may have run.
 */
export function gatherReplicated<Call>({
  wire,
  replicas,
  atEndOfTurn,
}: ReplicatedOptions<Call>): GatheredCalls<Call, { value: unknown }> {
  async function send(calls: readonly Call[]): Promise<readonly ({ value: unknown } | Error)[]> {
    const answers = await sendOnce(calls);
    if (!answers.every((answer) => answer instanceof Error && answer.message.startsWith("MOVED "))) return answers;
    // With a WAIT in the pipeline, the client does not follow the redirection by itself. Nothing has run.
    await wire.refreshSlots();
    return sendOnce(calls);
  }

  async function sendOnce(calls: readonly Call[]): Promise<readonly ({ value: unknown } | Error)[]> {
    const answered = await wire.sendAndWait(calls, { replicas, msMax: REPLICA_MS_MAX });
    const [waitError, count] = answered.at(-1) ?? [new Error("WAIT was given no answer")];
    const missing =
      waitError ?? (Number(count) < replicas ? new NotReplicatedError(Number(count), replicas) : undefined);
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

/**
 * Sends the calls of one turn of the event loop together, one batch per group, and gives each caller its own answer.
 */
export type GatheredCalls<Call, Answer> = (group: string, call: Call) => Promise<Answer>;

type GatherOptions<Call, Answer> = {
  /** One answer for each call, in their order. If it fails, it fails for all of them. */
  readonly send: (calls: readonly Call[]) => Promise<readonly (Answer | Error)[]>;
  /** Calls back when the turn is over. */
  readonly atEndOfTurn: (callBack: () => void) => void;
  /** More calls go in another batch, so that no answer waits for too many others. */
  readonly callsMax: number;
};

export function gatherCalls<Call, Answer>({
  send,
  atEndOfTurn,
  callsMax,
}: GatherOptions<Call, Answer>): GatheredCalls<Call, Answer> {
  type Waiting = {
    readonly call: Call;
    readonly resolve: (answer: Answer) => void;
    readonly reject: (error: unknown) => void;
  };
  const groups = new Map<string, Waiting[]>();

  async function flush(group: string, waiting: readonly Waiting[]): Promise<void> {
    if (groups.get(group) === waiting) groups.delete(group);
    try {
      const answers = await send(waiting.map(({ call }) => call));
      for (const [index, { resolve, reject }] of waiting.entries()) {
        const answer = answers[index];
        if (answer === undefined || answer instanceof Error) reject(answer ?? new Error("a call was given no answer"));
        else resolve(answer);
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  return (group, call) =>
    new Promise((resolve, reject) => {
      const open = groups.get(group);
      if (open !== undefined && open.length < callsMax) {
        open.push({ call, resolve, reject });
        return;
      }
      const waiting = [{ call, resolve, reject }];
      groups.set(group, waiting);
      atEndOfTurn(() => void flush(group, waiting));
    });
}

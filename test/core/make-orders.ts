import { setTimeout as sleep } from "node:timers/promises";
import { createOrderMix } from "../../load/bench/orders-mix.ts";
import type { Submitted } from "../../origin/commands/commands.ts";
import { type TestCore, until } from "./core.ts";

/** Orders from this process, whatever becomes of them, and everything that it was answered. */
export type OrderMaker = {
  readonly answers: readonly Submitted[];
  /** Returns when so many more have been committed. */
  readonly untilMore: (count: number) => Promise<void>;
  readonly stop: () => Promise<void>;
};

const AT_ONCE = 20;
const FUNDED_COMMANDS = 300;

export function makeOrders({ trading }: TestCore, seed: number): OrderMaker {
  const mix = createOrderMix(seed);
  const answers: Submitted[] = [];
  let committed = 0;
  let isStopping = false;

  function note(some: readonly Submitted[]): void {
    for (const answer of some) mix.note(answer);
    answers.push(...some);
    committed += some.filter(({ kind }) => kind === "committed").length;
  }

  async function run(): Promise<void> {
    note(await Promise.all(mix.deposits().slice(0, FUNDED_COMMANDS).map(trading.commands.submit)));
    while (!isStopping) {
      const some = await Promise.all(Array.from({ length: AT_ONCE }, () => trading.commands.submit(mix.next())));
      note(some);
      if (some.some(({ kind }) => kind === "refused")) await sleep(20);
    }
  }

  const running = run();
  return {
    answers,
    untilMore: (count) => {
      const goal = committed + count;
      return until(() => committed >= goal);
    },
    stop: async () => {
      isStopping = true;
      await running;
    },
  };
}

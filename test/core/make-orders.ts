import { setTimeout as sleep } from "node:timers/promises";
import { createOrderMix } from "../../load/bench/orders/orders-mix.ts";
import type { Submitted } from "../../origin/commit/submit/commands.ts";
import { type TestCore, until } from "./core.ts";

/** Places orders from this process, and records every answer. */
export type OrderMaker = {
  readonly answers: readonly Submitted[];
  /** Returns when so many more have been committed. */
  readonly untilMore: (count: number) => Promise<void>;
  readonly stop: () => Promise<void>;
};

const AT_ONCE = 20;
/** Few enough to meet each other all the time. */
const USERS = 40;

export function makeOrders({ trading }: TestCore, seed: number): OrderMaker {
  const mix = createOrderMix(seed, USERS);
  const answers: Submitted[] = [];
  let committed = 0;
  let isStopping = false;

  function note(some: readonly Submitted[]): void {
    for (const answer of some) mix.note(answer);
    answers.push(...some);
    committed += some.filter(({ kind }) => kind === "committed").length;
  }

  async function run(): Promise<void> {
    note(await Promise.all(mix.deposits().map(trading.commands.submit)));
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

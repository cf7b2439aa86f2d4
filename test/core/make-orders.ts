import { setTimeout as sleep } from "node:timers/promises";
import { conditionalCommand } from "../../kit/engine/conditional-commands.ts";
import { seededRandom } from "../../kit/random.ts";
import { createOrderMix, MID_TICKS, type OrderMix, userAt } from "../../load/bench/orders/orders-mix.ts";
import type { Submitted } from "../../origin/commit/submit/commands.ts";
import { type TestCore, until } from "./core.ts";

/** Plain orders and, among them, commands about conditional orders and lists. */
export function conditionalMix(seed: number, users: number): OrderMix {
  const random = seededRandom(seed + 1);
  const mix = createOrderMix(seed, users);
  let nextId = 1;
  return {
    deposits: mix.deposits,
    next() {
      if (!random.chance(CONDITIONAL)) return mix.next();
      const user = userAt(random.between(0, users - 1));
      return conditionalCommand(random, { user, pair: "btcidr", ticks: MID_TICKS, at: Date.now(), nextId });
    },
    note(answer) {
      mix.note(answer);
      if (answer.kind !== "committed" || answer.outcome.kind !== "order") return;
      nextId = Math.max(nextId, answer.outcome.order.id + 1);
    },
  };
}

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
/** Orders with triggers, lists, changes and switches among the plain ones. */
const CONDITIONAL = 0.25;

export function makeOrders({ trading }: TestCore, seed: number): OrderMaker {
  const mix = conditionalMix(seed, USERS);
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

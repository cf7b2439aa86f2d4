/** Mutations of triggers, lists and what else happens after a command (`mutations.ts`). */
export const conditionMutations: readonly (readonly [what: string, right: string, wrong: string])[] = [
  [
    "a trigger needs a price beyond its own",
    "lastTicks >= stopTicks : lastTicks <= stopTicks",
    "lastTicks > stopTicks : lastTicks < stopTicks",
  ],
  [
    "a reached trigger runs only beyond its price",
    "ticks >= risingAt || ticks <= fallingAt",
    "ticks > risingAt || ticks < fallingAt",
  ],
  ["only the last price of a sweep is looked at", "if (isNear(pair, firstTicks)) reach(state, pair, firstTicks);", ""],
  ["a trigger that came later runs with an earlier wave", "priorityOf(state, slot) >= wave.before", "false"],
  [
    "a wave is forgotten with the command",
    "if (state.workLeft <= 0) return false;",
    'if (state.workLeft <= 0) { if ("before" in next) endWave(state, next); return false; }',
  ],
  ["a command does more than its part", "state.workLeft -= state.log.trades.length - before;", ""],
  [
    "a follower does not get the end of a wave",
    "state.work.splice(state.work.indexOf(wave), 1);\n  touch(state.log.pairs, wave.pair);",
    "state.work.splice(state.work.indexOf(wave), 1);",
  ],
  [
    "a trailing order follows worse prices",
    "side === BUY ? ticks < condition.extremeTicks : ticks > condition.extremeTicks",
    "ticks !== condition.extremeTicks",
  ],
  [
    "a trailing distance is rounded the other way",
    "? Math.ceil((extremeTicks * (BPS + trailingBps)) / BPS)",
    "? Math.floor((extremeTicks * (BPS + trailingBps)) / BPS)",
  ],
  [
    "a follower does not get a better price",
    "      condition.extremeTicks = ticks;\n      touchOrder(state, slot);",
    "      condition.extremeTicks = ticks;",
  ],
  [
    "both orders of a pair trade",
    'if (leg !== NONE && leg !== slot) cancelOpenOrder(state, { slot: leg, reason: "list" });',
    "",
  ],
  [
    "the shared funds are released twice",
    "return isShared(condition) ? 0n : reservationOf(state, slot);",
    "return reservationOf(state, slot);",
  ],
  [
    "the smaller need is reserved for two",
    "const need = needs.reduce((most, one) => (one > most ? one : most), 0n);\n  const pays",
    "const need = needs.reduce((most, one) => (one < most ? one : most));\n  const pays",
  ],
  [
    "the pending order is placed by a partial fill",
    "remainingLots(state.orders, slot) === 0)",
    "remainingLots(state.orders, slot) >= 0)",
  ],
  [
    "what a buy received is free",
    "release(state.accounts, state.orders.receives[buyer] as number, -received);\n  list.reserved += received;",
    "list.reserved += 0n * received;",
  ],
  [
    "an exit grows in its old place",
    'if (condition.phase === "placed") leaveBook(state, slot);\n  condition.phase = "dormant";',
    'if (condition.phase === "placed") { state.orders.lots[wordOf(slot)] = lots; return; }\n  condition.phase = "dormant";',
  ],
  ["a target is rounded down", "+ divisor - 1n) / divisor;", ") / divisor;"],
  [
    "the rest of a buy stays when its exit begins",
    'cancelOpenOrder(state, { slot: buy, reason: "exitBegun" });',
    "letGoOfBuy(state, list);",
  ],
  ["a stop that sold is only filled", 'return "stopped";', 'return "filled";'],
  [
    "an amend frees nothing",
    "release(state.accounts, orders.pays[slot] as number, released - kept);",
    "release(state.accounts, orders.pays[slot] as number, 0n * (released - kept));",
  ],
  ["an amend goes up", 'if (lots > before) return "amend_upward";', ""],
  ["a refused replacement loses its funds", "free(-reserved);", "free(0n * reserved);"],
  [
    "an expiry is a minute late",
    "timer !== undefined && timer.dueAt <= at",
    "timer !== undefined && timer.dueAt <= at - 60_000",
  ],
  ["a switch strikes once and stays", "setTimer(state.timers, timer, 0);\n  touch", "touch"],
  [
    "both orders shrink by the larger one",
    "const prevented = lotsToTake(orders, sweep, { maker, lots, value });",
    "const prevented = Math.max(lotsToTake(orders, sweep, { maker, lots, value }), remainingLots(orders, maker));",
  ],
];

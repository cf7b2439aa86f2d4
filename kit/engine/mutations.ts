import { conditionMutations } from "./condition-mutations.ts";

/**
 * Mutations of the engine's sources. The naive venue must object to each: a mistake that it accepts here could also
 * pass in the real engine. The mistake, the right text, and the text that replaces it.
 */
export const mutations: readonly (readonly [what: string, right: string, wrong: string])[] = [
  [
    "a younger order goes first",
    "if (older === NONE) ladder.oldest[cell] = slot;\n  else orders.younger[older] = slot;\n  ladder.youngest",
    "ladder.oldest[cell] = slot; if (older === NONE) {}\n  else orders.younger[older] = slot;\n  ladder.youngest",
  ],
  [
    "the worst price goes first",
    "const page = ladder.pages[ladder.count - 1] as number;",
    "const page = ladder.pages[0] as number;",
  ],
  [
    "a level that was emptied stays",
    "if (older === NONE && younger === NONE) clearCell(",
    "if (older === NONE && younger === NONE && slot < 0) clearCell(",
  ],
  [
    "a page that was emptied stays",
    "  if (bits !== 0) return;\n  const position",
    "  if (bits !== 1 << 20) return;\n  const position",
  ],
  ["the next worse price is skipped", "((1 << (cell & CELL_MASK)) - 1)", "((1 << (cell & CELL_MASK)) >> 1)"],
  [
    "a trade is at the taker's price",
    "const ticks = orders.ticks[maker] as number;\n  const value",
    "const ticks = orders.ticks[taker] || orders.ticks[maker];\n  const value",
  ],
  [
    "maker and taker pay each other's fee",
    "feeOf(quantity, isBuy ? takerFeePpm : makerFeePpm)",
    "feeOf(quantity, isBuy ? makerFeePpm : takerFeePpm)",
  ],
  ["a fee is rounded down", "+ PPM_BIG - 1n) / PPM_BIG", ") / PPM_BIG"],
  [
    "the house is not paid",
    "receive(accounts, accountOf(accounts, state.house, pair.quote), sellFee);\n  orders.feePaid",
    "orders.feePaid",
  ],
  [
    "a better price is not refunded",
    "const released = reserve - paid - (rests ? reservationOf(state, slot) : 0n);\n    const account",
    "const released = (rests ? 0n : reserve - paid) + 0n * paid - (rests ? reservationOf(state, slot) : 0n);\n    const account",
  ],
  [
    "too little is frozen",
    "return side === BUY ? valueAt(pair, command)",
    "return side === BUY ? valueAt(pair, command) - 1n",
  ],
  [
    "a cancel frees nothing",
    "release(state.accounts, orders.pays[slot] as number, reservedBy(state, slot));",
    "release(state.accounts, orders.pays[slot] as number, 0n * reservedBy(state, slot));",
  ],
  ["an order may spend what is not there", "pair.base) >= reserve", "pair.base) >= 0n"],
  [
    "an account can be overdrawn",
    "giver === undefined || availableOf(state.accounts, giver, currency) < amount",
    "giver === undefined",
  ],
  [
    "a withdrawal leaves the supply as it was",
    'if (to === "") currency.supply -= amount;',
    'if (to === "") currency.supply -= 0n;',
  ],
  ["a user trades with themselves", "return orders.user[maker] === userIndex;", "return orders.user[maker] === -7;"],
  [
    "the new order continues after both were to be cancelled",
    'return sweep.selfTrade === "cancelBoth" ? "selfTrade" : "go";',
    'return "go";',
  ],
  ["what is left of an immediate order rests", "restsFor(command.timeInForce) && (stop", "(stop"],
  [
    "fill or kill fills a part",
    'if (command.timeInForce === "FOK" && stop !== ""',
    'if (command.timeInForce === "FOK" && stop === "tooManyFills" && stop !== ""',
  ],
  ["post-only trades", "if (isCrossing && command.postOnly)", "if (isCrossing && command.postOnly && first < 0)"],
  ["the band is off by one", "lastTicks + bandTicks({", "lastTicks + 1 + bandTicks({"],
  [
    "the band is forgotten by market orders",
    "return side === BUY ? highestTicks(pair) : lowestTicks(pair);",
    "return side === BUY ? TICKS_MAX : 1;",
  ],
  ["a frozen user trades", 'return user?.isFrozen === true ? "user_frozen" : undefined;', "return undefined;"],
  ["a frozen user withdraws", 'if (giver?.isFrozen === true) return "user_frozen";', ""],
  ["an order of an old grid is taken", 'if (grid !== pair.grid) return "pair_changed";', ""],
  ["the grid changes under open orders", 'if (change.pair.openOrders > 0) return "pair_has_orders";', ""],
  [
    "a repetition is carried out",
    'if (known !== undefined) return known;\n  const pair = state.pairs.byName.get(command.pair);\n  if (pair === undefined) return reject("pair_unknown");\n  if (isTrigger',
    'const pair = state.pairs.byName.get(command.pair);\n  if (pair === undefined) return reject("pair_unknown");\n  if (isTrigger',
  ],
  [
    "a name is forgotten too early",
    "return at - reference.at < REMEMBERED_MS;",
    "return at - reference.at < REMEMBERED_MS / 2;",
  ],
  [
    "an old open order loses its name",
    "findSlot(state.index, reference.orderId) === NONE ? undefined :",
    "reference.orderId > 0 ? undefined :",
  ],
  [
    "a refused order is remembered",
    "const reserve = reserveFor(state, placing);",
    "state.nextOrderId++;\n  const reserve = reserveFor(state, placing);",
  ],
  [
    "a refusal leaves a trace",
    'if (typeof reserve === "string") return reserve;',
    'if (typeof reserve === "string") {\n    state.log.pairs.push(placing.pair);\n    return reserve;\n  }',
  ],
  ["one more is met than may be", "if (met === sweep.fillsMax)", "if (met === sweep.fillsMax + 1)"],
  [
    "one more is cancelled than may be",
    "slot !== NONE && orders.length < max",
    "slot !== NONE && orders.length <= max",
  ],
  ["another's order is cancelled", "slot === NONE || state.orders.user[slot] !== user.index", "slot === NONE"],
  ["the last price is not kept", "pair.lastTicks = ticks;\n  touch", "touch"],
  ["a follower does not get the last price", "touch(log.pairs, pair);", ""],
  ["a follower does not get a maker's fill", "    touchOrder(state, maker);\n    return;", "    return;"],
  [
    "a follower does not get a balance",
    "receive(accounts, orders.receives[seller] as number, value - sellFee);",
    "accounts.available[orders.receives[seller] as number] = (accounts.available[orders.receives[seller] as number] as bigint) + value - sellFee;",
  ],
  ["an old row is told after a newer change", "log.orderRows[position] = null;\n    return;", "return;"],
  ["time goes back", "if (command.at > state.at) state.at = command.at;", "state.at = command.at;"],
  [
    "a name taken over is counted twice",
    "Math.max(namedByHour[at + 1] ?? 0, number)",
    "(namedByHour[at + 1] ?? 0) + 1",
  ],
  ["a user's names are not counted", "user !== undefined && hasNamedAll(state, user, names)", "false"],
  ["a closed order's name is not asked for", "found.at >= references.completeFrom", "true"],
  ["a name that leaves memory is not in the filter", "putName(references.filter, key, oldest.at);", ""],
  [
    "an evicted name counts as never given",
    "Math.max(references.completeFrom, oldest.at + 1)",
    "references.completeFrom",
  ],
  [
    "an open order loses its name with memory",
    "if (isCurrent && findSlot(index, oldest.orderId) === NONE) forget(oldest);",
    "if (isCurrent) forget(oldest);",
  ],
  [
    "an amount is spent beyond its last lot",
    "return affordable < BigInt(most) ? Number(affordable) : most;",
    "return affordable < BigInt(most) ? Number(affordable) + 1 : most;",
  ],
  [
    "the house is not paid in an auction",
    "receive(accounts, accountOf(accounts, state.house, pair.quote), sellFee);\n  const buyOrderId",
    "const buyOrderId",
  ],
  ["a buyer in an auction gets nothing back", "(orders.ticks[buy] as number) - ticks, lots }", "0 * ticks, lots }"],
  [
    "a side of an auction pays the taker's fee",
    "feeOf(value, pair.terms.makerFeePpm)",
    "feeOf(value, pair.terms.takerFeePpm)",
  ],
  ["a surplus of buyers does not raise the price", "return at(auction, buyTicks);", "return at(auction, sellTicks);"],
  ["an auction forgets the reference price", "const wanted = reference === 0 ?", "const wanted = reference >= 0 ?"],
  ["what is only for the opening stays", "of inOrder([...pair.onOpen.keys()])", "of inOrder([])"],
  [
    "orders are accepted between the bell and the opening",
    'if (isOpening(state, pair)) return "pair_opening";\n  if (user',
    "if (user",
  ],
  [
    "orders are cancelled in the freeze",
    'return isFrozen ? "auction_frozen" : undefined;',
    "return isFrozen ? undefined : undefined;",
  ],
  [
    "a user meets themselves in an auction",
    'return isSelfTrade ? "self_trade" : undefined;',
    "return isSelfTrade ? undefined : undefined;",
  ],
  [
    "a slice of an auction begins again",
    "auction.orders === 0 ? firstOrder(pair.book.buys)",
    "auction.orders >= 0 ? firstOrder(pair.book.buys)",
  ],
  ["a slice of an auction is too long", "fillsMax * COST_OF_CHANGE", "fillsMax * COST_OF_CHANGE + 4"],
  [
    "the terms change under an auction",
    'return isFixed ? "pair_in_auction" : undefined;',
    "return isFixed ? undefined : undefined;",
  ],
  ["a follower does not get an auction's progress", "touch(state.log.pairs, pair);\n  }\n}", "}\n}"],
  ...conditionMutations,
];

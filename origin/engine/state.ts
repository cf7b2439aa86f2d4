import { type Accounts, createAccounts, createUsers, type User, type Users, userNamed } from "./accounts.ts";
import { createOrderIndex, createOrderSlab, NONE, type OrderIndex, type OrderSlab } from "./book/order-slab.ts";
import { type ChangeLog, createChangeLog } from "./change-log.ts";
import { type ConditionSlab, createConditions } from "./conditions/condition.ts";
import type { Timers } from "./conditions/timers.ts";
import type { WorkQueue } from "./conditions/work-queue.ts";
import { DEFAULT_BOUNDS, type EngineBounds } from "./limits.ts";
import { createNonces, type Nonces } from "./names/nonces.ts";
import { createReferences, type References } from "./names/references.ts";
import { type Currencies, createCurrencies, createPairs, type Pairs } from "./pairs.ts";
import { HOUSE_USER } from "./terms.ts";

/** The whole state of the engine. */
export type EngineState = {
  /** In milliseconds. Never goes back. */
  at: number;
  nextOrderId: number;
  nextTradeId: number;
  readonly bounds: EngineBounds;
  readonly orders: OrderSlab;
  readonly index: OrderIndex;
  readonly accounts: Accounts;
  readonly users: Users;
  readonly house: User;
  readonly currencies: Currencies;
  readonly pairs: Pairs;
  readonly references: References;
  readonly nonces: Nonces;
  /** Pending ones included. */
  openOrders: number;
  readonly conditions: ConditionSlab;
  readonly timers: Timers;
  readonly work: WorkQueue;
  /** How much work the current command may still do: orders met, cancelled or triggered. */
  workLeft: number;
  /** The order that is about to be replaced, while the new one is checked; `NONE` otherwise. */
  aside: number;
  log: ChangeLog;
};

export function createState(given: Partial<EngineBounds>): EngineState {
  const bounds = { ...DEFAULT_BOUNDS, ...given };
  const orders = createOrderSlab(bounds.openOrdersMax);
  const users = createUsers();
  return {
    at: 0,
    nextOrderId: 1,
    nextTradeId: 1,
    bounds,
    orders,
    index: createOrderIndex(orders, { ordersMax: bounds.openOrdersMax }),
    accounts: createAccounts(),
    users,
    house: userNamed(users, HOUSE_USER),
    currencies: createCurrencies(),
    pairs: createPairs(),
    references: createReferences(),
    nonces: createNonces(),
    openOrders: 0,
    conditions: createConditions(),
    timers: [],
    work: [],
    workLeft: 0,
    aside: NONE,
    log: createChangeLog(),
  };
}

import { type Accounts, createAccounts } from "./accounts.ts";
import { type ChangeLog, createChangeLog } from "./change-log.ts";
import { type Currencies, createCurrencies } from "./currencies.ts";
import { DEFAULT_BOUNDS, type EngineBounds } from "./limits.ts";
import { createNonces, type Nonces } from "./nonces.ts";
import { createOrderIndex, type OrderIndex } from "./order-index.ts";
import { createOrderSlab, type OrderSlab } from "./order-slab.ts";
import { createPairs, type Pairs } from "./pairs.ts";
import { createReferences, type References } from "./references.ts";
import { HOUSE_USER } from "./terms.ts";
import { createUsers, type User, type Users, userNamed } from "./users.ts";

/** All that the engine knows. */
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
  openOrders: number;
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
    log: createChangeLog(),
  };
}

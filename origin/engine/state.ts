import { type Accounts, createAccounts } from "./accounts.ts";
import { type ChangeLog, createChangeLog } from "./change-log.ts";
import { type Currencies, createCurrencies } from "./currencies.ts";
import { OPEN_ORDERS_MAX, REFERENCES_MAX } from "./limits.ts";
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
  readonly openOrdersMax: number;
  readonly orders: OrderSlab;
  readonly index: OrderIndex;
  readonly accounts: Accounts;
  readonly users: Users;
  readonly house: User;
  readonly currencies: Currencies;
  readonly pairs: Pairs;
  readonly references: References;
  openOrders: number;
  log: ChangeLog;
};

/** How much the engine may hold. */
export type EngineBounds = { readonly openOrdersMax?: number; readonly referencesMax?: number };

export function createState({ openOrdersMax = OPEN_ORDERS_MAX, referencesMax = REFERENCES_MAX }: EngineBounds): EngineState {
  // One more than may be open: the incoming order has a slot, too.
  const orders = createOrderSlab(openOrdersMax + 1);
  const users = createUsers();
  return {
    at: 0,
    nextOrderId: 1,
    nextTradeId: 1,
    openOrdersMax,
    orders,
    index: createOrderIndex(orders.id),
    accounts: createAccounts(),
    users,
    house: userNamed(users, HOUSE_USER),
    currencies: createCurrencies(),
    pairs: createPairs(),
    references: createReferences(referencesMax),
    openOrders: 0,
    log: createChangeLog(),
  };
}

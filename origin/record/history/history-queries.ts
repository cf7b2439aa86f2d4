import { z } from "zod";
import { defineQuery } from "../../db/define-query.ts";
import { wholeNumber } from "../ledger/ledger-queries.ts";
import { ledgerTradeSchema } from "../ledger/ledger-trades.ts";
import { listRowSchema, orderRowSchema } from "../sync/recorded-rows.ts";
import findListsSource from "./find-lists.sql";
import findOrdersSource from "./find-orders.sql";
import listOrderTradesSource from "./list-order-trades.sql";
import listUserListsSource from "./list-user-lists.sql";
import listUserMovementsSource from "./list-user-movements.sql";
import listUserOrdersSource from "./list-user-orders.sql";
import listUserTradesSource from "./list-user-trades.sql";
import readLastTradeSource from "./read-last-trade.sql";

export const findOrders = defineQuery({
  name: "find-orders",
  source: findOrdersSource,
  params: ["ids"],
  row: orderRowSchema,
});

export const listUserOrders = defineQuery({
  name: "list-user-orders",
  source: listUserOrdersSource,
  params: ["user", "before", "limit"],
  row: orderRowSchema,
});

export const findLists = defineQuery({
  name: "find-lists",
  source: findListsSource,
  params: ["ids"],
  row: listRowSchema,
});

export const listUserLists = defineQuery({
  name: "list-user-lists",
  source: listUserListsSource,
  params: ["user", "before", "limit"],
  row: listRowSchema,
});

export const listUserTrades = defineQuery({
  name: "list-user-trades",
  source: listUserTradesSource,
  params: ["user", "before", "limit"],
  row: ledgerTradeSchema,
});

export const listOrderTrades = defineQuery({
  name: "list-order-trades",
  source: listOrderTradesSource,
  params: ["user", "orderId", "side", "fromMs", "toMs", "lookedAtMax"],
  row: ledgerTradeSchema,
});

export const readLastTrade = defineQuery({
  name: "read-last-trade",
  source: readLastTradeSource,
  params: [],
  row: z.object({ id: wholeNumber }),
});

export const listUserMovements = defineQuery({
  name: "list-user-movements",
  source: listUserMovementsSource,
  params: ["user", "toMs", "limit"],
  row: z.object({
    id: z.string(),
    kind: z.enum(["deposit", "withdrawal", "transfer"]),
    currency: z.string(),
    amount: z.string(),
    reference: z.string(),
    at: wholeNumber,
  }),
});

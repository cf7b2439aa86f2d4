import { z } from "zod";
import { defineQuery } from "../../db/define-query.ts";
import type { PairRow, UserRow } from "../../engine/changes.ts";
import { auctionFrom } from "../../journal/auction-fields.ts";
import { type ReadFields, waveFrom } from "../../journal/row-fields.ts";
import { steps, wholeNumber } from "../ledger/ledger-queries.ts";
import forgetBodiesSource from "./forget-bodies.sql";
import forgetReferencesSource from "./forget-references.sql";
import listActiveListsSource from "./list-active-lists.sql";
import listAssetsSource from "./list-assets.sql";
import listBodiesSource from "./list-bodies.sql";
import listLatestOrdersSource from "./list-latest-orders.sql";
import listOpenOrdersSource from "./list-open-orders.sql";
import listPairsSource from "./list-pairs.sql";
import listReferencesSource from "./list-references.sql";
import listSuppliesSource from "./list-supplies.sql";
import listTradingUsersSource from "./list-trading-users.sql";
import readVenueStateSource from "./read-venue-state.sql";
import { listRowSchema, orderRowSchema } from "./recorded-rows.ts";
import setVenueStateSource from "./set-venue-state.sql";
import upsertAssetsSource from "./upsert-assets.sql";
import upsertCurrenciesSource from "./upsert-currencies.sql";
import upsertListsSource from "./upsert-lists.sql";
import upsertOrdersSource from "./upsert-orders.sql";
import upsertPairsSource from "./upsert-pairs.sql";
import upsertReferencesSource from "./upsert-references.sql";
import upsertUsersSource from "./upsert-users.sql";

const none = z.unknown();

export const upsertOrders = defineQuery({
  name: "upsert-orders",
  source: upsertOrdersSource,
  params: [
    ...([
      "ids",
      "users",
      "pairs",
      "grids",
      "sides",
      "types",
      "timesInForce",
      "postOnly",
      "ticks",
      "lots",
      "quoteAmounts",
    ] as const),
    ...([
      "filledLots",
      "filledValues",
      "feesPaid",
      "statuses",
      "cancelReasons",
      "clientOrderIds",
      "createdAt",
      "updatedAt",
      "conditions",
    ] as const),
  ],
  row: none,
});

export const upsertLists = defineQuery({
  name: "upsert-lists",
  source: upsertListsSource,
  params: [
    ...(["ids", "users", "pairs", "kinds", "clientListIds", "orderIds", "statuses", "reserved", "dueAs"] as const),
    ...(["targetProfits", "stopLosses", "boughtLots", "boughtValues", "createdAt", "updatedAt"] as const),
  ],
  row: none,
});

export const upsertAssets = defineQuery({
  name: "upsert-assets",
  source: upsertAssetsSource,
  params: ["users", "currencies", "available", "frozen", "atMs"],
  row: none,
});

export const upsertCurrencies = defineQuery({
  name: "upsert-currencies",
  source: upsertCurrenciesSource,
  params: ["currencies", "scales", "supplies"],
  row: none,
});

export const upsertPairs = defineQuery({
  name: "upsert-pairs",
  source: upsertPairsSource,
  params: [
    ...([
      "pairs",
      "baseCurrencies",
      "quoteCurrencies",
      "tickSteps",
      "lotSteps",
      "valueStepsMin",
      "makerFees",
      "takerFees",
    ] as const),
    ...(["states", "bands", "versions", "grids", "lastTicks", "opensAt", "freezeMs", "auctions", "waves"] as const),
  ],
  row: none,
});

export const upsertUsers = defineQuery({
  name: "upsert-users",
  source: upsertUsersSource,
  params: ["users", "areFrozen", "cancelAt"],
  row: none,
});

export const upsertReferences = defineQuery({
  name: "upsert-references",
  source: upsertReferencesSource,
  params: ["users", "kinds", "references", "digests", "orderIds", "atMs"],
  row: none,
});

export const setVenueState = defineQuery({
  name: "set-venue-state",
  source: setVenueStateSource,
  params: ["at", "nextOrderId", "nextTradeId"],
  row: none,
});

export const forgetReferences = defineQuery({
  name: "forget-references",
  source: forgetReferencesSource,
  params: ["beforeMs"],
  row: none,
});
export const forgetBodies = defineQuery({
  name: "forget-bodies",
  source: forgetBodiesSource,
  params: ["upTo", "limit"],
  row: none,
});

export const listBodies = defineQuery({
  name: "list-bodies",
  source: listBodiesSource,
  params: ["after", "limit", "bytesMax"],
  row: z.object({
    sequence: wholeNumber,
    previousHash: z.string(),
    hash: z.string(),
    command: z.string(),
    body: z.string(),
  }),
});

export const readVenueState = defineQuery({
  name: "read-venue-state",
  source: readVenueStateSource,
  params: [],
  row: z.object({ at: wholeNumber, nextOrderId: wholeNumber, nextTradeId: wholeNumber }),
});

export const listOpenOrders = defineQuery({
  name: "list-open-orders",
  source: listOpenOrdersSource,
  params: ["after", "limit"],
  row: orderRowSchema,
});

export const listLatestOrders = defineQuery({
  name: "list-latest-orders",
  source: listLatestOrdersSource,
  params: ["before", "limit"],
  row: orderRowSchema,
});

export const listActiveLists = defineQuery({
  name: "list-active-lists",
  source: listActiveListsSource,
  params: ["after", "limit"],
  row: listRowSchema,
});

export const listAssets = defineQuery({
  name: "list-assets",
  source: listAssetsSource,
  params: ["afterUser", "afterCurrency", "limit"],
  row: z.object({ user: z.string(), currency: z.string(), available: steps, frozen: steps }),
});

export const listPairs = defineQuery({
  name: "list-pairs",
  source: listPairsSource,
  params: [],
  row: z
    .object({
      pair: z.string(),
      baseCurrency: z.string(),
      quoteCurrency: z.string(),
      tickSteps: steps,
      lotSteps: steps,
      valueStepsMin: steps,
      makerFeePpm: z.int(),
      takerFeePpm: z.int(),
      state: z.enum(["trading", "halted", "auction"]),
      opensAt: wholeNumber,
      freezeMs: wholeNumber,
      bandPpm: z.int(),
      version: z.int(),
      grid: z.int(),
      lastTicks: wholeNumber,
      auction: z.string().transform((text) => auctionFrom(JSON.parse(text))),
      waves: z.string().transform((text) => (JSON.parse(text) as ReadFields[]).map(waveFrom)),
    })
    .transform(({ waves, ...pair }): PairRow => (waves.length === 0 ? pair : { ...pair, waves })),
});

export const listSupplies = defineQuery({
  name: "list-supplies",
  source: listSuppliesSource,
  params: [],
  row: z.object({ currency: z.string(), scale: z.int(), supply: steps }),
});

export const listTradingUsers = defineQuery({
  name: "list-trading-users",
  source: listTradingUsersSource,
  params: ["after", "limit"],
  row: z
    .object({ user: z.string(), isFrozen: z.boolean(), cancelAt: wholeNumber.nullable() })
    .transform(({ cancelAt, ...user }): UserRow => (cancelAt === null ? user : { ...user, cancelAt })),
});

export const listReferences = defineQuery({
  name: "list-references",
  source: listReferencesSource,
  params: ["afterUser", "afterKind", "afterReference", "limit"],
  row: z.object({
    user: z.string(),
    kind: z.enum(["order", "list", "deposit", "withdrawal", "transfer"]),
    reference: z.string(),
    digest: z.string(),
    orderId: wholeNumber,
    at: wholeNumber,
  }),
});

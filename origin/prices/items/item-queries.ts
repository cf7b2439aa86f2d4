import { z } from "zod";
import type { Queries } from "../../db/database.ts";
import { defineQuery } from "../../db/define-query.ts";
import bumpSource from "./bump-revision.sql";
import countSource from "./count-items.sql";
import deleteSource from "./delete-item.sql";
import forgetSource from "./forget-price.sql";
import { ITEM_TYPES, type NewItem, type TrackedItem } from "./item.ts";
import listSource from "./list-items.sql";
import lockSource from "./lock-item.sql";
import orderSource from "./order-items.sql";
import putSource from "./put-items.sql";

const row = z
  .object({
    itemCode: z.string(),
    itemType: z.enum(ITEM_TYPES),
    fa: z.string(),
    en: z.string(),
    ar: z.string(),
    enabled: z.boolean(),
    provider: z.string(),
    unit: z.string(),
    decimals: z.int(),
    jumpPercentMax: z.int(),
    multiplier: z.string(),
    category: z.string(),
    icon: z.string(),
    sortOrder: z.int(),
    originalKey: z.string().nullable(),
    createdAt: z.number().transform(Math.round),
    updatedAt: z.number().transform(Math.round),
  })
  .transform(
    ({ fa, en, ar, multiplier, category, icon, sortOrder, originalKey, ...item }): TrackedItem => ({
      ...item,
      displayName: { fa, en, ar },
      metadata: { multiplier, category, icon, sortOrder, originalKey },
    }),
  );

export const listItems = defineQuery({ name: "list-items", source: listSource, params: [], row });
export const lockItem = defineQuery({ name: "lock-item", source: lockSource, params: ["itemCode"], row });
export const deleteItem = defineQuery({
  name: "delete-item",
  source: deleteSource,
  params: ["itemCode"],
  row: z.unknown(),
});
export const forgetPrice = defineQuery({
  name: "forget-price",
  source: forgetSource,
  params: ["itemCode"],
  row: z.unknown(),
});
export const orderItems = defineQuery({
  name: "order-items",
  source: orderSource,
  params: ["itemCodes"],
  row: z.unknown(),
});
const putItemRows = defineQuery({
  name: "put-items",
  source: putSource,
  params: ["rows", "replaces"],
  row: z.object({ itemCode: z.string() }),
});
const countItemRows = defineQuery({
  name: "count-items",
  source: countSource,
  params: [],
  row: z.object({ count: z.int() }),
});
export const bumpRevision = defineQuery({
  name: "bump-revision",
  source: bumpSource,
  params: [],
  row: z.object({ revision: z.number() }),
});

/** Returns how many were written: items that exist are left alone unless they are replaced. */
export async function putItems(tx: Queries, items: readonly NewItem[], replaces: boolean): Promise<number> {
  const rows = items.map(({ displayName, metadata, ...item }) => ({ ...item, ...displayName, ...metadata }));
  return (await putItemRows.all(tx, { rows: { rows }, replaces })).length;
}

export async function countItems(db: Queries): Promise<number> {
  return (await countItemRows.first(db, {}))?.count ?? 0;
}

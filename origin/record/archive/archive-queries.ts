import { z } from "zod";
import { defineQuery } from "../../db/define-query.ts";
import { listRowSchema, orderRowSchema } from "../sync/recorded-rows.ts";
import deleteListsSource from "./delete-lists.sql";
import deleteOrdersSource from "./delete-orders.sql";
import findArchivesSource from "./find-archives.sql";
import insertArchiveSource from "./insert-archive.sql";
import listOldestListsSource from "./list-oldest-lists.sql";
import listOldestOrdersSource from "./list-oldest-orders.sql";

export const listOldestOrders = defineQuery({
  name: "list-oldest-orders",
  source: listOldestOrdersSource,
  params: ["after", "limit"],
  row: orderRowSchema,
});

export const listOldestLists = defineQuery({
  name: "list-oldest-lists",
  source: listOldestListsSource,
  params: ["after", "limit"],
  row: listRowSchema,
});

export const insertArchive = defineQuery({
  name: "insert-archive",
  source: insertArchiveSource,
  params: ["path", "firstId", "lastId", "orders", "sha256", "contents"],
  row: z.unknown(),
});

export const deleteOrders = defineQuery({
  name: "delete-orders",
  source: deleteOrdersSource,
  params: ["ids"],
  row: z.unknown(),
});

export const deleteLists = defineQuery({
  name: "delete-lists",
  source: deleteListsSource,
  params: ["ids"],
  row: z.unknown(),
});

export const findArchives = defineQuery({
  name: "find-archives",
  source: findArchivesSource,
  params: ["contents", "id"],
  row: z.object({ path: z.string(), sha256: z.string() }),
});

import { z } from "zod";
import { defineQuery } from "../../db/define-query.ts";
import { orderRowSchema } from "../sync/table-queries.ts";
import deleteOrdersSource from "./delete-orders.sql";
import findArchivesSource from "./find-archives.sql";
import insertArchiveSource from "./insert-archive.sql";
import listOldestOrdersSource from "./list-oldest-orders.sql";

export const listOldestOrders = defineQuery({
  name: "list-oldest-orders",
  source: listOldestOrdersSource,
  params: ["after", "limit"],
  row: orderRowSchema,
});

export const insertArchive = defineQuery({
  name: "insert-archive",
  source: insertArchiveSource,
  params: ["path", "firstId", "lastId", "orders", "sha256"],
  row: z.unknown(),
});

export const deleteOrders = defineQuery({
  name: "delete-orders",
  source: deleteOrdersSource,
  params: ["ids"],
  row: z.unknown(),
});

export const findArchives = defineQuery({
  name: "find-archives",
  source: findArchivesSource,
  params: ["id"],
  row: z.object({ path: z.string(), sha256: z.string() }),
});

import { z } from "zod";
import { defineQuery } from "../../db/define-query.ts";
import deleteIntradaySource from "./delete-intraday.sql";
import findOldestSource from "./find-oldest.sql";
import insertBarsSource from "./insert-bars.sql";
import listDemoSource from "./list-demo-items.sql";
import listRecentSource from "./list-recent-bars.sql";
import readBarsSource from "./read-bars.sql";
import readDaysSource from "./read-days.sql";
import readHoursSource from "./read-hours.sql";
import rollUpSource from "./roll-up.sql";

export type StoredBar = z.output<typeof bar>;

const bar = z.object({
  openTime: z.number(),
  timeframe: z.enum(["10m", "1h", "1d"]),
  date: z.string(),
  open: z.string(),
  high: z.string(),
  low: z.string(),
  close: z.string(),
  dataPoints: z.int(),
  isComplete: z.boolean(),
  hasMissingData: z.boolean(),
  source: z.enum(["api", "calculated", "interpolated"]),
});

const stretch = ["itemCode", "fromMs", "toMs"] as const;
export const readBars = defineQuery({ name: "read-bars", source: readBarsSource, params: stretch, row: bar });
export const readHours = defineQuery({ name: "read-hours", source: readHoursSource, params: stretch, row: bar });
export const readDays = defineQuery({ name: "read-days", source: readDaysSource, params: stretch, row: bar });

export const rollUp = defineQuery({
  name: "roll-up",
  source: rollUpSource,
  params: ["timeframe", "into", "buckets"],
  row: z.object({ itemCode: z.string() }),
});
export const findOldest = defineQuery({
  name: "find-oldest",
  source: findOldestSource,
  params: ["timeframe"],
  row: z.object({ atMs: z.number().nullable() }),
});
export const insertBars = defineQuery({
  name: "insert-bars",
  source: insertBarsSource,
  params: ["rows"],
  row: z.unknown(),
});
export const deleteIntraday = defineQuery({
  name: "delete-intraday",
  source: deleteIntradaySource,
  params: ["before"],
  row: z.unknown(),
});
export const listRecentBars = defineQuery({
  name: "list-recent-bars",
  source: listRecentSource,
  params: ["sinceMs"],
  row: z.object({
    itemCode: z.string(),
    itemType: z.string(),
    openedAtMs: z.number(),
    open: z.string(),
    close: z.string(),
  }),
});
export const listDemoItems = defineQuery({
  name: "list-demo-items",
  source: listDemoSource,
  params: [],
  row: z.object({ itemCode: z.string(), seed: z.int() }),
});

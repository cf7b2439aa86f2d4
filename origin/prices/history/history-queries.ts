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

export type StoredBar = {
  readonly openTime: number;
  readonly timeframe: "10m" | "1h" | "1d";
  readonly date: string;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly dataPoints: number;
  readonly isComplete: boolean;
  readonly hasMissingData: boolean;
  readonly source: "api" | "calculated" | "interpolated";
};

/** The columns of a bar, in the order of the statements. */
type BarColumns = [
  ...[StoredBar["openTime"], StoredBar["timeframe"], StoredBar["date"], string, string, string, string],
  ...[number, boolean, boolean, StoredBar["source"]],
];

const bars = z.object({ bars: z.string() }).transform(({ bars: text }) =>
  (JSON.parse(text) as readonly BarColumns[]).map(
    ([
      openTime,
      timeframe,
      date,
      open,
      high,
      low,
      close,
      dataPoints,
      isComplete,
      hasMissingData,
      source,
    ]): StoredBar => ({
      ...{ openTime, timeframe, date, open, high, low, close, dataPoints, isComplete, hasMissingData, source },
    }),
  ),
);

const stretch = ["itemCode", "fromMs", "toMs"] as const;
export const readBars = defineQuery({ name: "read-bars", source: readBarsSource, params: stretch, row: bars });
export const readHours = defineQuery({ name: "read-hours", source: readHoursSource, params: stretch, row: bars });
export const readDays = defineQuery({ name: "read-days", source: readDaysSource, params: stretch, row: bars });

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

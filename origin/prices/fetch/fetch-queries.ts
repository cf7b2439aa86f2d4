import { z } from "zod";
import { assert } from "../../../shared/assert.ts";
import type { Queries } from "../../db/database.ts";
import { defineQuery } from "../../db/define-query.ts";
import { DEFAULT_SCHEDULE, type Schedule, scheduleSchema } from "../calendar/schedule.ts";
import markStaleSource from "./mark-stale.sql";
import putBarsSource from "./put-bars.sql";
import putCurrentSource from "./put-current.sql";
import putIntradaySource from "./put-intraday.sql";
import readSettingsSource from "./read-price-settings.sql";
import readStatesSource from "./read-states.sql";
import setDueSource from "./set-due-times.sql";
import setScheduleSource from "./set-schedule.sql";
import setSeededSource from "./set-seeded.sql";

const points = z.array(z.object({ time: z.string(), price: z.string() }));

export const readStates = defineQuery({
  name: "read-states",
  source: readStatesSource,
  params: ["itemCodes", "date", "dayStartMs"],
  row: z.object({
    itemCode: z.string(),
    price: z.string().nullable(),
    dayOpen: z.string().nullable(),
    dayHigh: z.string().nullable(),
    dayLow: z.string().nullable(),
    dayPoints: points.nullable(),
    pointsBefore: points.nullable(),
    closeBefore: z.string().nullable(),
  }),
});

const rows = ["rows"] as const;
export const putCurrent = defineQuery({
  name: "put-current",
  source: putCurrentSource,
  params: rows,
  row: z.unknown(),
});
export const putIntraday = defineQuery({
  name: "put-intraday",
  source: putIntradaySource,
  params: rows,
  row: z.unknown(),
});
export const putBars = defineQuery({ name: "put-bars", source: putBarsSource, params: rows, row: z.unknown() });
export const markStale = defineQuery({ name: "mark-stale", source: markStaleSource, params: rows, row: z.unknown() });
export const setSchedule = defineQuery({
  name: "set-schedule",
  source: setScheduleSource,
  params: ["schedule"],
  row: z.unknown(),
});
export const setDueTimes = defineQuery({
  name: "set-due-times",
  source: setDueSource,
  params: ["dueAtMs"],
  row: z.unknown(),
});
export const setSeeded = defineQuery({
  name: "set-seeded",
  source: setSeededSource,
  params: ["version"],
  row: z.object({ seeded: z.int() }),
});

const readSettings = defineQuery({
  name: "read-price-settings",
  source: readSettingsSource,
  params: [],
  row: z.object({ schedule: scheduleSchema.nullable(), revision: z.number(), seeded: z.int() }),
});

export type PriceSettings = { readonly schedule: Schedule; readonly revision: number; readonly seeded: number };

export async function readPriceSettings(db: Queries): Promise<PriceSettings> {
  const found = await readSettings.first(db, {});
  assert(found !== undefined, "the migrations have made the one row");
  return { ...found, schedule: found.schedule ?? DEFAULT_SCHEDULE };
}

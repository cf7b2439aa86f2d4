import { z } from "zod";
import { defineQuery } from "../../db/define-query.ts";
import deleteBarsSource from "./delete-bars.sql";
import insertCandleArchiveSource from "./insert-candle-archive.sql";
import listBarsSource from "./list-bars.sql";
import listCandleArchivesSource from "./list-candle-archives.sql";
import listLastArchivesSource from "./list-last-archives.sql";
import listNewestBarsSource from "./list-newest-bars.sql";
import rollUpSource from "./roll-up.sql";
import upsertBarsSource from "./upsert-bars.sql";

const wholeNumber = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number);
const none = z.unknown();

export const upsertBars = defineQuery({
  name: "upsert-bars",
  source: upsertBarsSource,
  params: ["tf", "source", "symbols", "openTimes", "texts", "complete"],
  row: none,
});

export const rollUp = defineQuery({
  name: "roll-up",
  source: rollUpSource,
  params: ["fromTf", "toTf", "spanMs", "before"],
  row: z.object({ moved: z.int() }),
});

export const listBars = defineQuery({
  name: "list-bars",
  source: listBarsSource,
  params: ["symbol", "tfs", "from", "to"],
  row: z.object({ openTime: wholeNumber, text: z.string() }),
});

export const listNewestBars = defineQuery({
  name: "list-newest-bars",
  source: listNewestBarsSource,
  params: [],
  row: z.object({ symbol: z.string(), lastTrade: wholeNumber, openTime: wholeNumber }),
});

export const deleteBars = defineQuery({
  name: "delete-bars",
  source: deleteBarsSource,
  params: ["symbol", "from", "to"],
  row: none,
});

export const insertCandleArchive = defineQuery({
  name: "insert-candle-archive",
  source: insertCandleArchiveSource,
  params: ["symbol", "day", "path", "bars", "sha256"],
  row: none,
});

export const listCandleArchives = defineQuery({
  name: "list-candle-archives",
  source: listCandleArchivesSource,
  params: ["symbol", "firstDay", "lastDay"],
  row: z.object({ day: z.int(), path: z.string(), sha256: z.string() }),
});

export const listLastArchives = defineQuery({
  name: "list-last-archives",
  source: listLastArchivesSource,
  params: [],
  row: z.object({ symbol: z.string(), day: z.int() }),
});

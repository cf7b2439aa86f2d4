import { z } from "zod";
import { defineScript } from "../../../../shared/store/define-script.ts";
import beginSource from "./begin-entry.lua";
import endSource from "./end-entry.lua";
import listSource from "./list-entries.lua";

const keys = ["pending", "log"] as const;
const keep = z.number().int().positive();
const staleMs = z.number().int().positive();

export const beginEntryScript = defineScript({
  name: "begin-entry",
  source: beginSource,
  keys,
  args: { keep, staleMs, queue: z.string(), entry: z.string() },
  reply: z.string(),
});

export const endEntryScript = defineScript({
  name: "end-entry",
  source: endSource,
  keys,
  args: { keep, id: z.string(), queue: z.string(), entry: z.string() },
  reply: z.string(),
});

export const listEntriesScript = defineScript({
  name: "list-entries",
  source: listSource,
  keys,
  args: { keep, staleMs, before: z.string(), limit: z.number().int().positive(), queue: z.string() },
  reply: z.tuple([z.string()], z.string()).transform(([cursor, ...flat]) => ({ cursor, flat })),
});

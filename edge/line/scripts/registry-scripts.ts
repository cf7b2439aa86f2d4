import { z } from "zod";
import { defineScript } from "../../../shared/store/define-script.ts";
import deleteQueueSource from "./delete-queue.lua";
import readDirectorySource from "./read-directory.lua";
import readQueueSource from "./read-queue.lua";
import writeDirectorySource from "./write-directory.lua";
import writeQueueSource from "./write-queue.lua";

const count = z.number().int().nonnegative();

export const readQueueScript = defineScript({
  name: "read-queue",
  source: readQueueSource,
  keys: ["meta", "waiting", "active", "bucket"],
  args: {},
  reply: z.union([
    z.tuple([]).transform(() => undefined),
    z.tuple([count, count, count, count, count, count, count], z.string()),
  ]),
});

export const writeQueueScript = defineScript({
  name: "write-queue",
  source: writeQueueSource,
  keys: ["meta", "bucket"],
  args: { expectedVersion: z.number().int().min(-1), fields: z.string(), seed: z.string() },
  reply: z.number().int().min(-3),
});

export const deleteQueueScript = defineScript({
  name: "delete-queue",
  source: deleteQueueSource,
  keys: ["meta", "waiting", "beats", "active", "ready", "bucket", "revoked", "stats", "all"],
  args: { force: z.union([z.literal(0), z.literal(1)]), keepMs: z.number().int().positive() },
  reply: z.enum(["none", "occupied", "deleted"]),
});

export const readDirectoryScript = defineScript({
  name: "read-directory",
  source: readDirectorySource,
  keys: ["queues", "routes"],
  args: {},
  reply: z.array(z.string()).min(1),
});

export const writeDirectoryScript = defineScript({
  name: "write-directory",
  source: writeDirectorySource,
  keys: ["queues", "routes"],
  args: { verb: z.enum(["add", "remove", "route"]), value: z.string(), limit: z.number().int().positive() },
  reply: z.union([z.literal(0), z.literal(1)]),
});

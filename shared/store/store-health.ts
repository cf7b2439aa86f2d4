import { z } from "zod";
import { defineScript } from "./define-script.ts";
import source from "./store-health.lua";

/** A store is healthy when it runs a script: everything Sluice does in Redis is one. */
export const storeHealth = defineScript({
  name: "store-health",
  source,
  keys: [],
  args: {},
  reply: z.number().int().positive(),
});

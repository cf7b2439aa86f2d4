import { createServer } from "node:http";
import { Redis } from "ioredis";
import { z } from "zod";
import { createProcessLimits } from "../../../origin/accounts/limits/process-limits.ts";
import { createApiListener } from "../../../origin/api/api-listener.ts";
import { createAnswerCache } from "../../../origin/api/market/answer-cache.ts";
import { candleOperation } from "../../../origin/api/market/candle-operations.ts";
import { publicOperation } from "../../../origin/api/operation.ts";
import { openMarketReader } from "../../../origin/market/read/market-reader.ts";
import { systemClock } from "../../../shared/clock.ts";
import { ok } from "../../../shared/result.ts";
import { GRID } from "./market-alone.ts";

/** The venue's listener with two routes and no gate in front of it. */
const { nowMs } = systemClock;
const redis = new Redis(process.env["VENUE_REDIS_URL"] ?? "");
const market = openMarketReader({ redis, cold: { read: async () => [] }, nowMs });
const findPair = async () => GRID;
const nothing = publicOperation({
  ...{ method: "get", path: "/nothing", id: "nothing", summary: "Nothing", limit: "read", refusals: [] },
  answers: { 200: { description: "Nothing.", schema: z.strictObject({}) } },
  run: async (caller) => caller.answer(200, {}),
});
const listener = createApiListener({
  operations: [nothing, candleOperation({ market, cache: createAnswerCache({ nowMs }), findPair })],
  authenticate: () => Promise.reject(new Error("public routes only")),
  limits: createProcessLimits(systemClock, { requestsPerAddress: 1_000_000 }),
  isReady: () => true,
  maintenance: () => undefined,
  checkPass: async () => ok({} as never),
  failureAnswer: (error) => {
    throw error;
  },
});
createServer((incoming, outgoing) => {
  if (!listener(incoming, outgoing)) outgoing.writeHead(404).end();
}).listen(Number(process.env["PORT"]), "127.0.0.1");

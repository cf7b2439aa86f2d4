import { createProcessLimits } from "../../../origin/accounts/limits/process-limits.ts";
import { createApiListener } from "../../../origin/api/api-listener.ts";
import { publicOperation } from "../../../origin/api/operation.ts";
import { startHttpServer } from "../../../origin/http-server.ts";
import { priceOperations } from "../../../origin/prices/api/price-operations.ts";
import { showBoard } from "../../../origin/prices/board/known-board.ts";
import { systemClock } from "../../../shared/clock.ts";
import { ok } from "../../../shared/result.ts";
import { boardOf } from "./prices-board.ts";

/** The API of the origin with the price board and a route that does nothing, on one port. */
const board = showBoard(boardOf(Number(process.env["ITEMS"])), { revision: 1, isAged: false, shownUntilMs: Infinity });
const unused = () => Promise.reject(new Error("not measured"));
const nothing = publicOperation({
  ...{ method: "get", path: "/nothing", id: "nothing", summary: "Nothing", limit: "read" },
  ...{ answers: {}, refusals: [] },
  run: async (caller) => caller.answer(200, {}),
});
const reads = { board: () => board, readQuota: unused, readFresh: unused, history: unused, day: unused };
const api = createApiListener({
  operations: [nothing, ...priceOperations(reads)],
  authenticate: unused,
  limits: createProcessLimits(systemClock, { requestsPerAddress: 10_000_000 }),
  isReady: () => true,
  maintenance: () => undefined,
  checkPass: async () => ok({}) as never,
  failureAnswer: () => new Response(null, { status: 500 }),
});
const port = Number(process.env["PORT"]);
await startHttpServer({ app: { fetch: () => new Response("up"), api }, port });

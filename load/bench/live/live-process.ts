import { createServer } from "node:http";
import { yieldToTrading } from "../../../origin/db/yield-to-trading.ts";
import { FLUSH_TIMES } from "../../../origin/live/fan-out/flush-times.ts";
import { openLiveSockets } from "../../../origin/live/open-live-host.ts";
import { LIVE_NICENESS } from "../../../origin/live/process-messages.ts";
import { systemClock } from "../../../shared/clock.ts";
import { systemRandom } from "../../../shared/ids.ts";
import { fail } from "../../../shared/result.ts";
import { createLogger } from "../../../stack/program/log.ts";

yieldToTrading(LIVE_NICENESS);

/** The product's hub with its sockets on a real journal, behind a server without accounts. */
const sockets = openLiveSockets({
  settings: {
    VENUE_REDIS_URL: process.env["VENUE_REDIS_URL"] ?? "",
    SLUICE_SOCKETS_PER_ADDRESS: 100_000,
    SLUICE_LIVE_BOOK_MS: FLUSH_TIMES.fast,
    SLUICE_LIVE_SUMMARY_MS: FLUSH_TIMES.slow,
  },
  signIn: async () => fail("not_signed_in"),
  maintenance: () => undefined,
  ...{ clock: systemClock, random: systemRandom, log: createLogger("live-bench", { write: () => {} }) },
});
const server = createServer();
server.on("upgrade", (request, socket, head) => {
  const headers = request.headers as Record<string, string>;
  sockets.accept({ headers, address: "192.0.2.1", identity: undefined }, socket, head);
});
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ kind: "facts", rssBytes: process.memoryUsage().rss, cpuMicros: user + system });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ kind: "listening", port: typeof address === "object" ? address?.port : 0 });
});

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterEach, expect, it } from "vitest";
import { seededRandom } from "../../kit/random.ts";
import { systemClock } from "../../shared/clock.ts";
import { createHttpPool, type HttpPool } from "../http/http-pool.ts";
import { createRecorder, NOT_SENT } from "../record/recorder.ts";
import { rememberAcknowledged } from "./acknowledged.ts";
import { openMarket } from "./market.ts";
import { keepTrading } from "./steady-flow.ts";
import { openTradingFloor } from "./trading-floor.ts";
import { createVenueCalls } from "./venue-calls.ts";

const PAIR = { pair: "btcidr", baseCurrency: "btc", quoteCurrency: "idr", tickSize: "1000", lotSize: "0.00001" };
const SIGNATURE_MS = 300;
const HELD_MS = 900;
const SOCKETS = 2;

let server: Server;
let pool: HttpPool;
afterEach(() => {
  pool.close();
  server.closeAllConnections();
  server.close();
});

/**
 * Acknowledges orders; while it holds, no answer leaves. Refuses a signature older than `SIGNATURE_MS`, as the venue
 * does.
 */
async function startHoldingVenue() {
  const held: (() => void)[] = [];
  let isHolding = false;
  let orders = 0;
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { clientOrderId } = (await json(req)) as { clientOrderId: string };
    const isStale = systemClock.nowMs() - Number(req.headers["x-api-timestamp"]) > SIGNATURE_MS;
    const order = { id: String(orders++), clientOrderId, status: "filled", filledQuantity: "1", fills: [] };
    const send = () => {
      res.writeHead(isStale ? 400 : 201, { "content-type": "application/json" });
      res.end(JSON.stringify(isStale ? { code: "timestamp_outside_window" } : order));
    };
    if (isHolding) held.push(send);
    else send();
  }
  server = createServer((req, res) => void answer(req, res));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold() {
      isHolding = true;
    },
    release() {
      isHolding = false;
      for (const send of held.splice(0)) send();
    },
  };
}

it("drops orders that waited longer than a signature is valid, and recovers when the venue answers again", async () => {
  const venue = await startHoldingVenue();
  pool = createHttpPool({ url: venue.url, socketsMax: SOCKETS });
  const recorder = createRecorder();
  const random = seededRandom(1);
  const beganMs = performance.now();
  const nowMs = () => performance.now() - beganMs;
  const parts = { poolOf: () => pool, urlAfter: (url: string) => url, recorder, nowMs, clock: systemClock };
  const signal = new AbortController().signal;
  const floor = openTradingFloor({
    call: createVenueCalls({ ...parts, waitMsMax: SIGNATURE_MS }),
    market: openMarket({ pairs: [{ ...PAIR, minimumValue: "10000", lastPrice: null }] }, ["btcidr"]),
    mix: { place: 1, cancel: 0, market: 0, stop: 0 },
    batch: 1,
    acknowledged: rememberAcknowledged(random),
    tag: "held",
    ...{ random, nowMs, signal },
  });
  const trader = { index: 0, userId: "1", key: { id: "key", secret: "secret" } };
  let releasedMs: number | undefined;
  let acknowledgedAtRelease = 0;
  const shown = new Map<string, number>();
  const progress = {
    say: () => {},
    end: () => {},
    show(rows: readonly { readonly label: string; readonly value: number }[]) {
      for (const { label, value } of rows) shown.set(label, value);
      if (releasedMs !== undefined) return;
      if (floor.flow().acknowledged > 10) venue.hold();
      // Held until orders were dropped, for as long as it takes on this machine, and no shorter than several
      // signatures.
      if (floor.flow().notSent === 0 || nowMs() < HELD_MS) return;
      releasedMs = nowMs();
      acknowledgedAtRelease = floor.flow().acknowledged;
      venue.release();
    },
  };
  const options = {
    actionsPerSecond: 200,
    seconds: 2.5,
    seed: 1,
    shard: { index: 1, count: 1 },
    signal,
    progress,
    nowMs,
  };
  await keepTrading({ people: [{ trader, way: { url: venue.url, headers: {} } }], floor }, options);

  const { sent, notSent, acknowledged, rejected, unknown } = floor.flow();
  expect(releasedMs).toBeDefined();
  expect(notSent).toBeGreaterThan(0);
  expect(shown.get("not sent")).toBe(notSent);
  expect(acknowledged - acknowledgedAtRelease).toBeGreaterThan(SOCKETS);
  expect([rejected, unknown, sent]).toEqual([0, 0, acknowledged]);
  const { answers } = recorder.contents().requests["order"] ?? expect.fail("no order was recorded");
  expect(answers[NOT_SENT]).toBe(notSent);
  expect(shown.get("underway")).toBe(0);
});

import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { createLatencies } from "../latencies.ts";
import { arriveOpenly } from "./open-arrivals.ts";

/**
 * The baseline of orders: as many plain SETs with the same arrivals, in a process that does nothing else. Prints one
 * line of JSON. Their p99 is the share of this machine's disk, processor and Node.
 */
const redis = new Redis(process.env["VENUE_REDIS_URL"] ?? "");
const perSecond = Number(process.env["RATE"] ?? 1_000);
const durationMs = Number(process.env["DURATION_MS"] ?? 3_000);
const warmUpMs = Number(process.env["WARM_UP_MS"] ?? 1_000);

/** About the size of an order. */
const VALUE = "x".repeat(200);
const KEYS = 1_000;

let latencies = createLatencies();
let sent = 0;
let inFlight = 0;

function arrive(at: number): void {
  inFlight++;
  const noteAnswer = () => {
    inFlight--;
    latencies.add(performance.now() - at);
  };
  void redis.set(`key-${sent++ % KEYS}`, VALUE).then(noteAnswer);
}

await arriveOpenly({ perSecond, forMs: warmUpMs, arrive });
latencies = createLatencies();
await arriveOpenly({ perSecond, forMs: durationMs, arrive });
while (inFlight > 0) await sleep(5);
process.stdout.write(`${JSON.stringify(latencies.summary())}\n`);
redis.disconnect();

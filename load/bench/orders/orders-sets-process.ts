import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { createLatencies } from "./latencies.ts";
import { arriveOpenly } from "./open-arrivals.ts";

/**
 * What orders are held against: as many plain SETs that arrive in the same way, at a process that does nothing else. Reports one line of JSON. The
 * slowest percent of them is what this machine's disk, processor and Node take for themselves.
 */
const redis = new Redis(process.env["VENUE_REDIS_URL"] ?? "");
const perSecond = Number(process.env["RATE"] ?? 1_000);
const durationMs = Number(process.env["DURATION_MS"] ?? 3_000);
const warmUpMs = Number(process.env["WARM_UP_MS"] ?? 1_000);

/** About as long as an order. */
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

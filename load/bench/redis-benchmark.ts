import { once } from "node:events";
import { text } from "node:stream/consumers";
import { assert } from "../../shared/assert.ts";
import { spawnPinned } from "./pinned.ts";

type SetRun = { readonly port: number; readonly clients: number; readonly requests: number; readonly core: 0 | 1 };

export type SetFigures = { readonly perSecond: number; readonly p50Ms: number; readonly p99Ms: number };

/** SETs of so many clients, each of which waits for its answer before it sends the next. */
export async function redisBenchmarkSet({ port, clients, requests, core }: SetRun): Promise<SetFigures> {
  const args = ["-p", String(port), "-c", String(clients), "-P", "1", "-n", String(requests), "-t", "set", "--csv"];
  const child = spawnPinned({ core, command: "redis-benchmark", args, spawnOptions: { stdio: ["ignore", "pipe", "ignore"] } });
  assert(child.stdout !== null, "redis-benchmark has a pipe");
  const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
  // Requests per second, then the latency in milliseconds: average, least, p50, p95, p99, longest.
  const [perSecond = Number.NaN, , , p50Ms = Number.NaN, , p99Ms = Number.NaN] =
    /^"SET",(.*)$/im
      .exec(output)?.[1]
      ?.split(",")
      .map((figure) => Number(figure.replaceAll('"', ""))) ?? [];
  if (![perSecond, p50Ms, p99Ms].every(Number.isFinite)) throw new Error("redis-benchmark gave no figures");
  return { perSecond, p50Ms, p99Ms };
}

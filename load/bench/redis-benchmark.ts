import { once } from "node:events";
import { text } from "node:stream/consumers";
import { assert } from "../../shared/assert.ts";
import { spawnPinned } from "./pinned.ts";

type BenchmarkRun = {
  readonly command: "SET" | "GET";
  readonly port: number;
  readonly clients: number;
  /** Commands that each client sends before it waits for answers. */
  readonly depth: number;
  readonly requests: number;
  readonly core: 0 | 1;
};

/** Commands per second, as `redis-benchmark` counts them. */
export async function redisBenchmark({ command, port, clients, depth, requests, core }: BenchmarkRun): Promise<number> {
  const sizes = ["-c", String(clients), "-P", String(depth), "-n", String(requests)];
  const args = ["-p", String(port), ...sizes, "-t", command.toLowerCase(), "--csv"];
  const child = spawnPinned({
    core,
    command: "redis-benchmark",
    args,
    spawnOptions: { stdio: ["ignore", "pipe", "ignore"] },
  });
  assert(child.stdout !== null, "redis-benchmark has a pipe");
  const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
  const perSecond = Number(new RegExp(`^"${command}","([\\d.]+)"`, "im").exec(output)?.[1]);
  if (!Number.isFinite(perSecond)) throw new Error("redis-benchmark gave no figure");
  return perSecond;
}

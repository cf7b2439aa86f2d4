import { once } from "node:events";
import { text } from "node:stream/consumers";
import { assert } from "../../shared/assert.ts";
import { spawnPinned } from "./pinned.ts";

type SetRun = { readonly port: number; readonly clients: number; readonly requests: number; readonly core: 0 | 1 };

/** SETs a second of so many clients, each of which waits for its answer before it sends the next. */
export async function redisBenchmarkSet({ port, clients, requests, core }: SetRun): Promise<number> {
  const args = ["-p", String(port), "-c", String(clients), "-P", "1", "-n", String(requests), "-t", "set", "--csv"];
  const child = spawnPinned({ core, command: "redis-benchmark", args, spawnOptions: { stdio: ["ignore", "pipe", "ignore"] } });
  assert(child.stdout !== null, "redis-benchmark has a pipe");
  const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
  const perSecond = Number(/^"SET","([\d.]+)"/im.exec(output)?.[1]);
  if (!Number.isFinite(perSecond)) throw new Error("redis-benchmark gave no figure");
  return perSecond;
}

// @module-tag timing: the store commands of an edge's timers stay below a bound per second.
import { expect, it } from "vitest";
import { quickRun } from "../quick-run.ts";

it("counts one store command per join and poll and none per admitted request, on both runtimes", {
  timeout: 120_000,
}, async () => {
  const [proxy, ...rows] = await quickRun(new URL("./gate.ts", import.meta.url), "gateBenchmark");
  expect(proxy?.ratio).toBeGreaterThan(0);
  const counted = rows.filter(({ notes = "" }) => notes.includes("store commands"));
  const commands = counted.map(({ what, notes = "" }) => {
    const [verb, runtime] = what.split(/, | on /);
    return [
      verb,
      what.includes("Node") ? "Node" : "workerd",
      Math.round(Number(/([\d.]+) store commands/.exec(notes)?.[1])),
      runtime,
    ];
  });
  expect(commands.map(([verb, runtime, each]) => `${runtime}: ${verb}, ${each}`)).toEqual([
    ...["workerd: joins, 1", "workerd: polls, 1", "workerd: admitted requests, 0"],
    ...["Node: joins, 1", "Node: polls, 1", "Node: admitted requests, 0"],
  ]);
  for (const { what, ratio } of rows) expect(ratio, what).toBeGreaterThan(0);
});

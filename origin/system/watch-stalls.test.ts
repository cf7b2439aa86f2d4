import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { createLogger } from "../../stack/program/log.ts";
import { type WatchedStalls, watchStalls } from "./watch-stalls.ts";

type Line = {
  readonly level: string;
  readonly msg: string;
  readonly stallMs: number;
  readonly cpuMs: number;
  readonly gcMs: number;
  readonly stallsNotLogged: number;
};

describe("watchStalls", () => {
  let watched: WatchedStalls | undefined;
  const lines: Line[] = [];
  const start = (nowMs?: () => number) => {
    lines.length = 0;
    const log = createLogger("test", { write: (line) => void lines.push(JSON.parse(line) as Line) });
    watched = watchStalls({ log, ...(nowMs && { nowMs }) });
    return watched;
  };
  const metric = (name: string) =>
    Number(watched?.metrics().match(new RegExp(`^sluice_process_${name} (\\S+)$`, "m"))?.[1]);
  const block = (ms: number) => {
    const endMs = performance.now() + ms;
    while (performance.now() < endMs);
  };

  afterEach(() => watched?.stop());

  it("counts, measures and logs a blocked event loop", async () => {
    start();
    await sleep(50);
    const before = metric("stalls_total");
    block(400);
    await expect.poll(() => metric("stalls_total")).toBeGreaterThan(before);
    expect(metric("stall_seconds")).toBeGreaterThan(0.37);
    expect(lines[0]).toMatchObject({
      level: "warn",
      msg: "the event loop was blocked; no request was answered meanwhile",
    });
    expect(Math.max(...lines.map(({ stallMs }) => stallMs))).toBeGreaterThan(370);
  });

  it("distinguishes a stall by the process's own work from one in which the process did not run", async () => {
    start();
    await sleep(50);
    block(400);
    await expect.poll(() => metric("stalls_total")).toBeGreaterThan(0);
    await expect.poll(() => lines.length).toBe(1);
    watched?.stop();
    const worked = lines[0];
    start();
    await sleep(50);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    await expect.poll(() => lines.length).toBe(1);
    // A busy loop gets a core now and then even on a full machine; a sleeping thread never does.
    expect(worked?.cpuMs).toBeGreaterThan(3 * (lines[0]?.cpuMs ?? Number.POSITIVE_INFINITY));
  });

  it("measures a stall that is still in progress when the metrics are read", () => {
    start();
    block(200);
    expect(metric("stall_seconds")).toBeGreaterThan(0.17);
  });

  it("logs once in ten seconds with the number of stalls left out, and forgets the longest after a minute", () => {
    let atMs = 0;
    start(() => atMs);
    const pass = (ms: number) => {
      atMs += ms;
      return metric("stall_seconds");
    };
    expect(pass(120 + 20)).toBe(0.12);
    expect(pass(500 + 20)).toBe(0.5);
    expect(pass(300 + 20)).toBe(0.5);
    for (let looks = 0; looks < 500; looks++) pass(20);
    expect(pass(200 + 20)).toBe(0.5);
    pass(20);
    expect(lines.map(({ stallMs, stallsNotLogged }) => [stallMs, stallsNotLogged])).toEqual([
      [120, 0],
      [200, 2],
    ]);
    for (let looks = 0; looks < 2_500; looks++) pass(20);
    expect(pass(20)).toBe(0.2);
    expect(metric("stalls_total")).toBe(4);
  });

  it("does not count a short delay as a stall", () => {
    let atMs = 0;
    start(() => atMs);
    atMs = 120;
    expect(metric("stalls_total")).toBe(0);
    expect(metric("stall_seconds")).toBe(0.1);
  });
});

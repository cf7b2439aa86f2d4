import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { HOUR_MS } from "../../origin/engine/names/references.ts";
import { namedKey } from "../../origin/state/keys.ts";
import { systemClock } from "../../shared/clock.ts";
import type { ResourceSeries } from "../record/run-record.ts";
import type { OwnStack } from "../target/target.ts";
import { openVenueMetrics, type VenueMetrics } from "./venue-metrics.ts";

/** Samples the memory, files and stalls of a stack every few seconds. */
export type ResourceWatch = {
  readonly series: () => readonly ResourceSeries[];
  /** Errors of failed samples. */
  readonly faults: () => readonly string[];
  readonly stop: () => Promise<void>;
};

const STALLS = "longest stall of the origin";

type WatchOptions = { readonly own: OwnStack; readonly everyMs: number; readonly nowMs: () => number };
type Watched = ResourceSeries & { readonly points: [number, number][] };
type Look = Pick<ResourceSeries, "name" | "unit" | "kind"> & { readonly value: number };

export async function watchResources({ own, everyMs, nowMs }: WatchOptions): Promise<ResourceWatch> {
  const redis = { "line's Redis": new Redis(own.lineUrl), "venue's Redis": new Redis(own.venueUrl) };
  const metrics = await openVenueMetrics(own);
  const firstHour = hourOf(systemClock.nowMs());
  // Stalls have a verdict line even if the venue never reports them.
  const series = new Map<string, Watched>([[STALLS, { name: STALLS, unit: "seconds", kind: "peak", points: [] }]]);
  const faults = new Set<string>();
  const over = new AbortController();

  function note(atMs: number, { name, unit, kind, value }: Look): void {
    const known = series.get(name) ?? { name, unit, kind, points: [] };
    known.points.push([atMs, value]);
    series.set(name, known);
  }

  async function look(): Promise<void> {
    const looks = [
      memoryOfParts(own),
      lookAtRedis("line's Redis", redis["line's Redis"], 0),
      lookAtVenue(redis["venue's Redis"], firstHour),
      lookAtFolders(own.folder),
      lookAtStalls(metrics),
    ];
    for (const one of await Promise.allSettled(looks)) {
      if (one.status === "rejected") faults.add(String(one.reason));
      else for (const each of one.value) note(Math.round(nowMs()), each);
    }
  }

  async function run(): Promise<void> {
    while (!over.signal.aborted) {
      await look();
      await sleep(everyMs, undefined, { signal: over.signal }).catch(() => {});
    }
  }

  const running = run();
  return {
    series: () => [...series.values()],
    faults: () => [...faults],
    stop: async () => {
      over.abort();
      await running;
      for (const connection of Object.values(redis)) connection.disconnect();
    },
  };
}

/** Resident memory, as the kernel counts it. */
async function memoryOfParts({ stack }: OwnStack): Promise<readonly Look[]> {
  return Promise.all(
    [...stack.pids()].map(async ([name, pid]) => {
      const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
      return { name: `memory of ${name}`, unit: "bytes", kind: "level", value: Number(kibibytes) * 1024 } as const;
    }),
  );
}

/**
 * A client order id is held for 24 hours, at most a million per user (promise V6), so names grow for a whole day,
 * however short the run is. They are a series of their own, and their documented size is taken off the level.
 */
const BYTES_PER_NAME = 55;

async function lookAtVenue(redis: Redis, firstHour: number): Promise<readonly Look[]> {
  let names = 0;
  for (let hour = firstHour; hour <= hourOf(systemClock.nowMs()); hour++)
    for (const count of await redis.hvals(namedKey(hour))) names += Number(count);
  return [
    ...(await lookAtRedis("venue's Redis", redis, names * BYTES_PER_NAME)),
    { name: "client order ids of the day", unit: "keys", kind: "record", value: names },
  ];
}

const hourOf = (atMs: number) => Math.floor(atMs / HOUR_MS);

async function lookAtRedis(name: string, redis: Redis, bytesOfNames: number): Promise<readonly Look[]> {
  const [info, keys] = await Promise.all([redis.info(), redis.dbsize()]);
  const field = (wanted: string) => Number(new RegExp(`^${wanted}:(\\d+)`, "m").exec(info)?.[1]);
  return [
    { name: `data in the ${name}`, unit: "bytes", kind: "level", value: field("used_memory") - bytesOfNames },
    { name: `keys in the ${name}`, unit: "keys", kind: "level", value: keys },
    { name: `append-only file of the ${name}`, unit: "bytes", kind: "level", value: field("aof_current_size") },
  ];
}

async function lookAtFolders(folder: string): Promise<readonly Look[]> {
  return [
    { name: "logs", unit: "bytes", kind: "level", value: await bytesIn(join(folder, "logs")) },
    { name: "PostgreSQL's files", unit: "bytes", kind: "record", value: await bytesIn(join(folder, "postgres")) },
  ];
}

/** A file that disappears in between counts as 0. */
async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function lookAtStalls(metrics: VenueMetrics): Promise<readonly Look[]> {
  const stall = (await metrics.read()).get("sluice_process_stall_seconds");
  return stall === undefined ? [] : [{ name: STALLS, unit: "seconds", kind: "peak", value: stall }];
}

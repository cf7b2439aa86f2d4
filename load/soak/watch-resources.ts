import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { HOUR_MS } from "../../origin/engine/names/references.ts";
import { namedKey } from "../../origin/state/keys.ts";
import { GENERATION_MS, NAME_BUCKETS } from "../../origin/state/name-store.ts";
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
type Look = Pick<ResourceSeries, "name" | "unit" | "kind" | "settlesAfterMs"> & { readonly value: number };

export async function watchResources({ own, everyMs, nowMs }: WatchOptions): Promise<ResourceWatch> {
  const redis = { "line's Redis": new Redis(own.lineUrl), "venue's Redis": new Redis(own.venueUrl) };
  const metrics = await openVenueMetrics(own);
  const firstHour = hourOf(systemClock.nowMs());
  // Stalls have a verdict line even if the venue never reports them.
  const series = new Map<string, Watched>([[STALLS, { name: STALLS, unit: "seconds", kind: "peak", points: [] }]]);
  const faults = new Set<string>();
  const over = new AbortController();

  function note(atMs: number, { value, ...facts }: Look): void {
    const { name } = facts;
    const known = series.get(name) ?? { ...facts, points: [] };
    known.points.push([atMs, value]);
    series.set(name, known);
  }

  async function look(): Promise<void> {
    const looks = [
      memoryOfParts(own),
      lookAtRedis("line's Redis", redis["line's Redis"]),
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
      const memory = { name: `memory of ${name}`, unit: "bytes", kind: "level" } as const;
      const settles = name === "venue-redis" ? { settlesAfterMs: VENUE_SETTLES_MS } : {};
      return { ...memory, ...settles, value: Number(kibibytes) * 1024 };
    }),
  );
}

/**
 * A client order id is held for 24 hours, at most a million per user (promise V6), so names grow for a whole day,
 * however short the run is. They are a series of their own, and their documented size and keys are taken off the level.
 */
const BYTES_PER_NAME = 55;
/** Ended orders stay for five minutes, the journal for three; both are removed some seconds later. */
const VENUE_SETTLES_MS = 330_000;

async function lookAtVenue(redis: Redis, firstHour: number): Promise<readonly Look[]> {
  const names = new Map<number, number>();
  for (let hour = firstHour; hour <= hourOf(systemClock.nowMs()); hour++) {
    const counts = (await redis.hvals(namedKey(hour))).map(Number);
    const generation = Math.floor((hour * HOUR_MS) / GENERATION_MS);
    names.set(generation, (names.get(generation) ?? 0) + counts.reduce((sum, count) => sum + count, 0));
  }
  const all = [...names.values()].reduce((sum, count) => sum + count, 0);
  const keys = [...names.values()].reduce((sum, count) => sum + bucketsOf(count), 0);
  return [
    ...(await lookAtRedis("venue's Redis", redis, { bytes: all * BYTES_PER_NAME, keys })).map((look) => ({
      ...look,
      settlesAfterMs: VENUE_SETTLES_MS,
    })),
    { name: "client order ids of the day", unit: "keys", kind: "record", value: all },
  ];
}

/** How many of the buckets have a name, when each name falls into any of them. */
function bucketsOf(names: number): number {
  return Math.round(NAME_BUCKETS * (1 - Math.exp(-names / NAME_BUCKETS)));
}

const hourOf = (atMs: number) => Math.floor(atMs / HOUR_MS);

async function lookAtRedis(name: string, redis: Redis, names = { bytes: 0, keys: 0 }): Promise<readonly Look[]> {
  const [info, keys] = await Promise.all([redis.info(), redis.dbsize()]);
  const field = (wanted: string) => Number(new RegExp(`^${wanted}:(\\d+)`, "m").exec(info)?.[1]);
  return [
    { name: `data in the ${name}`, unit: "bytes", kind: "level", value: field("used_memory") - names.bytes },
    { name: `keys in the ${name}`, unit: "keys", kind: "level", value: Math.max(0, keys - names.keys) },
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

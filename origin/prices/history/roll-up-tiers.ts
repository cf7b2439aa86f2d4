import type { Database } from "../../db/database.ts";
import type { Schedule } from "../calendar/schedule.ts";
import { findOldest, rollUp } from "./history-queries.ts";
import { type Bucket, bucketOf, mergedBefore, TIERS, type Tier } from "./tiers.ts";

/** A statement merges this many buckets: with 500 items, some 70,000 bars of ten minutes. */
const BUCKETS_AT_ONCE = 24;
const ROLL_UP_MS_MAX = 60_000;

type RollUpQuestion = { readonly nowMs: number; readonly schedule: Schedule; readonly isStopping?: () => boolean };

/** Merges everything that is old enough, the oldest first. Returns how many coarser bars were made. */
export async function rollUpTiers(database: Database, question: RollUpQuestion): Promise<number> {
  let made = 0;
  for (const tier of TIERS) made += await rollUpTier(database, tier, question);
  return made;
}

async function rollUpTier(database: Database, tier: Tier, question: RollUpQuestion): Promise<number> {
  const { nowMs, schedule, isStopping = () => false } = question;
  const before = mergedBefore(tier, nowMs, schedule);
  let made = 0;
  while (!isStopping()) {
    const oldest = (await findOldest.first(database, { timeframe: tier.timeframe }))?.atMs ?? null;
    if (oldest === null || oldest >= before) break;
    const rows = bucketsFrom(oldest, before, { into: tier.into, schedule });
    const merged = await database.transaction(
      (tx) => rollUp.all(tx, { timeframe: tier.timeframe, into: tier.into, buckets: { rows } }),
      ROLL_UP_MS_MAX,
    );
    made += merged.length;
  }
  return made;
}

type BucketKind = { readonly into: Tier["into"]; readonly schedule: Schedule };

function bucketsFrom(fromMs: number, toMs: number, { into, schedule }: BucketKind): readonly Bucket[] {
  const buckets: Bucket[] = [];
  for (let atMs = fromMs; atMs < toMs && buckets.length < BUCKETS_AT_ONCE; ) {
    const bucket = bucketOf(into, atMs, schedule);
    buckets.push(bucket);
    atMs = bucket.toMs;
  }
  return buckets;
}

import { hash } from "node:crypto";
import type { Redis } from "ioredis";
import { assert } from "../../shared/assert.ts";
import type { ReferenceKind, ReferenceRow } from "../engine/changes.ts";
import { HOUR_MS } from "../engine/names/references.ts";
import { replies } from "../redis/pipeline.ts";
import { namedKey, namesKey } from "./keys.ts";
import type { LatestRows } from "./latest-rows.ts";
import type { Write, Writes } from "./writes.ts";

/**
 * Client order ids and references in Redis, about 55 bytes each: the name as a hash, its content packed, in many small
 * hashes which Redis keeps as listpacks. A generation of them is twelve hours, and expires as a whole; a name of the
 * last 24 hours is in one of three.
 */
export const GENERATION_MS = 12 * HOUR_MS;
const GENERATIONS_ASKED = 3;
/**
 * A name counts for 24 hours after its generation has ended; from the first name of a generation on that is at most 36.
 */
const NAMES_TTL_SECONDS = 37 * 3_600;
/**
 * Redis keeps a hash as a listpack up to 512 fields: that is 33 million names in twelve hours. With more of them each
 * takes three times the memory.
 */
export const NAME_BUCKETS = 65_536;

export type StoredName = Pick<ReferenceRow, "kind" | "user" | "reference">;

/** The command that writes one name. */
function nameWrite(row: ReferenceRow): Write {
  const { bucket, field } = placeOf(row);
  return ["HSET", namesKey(generationOf(row.at), bucket), field, packed(row)];
}

const nameExpiry = (key: string): Write => ["EXPIRE", key, NAMES_TTL_SECONDS];

/** The store's rows for these names: of each, the newest that was given at this time or up to 24 hours before. */
export async function findNames(
  redis: Redis,
  names: readonly StoredName[],
  at: number,
): Promise<readonly ReferenceRow[]> {
  const pipeline = redis.pipeline();
  const newest = generationOf(at);
  for (const name of names) {
    const { bucket, field } = placeOf(name);
    for (let age = 0; age < GENERATIONS_ASKED; age++) pipeline.hget(namesKey(newest - age, bucket), field);
  }
  const texts = await replies(pipeline);
  return names.flatMap((name, index) => {
    const age = texts
      .slice(index * GENERATIONS_ASKED, (index + 1) * GENERATIONS_ASKED)
      .findIndex((text) => text !== null);
    return age === -1
      ? []
      : [unpacked(name, { generation: newest - age, text: String(texts[index * GENERATIONS_ASKED + age]) })];
  });
}

const generationOf = (at: number) => Math.floor(at / GENERATION_MS);

/**
 * 136 bits of a SHA-256 together. A collision with another user's name cannot be constructed; one of two own names
 * would take 2^68 tries, and would be refused as the same name with other content.
 */
function placeOf({ kind, user, reference }: StoredName): { readonly bucket: number; readonly field: string } {
  const digest = hash("sha256", `${kind} ${user} ${reference}`, "buffer");
  return { bucket: digest.readUInt16BE(0) % NAME_BUCKETS, field: digest.toString("base64url", 2, 17) };
}

const DIGEST_HEX_CHARS = 16;
const DIGEST_CHARS = 11;
const AT_CHARS = 5;
const BASE = 36;

/** The digest's 64 bits, the milliseconds since the generation began, and the order's id. */
function packed({ digest, orderId, at }: ReferenceRow): string {
  assert(digest.length === DIGEST_HEX_CHARS, "a digest is 64 bits");
  const offset = (at - generationOf(at) * GENERATION_MS).toString(BASE).padStart(AT_CHARS, "0");
  return `${Buffer.from(digest, "hex").toString("base64url")}${offset}${orderId.toString(BASE)}`;
}

type Packed = { readonly generation: number; readonly text: string };

function unpacked({ kind, user, reference }: StoredName, { generation, text }: Packed): ReferenceRow {
  const digest = Buffer.from(text.slice(0, DIGEST_CHARS), "base64url").toString("hex");
  const at = generation * GENERATION_MS + Number.parseInt(text.slice(DIGEST_CHARS, DIGEST_CHARS + AT_CHARS), BASE);
  const orderId = Number.parseInt(text.slice(DIGEST_CHARS + AT_CHARS), BASE);
  assert(
    digest.length === DIGEST_HEX_CHARS && Number.isSafeInteger(at) && Number.isSafeInteger(orderId),
    "a stored name is complete",
  );
  return { kind: kind satisfies ReferenceKind, user, reference, digest, orderId, at, number: 0 };
}

/** Longer than the 25 hours for which an hour counts. */
const NAMED_TTL_SECONDS = 27 * 3_600;
/** The keys of two generations; then the set is cleared. */
const EXPIRING_MAX = 131_072;

/** Names, and how many each user has given by the hour. */
export function writeNames(
  { references, named }: Pick<LatestRows, "references" | "named">,
  expiring: Set<string>,
  writes: Writes,
): void {
  if (expiring.size > EXPIRING_MAX) expiring.clear();
  for (const row of references.values()) {
    const write = nameWrite(row);
    writes.add(write);
    const key = String(write[1]);
    if (!expiring.has(key)) writes.add(nameExpiry(key));
    expiring.add(key);
  }
  for (const [hour, users] of named) {
    const numbers = writes.into("HSET", namedKey(hour));
    for (const [user, number] of users) numbers.push(user, number);
    writes.add(["EXPIRE", namedKey(hour), NAMED_TTL_SECONDS]);
  }
}

import { hash } from "node:crypto";
import type { Redis } from "ioredis";
import { assert } from "../../shared/assert.ts";
import type { ReferenceKind, ReferenceRow } from "../engine/changes.ts";
import { HOUR_MS } from "../engine/references.ts";
import { replies } from "../redis/pipeline.ts";
import { namesKey } from "./keys.ts";
import type { Write } from "./writes.ts";

/**
 * Client order ids and references in Redis, about 55 bytes each: the name as a hash, what it stands for packed, in many small hashes which Redis keeps
 * as plain lists. A generation of them is twelve hours, and goes as a whole by expiry; what was named within 24 hours is in one of three.
 */
const GENERATION_MS = 12 * HOUR_MS;
const GENERATIONS_ASKED = 3;
/** A name counts for 24 hours after its generation has ended; from the first name of a generation on that is at most 36. */
const NAMES_TTL_SECONDS = 37 * 3_600;
/** Redis keeps a hash as a list up to 512 fields: that is 33 million names in twelve hours. With more of them each takes three times the memory. */
const BUCKETS = 65_536;

export type StoredName = Pick<ReferenceRow, "kind" | "user" | "reference">;

/** Of one name, the command that writes it. */
export function nameWrite(row: ReferenceRow): Write {
  const { bucket, field } = placeOf(row);
  return ["HSET", namesKey(generationOf(row.at), bucket), field, packed(row)];
}

export const nameExpiry = (key: string): Write => ["EXPIRE", key, NAMES_TTL_SECONDS];

/** What the store knows of these names, the newest of each that was given at this time or up to 24 hours before. */
export async function findNames(redis: Redis, names: readonly StoredName[], at: number): Promise<readonly ReferenceRow[]> {
  const pipeline = redis.pipeline();
  const newest = generationOf(at);
  for (const name of names) {
    const { bucket, field } = placeOf(name);
    for (let age = 0; age < GENERATIONS_ASKED; age++) pipeline.hget(namesKey(newest - age, bucket), field);
  }
  const texts = await replies(pipeline);
  return names.flatMap((name, index) => {
    const age = texts.slice(index * GENERATIONS_ASKED, (index + 1) * GENERATIONS_ASKED).findIndex((text) => text !== null);
    return age === -1 ? [] : [unpacked(name, { generation: newest - age, text: String(texts[index * GENERATIONS_ASKED + age]) })];
  });
}

const generationOf = (at: number) => Math.floor(at / GENERATION_MS);

/**
 * 136 bits of a SHA-256 together. Nobody can find a name that meets another user's, and to find two of their own that meet would take 2^68 tries: it
 * would be refused as the same name with other content.
 */
function placeOf({ kind, user, reference }: StoredName): { readonly bucket: number; readonly field: string } {
  const digest = hash("sha256", `${kind} ${user} ${reference}`, "buffer");
  return { bucket: digest.readUInt16BE(0) % BUCKETS, field: digest.toString("base64url", 2, 17) };
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
  assert(digest.length === DIGEST_HEX_CHARS && Number.isSafeInteger(at) && Number.isSafeInteger(orderId), "a stored name is complete");
  return { kind: kind satisfies ReferenceKind, user, reference, digest, orderId, at, number: 0 };
}

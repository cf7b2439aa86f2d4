import { namedKey } from "./keys.ts";
import type { LatestRows } from "./latest-rows.ts";
import { nameExpiry, nameWrite } from "./name-store.ts";
import type { Writes } from "./writes.ts";

/** Longer than the 25 hours for which an hour counts. */
const NAMED_TTL_SECONDS = 27 * 3_600;
/** The keys of two generations; after that the memory begins again. */
const EXPIRING_MAX = 131_072;

/** Names, and how many each user has given by the hour. */
export function writeNames({ references, named }: Pick<LatestRows, "references" | "named">, expiring: Set<string>, writes: Writes): void {
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

import type { Database } from "../../db/database.ts";
import { FIRST_ITEMS } from "../items/first-items.ts";
import { bumpRevision, putItems } from "../items/item-queries.ts";
import { INCLUDED_PROVIDERS } from "../providers/included-providers.ts";
import { putProvider } from "../providers/provider-queries.ts";
import { setSeeded } from "./fetch-queries.ts";

/** Raised when built-in items or providers are added. */
const SEED_VERSION = 1;

/**
 * Inserts the built-in providers and items, once in the life of a database: whatever an admin deletes stays deleted, and
 * nothing that exists is changed. Returns whether this call did it.
 */
export function seedPrices(
  database: Database,
  { nowMs, withDemo }: { readonly nowMs: number; readonly withDemo: boolean },
): Promise<boolean> {
  return database.transaction(async (tx) => {
    if ((await setSeeded.first(tx, { version: SEED_VERSION })) === undefined) return false;
    for (const { provider, name, enabled, description } of INCLUDED_PROVIDERS)
      await putProvider.all(tx, {
        ...{ provider, name, kind: description.kind, enabled: enabled && withDemo, description, secrets: {} },
        ...{ dueAtMs: String(nowMs), replaces: false },
      });
    await putItems(tx, FIRST_ITEMS, false);
    await bumpRevision.all(tx, {});
    return true;
  });
}

import { fail, ok, type Result } from "../../../shared/result.ts";
import { type Actor, writeAudit } from "../../accounts/admin/audit.ts";
import type { Database, Transaction } from "../../db/database.ts";
import { changedItem, ITEMS_MAX, type ItemChange, type ItemType, type NewItem, type TrackedItem } from "./item.ts";
import {
  bumpRevision,
  countItems,
  deleteItem,
  forgetPrice,
  listItems,
  lockItem,
  orderItems,
  putItems,
} from "./item-queries.ts";

/**
 * Admins' changes of the tracked items. Each is one transaction with its entry in the audit log; then the board is
 * published, and every process shows it within a second.
 */
export type ItemAdmin = {
  readonly list: (filter: ItemFilter) => Promise<readonly TrackedItem[]>;
  readonly find: (itemCode: string) => Promise<TrackedItem | undefined>;
  readonly create: (actor: Actor, item: NewItem) => Promise<Result<TrackedItem, ItemFault>>;
  readonly change: (actor: Actor, itemCode: string, change: ItemChange) => Promise<Result<TrackedItem, ItemFault>>;
  readonly remove: (actor: Actor, itemCode: string) => Promise<Result<undefined, ItemFault>>;
  /** The named items first, in this order. */
  readonly order: (actor: Actor, itemCodes: readonly string[]) => Promise<Result<readonly TrackedItem[], ItemFault>>;
};

export type ItemFault = "item_not_found" | "item_exists" | "item_limit_reached" | "provider_not_found";

export type ItemFilter = {
  /** Part of a code or of a name in any language, in any case. */
  readonly search?: string | undefined;
  readonly type?: ItemType | undefined;
  readonly provider?: string | undefined;
  readonly enabled?: boolean | undefined;
};

type AdminParts = {
  readonly database: Database;
  readonly hasProvider: (tx: Transaction, provider: string) => Promise<boolean>;
  readonly publish: () => Promise<void>;
};

export function createItemAdmin({ database, hasProvider, publish }: AdminParts): ItemAdmin {
  async function change<Value>(work: (tx: Transaction) => Promise<Result<Value, ItemFault>>) {
    const result = await database.transaction(async (tx) => {
      // First, so that changes by several admins are one after the other.
      await bumpRevision.all(tx, {});
      return work(tx);
    });
    if (result.ok) await publish();
    return result;
  }

  async function put(tx: Transaction, actor: Actor, { before, after }: Put): Promise<Result<TrackedItem, ItemFault>> {
    if (!(await hasProvider(tx, after.provider))) return fail("provider_not_found");
    await putItems(tx, [after], before !== null);
    const action = before === null ? "item.created" : "item.changed";
    await writeAudit(tx, { actor, action, target: after.itemCode, before, after });
    const written = await lockItem.first(tx, { itemCode: after.itemCode });
    return written === undefined ? fail("item_not_found") : ok(written);
  }

  return {
    list: async (filter) => (await listItems.all(database, {})).filter((item) => matches(item, filter)),
    find: async (itemCode) => (await listItems.all(database, {})).find((item) => item.itemCode === itemCode),
    create: (actor, after) =>
      change(async (tx) => {
        if ((await lockItem.first(tx, { itemCode: after.itemCode })) !== undefined) return fail("item_exists");
        if ((await countItems(tx)) >= ITEMS_MAX) return fail("item_limit_reached");
        return put(tx, actor, { before: null, after });
      }),
    change: (actor, itemCode, wanted) =>
      change(async (tx) => {
        const found = await lockItem.first(tx, { itemCode });
        if (found === undefined) return fail("item_not_found");
        const { createdAt: _createdAt, updatedAt: _updatedAt, ...before } = found;
        const after = changedItem(before, wanted);
        // A price in rials is no price in dollars.
        if (after.unit !== before.unit) await forgetPrice.all(tx, { itemCode });
        return put(tx, actor, { before, after });
      }),
    remove: (actor, itemCode) =>
      change(async (tx) => {
        const before = await lockItem.first(tx, { itemCode });
        if (before === undefined) return fail("item_not_found");
        await deleteItem.all(tx, { itemCode });
        await writeAudit(tx, { actor, action: "item.deleted", target: itemCode, before, after: null });
        return ok(undefined);
      }),
    order: (actor, itemCodes) =>
      change(async (tx) => {
        const before = await listItems.all(tx, {});
        const known = new Set(before.map(({ itemCode }) => itemCode));
        if (itemCodes.some((itemCode) => !known.has(itemCode))) return fail("item_not_found");
        await orderItems.all(tx, { itemCodes });
        const after = await listItems.all(tx, {});
        const codes = (items: readonly TrackedItem[]) => ({ itemCodes: items.map(({ itemCode }) => itemCode) });
        await writeAudit(tx, {
          actor,
          action: "item.ordered",
          target: "items",
          before: codes(before),
          after: codes(after),
        });
        return ok(after);
      }),
  };
}

type Put = { readonly before: NewItem | null; readonly after: NewItem };

function matches(item: TrackedItem, { search, type, provider, enabled }: ItemFilter): boolean {
  const words = [item.itemCode, ...Object.values(item.displayName), item.metadata.category].join("\n").toLowerCase();
  return (
    (search === undefined || words.includes(search.trim().toLowerCase())) &&
    (type === undefined || item.itemType === type) &&
    (provider === undefined || item.provider === provider) &&
    (enabled === undefined || item.enabled === enabled)
  );
}

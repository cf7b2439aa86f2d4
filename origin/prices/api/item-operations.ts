import { z } from "zod";
import { actorOf } from "../../api/accounts/admin-operations.ts";
import { adminOperation, type VenueOperation } from "../../api/operation.ts";
import { answerSchemas, bodySchemas } from "../../api/schemas.ts";
import { ITEM_TYPES, ITEMS_MAX, itemChangeSchema, itemCodeField, newItemSchema, providerField } from "../items/item.ts";
import type { ItemAdmin } from "../items/item-admin.ts";

const itemSchema = z
  .strictObject({
    itemCode: z.string(),
    itemType: z.enum(ITEM_TYPES),
    displayName: z.strictObject({ fa: z.string(), en: z.string(), ar: z.string() }),
    enabled: z.boolean(),
    provider: z.string(),
    unit: z.string(),
    decimals: z.int(),
    jumpPercentMax: z.int().describe("A price that differs more from the last one is refused."),
    metadata: z.strictObject({
      multiplier: z.string().describe("The provider's price times this is the item's price."),
      category: z.string(),
      icon: z.string(),
      sortOrder: z.int(),
      originalKey: z.string().nullable().describe("The provider's key; null: the provider's own table has it."),
    }),
    createdAt: z.int(),
    updatedAt: z.int(),
  })
  .register(answerSchemas, { id: "TrackedItem" });

const itemListSchema = z
  .strictObject({ items: z.array(itemSchema) })
  .register(answerSchemas, { id: "TrackedItemList" });
const newItem = newItemSchema.register(bodySchemas, { id: "NewTrackedItem" });
const itemChange = itemChangeSchema.register(bodySchemas, { id: "TrackedItemChange" });
const itemOrder = z
  .strictObject({ itemCodes: z.array(itemCodeField).min(1).max(ITEMS_MAX) })
  .refine(({ itemCodes }) => new Set(itemCodes).size === itemCodes.length, "must name each item once")
  .register(bodySchemas, { id: "TrackedItemOrder" });

const itemParams = z.strictObject({ itemCode: itemCodeField });
const SEARCH_CHARS_MAX = 80;

/** The tracked items, for admins. A change is on the board within two seconds. */
export function itemOperations(items: ItemAdmin): readonly VenueOperation[] {
  return [
    adminOperation({
      method: "get",
      path: "/admin/items",
      id: "listItems",
      summary: "The tracked items, in the order of the board",
      limit: "admin",
      query: z.strictObject({
        search: z.string().max(SEARCH_CHARS_MAX).optional().describe("Part of a code, a name or a category."),
        type: z.enum(ITEM_TYPES).optional(),
        provider: providerField.optional(),
        enabled: z.enum(["true", "false"]).optional(),
      }),
      answers: { 200: { description: "All that match.", schema: itemListSchema } },
      refusals: ["database_unavailable"],
      run: async ({ answer }, { query: { enabled, ...filter } }) =>
        answer(200, {
          items: await items.list({ ...filter, enabled: enabled === undefined ? undefined : enabled === "true" }),
        }),
    }),
    adminOperation({
      method: "post",
      path: "/admin/items",
      id: "createItem",
      summary: "Track another item",
      limit: "admin",
      body: { schema: newItem },
      answers: { 201: { description: "Created.", schema: itemSchema } },
      refusals: ["item_exists", "item_limit_reached", "provider_not_found", "database_unavailable"],
      run: async (caller, { body }) => {
        const created = await items.create(actorOf(caller), body);
        return created.ok ? caller.answer(201, created.value) : caller.refuse(created.reason);
      },
    }),
    adminOperation({
      method: "put",
      path: "/admin/items/order",
      id: "orderItems",
      summary: "Put items first, in this order; the others follow",
      limit: "admin",
      body: { schema: itemOrder },
      answers: { 200: { description: "All items in their new order.", schema: itemListSchema } },
      refusals: ["item_not_found", "database_unavailable"],
      run: async (caller, { body: { itemCodes } }) => {
        const ordered = await items.order(actorOf(caller), itemCodes);
        return ordered.ok ? caller.answer(200, { items: ordered.value }) : caller.refuse(ordered.reason);
      },
    }),
    adminOperation({
      method: "get",
      path: "/admin/items/{itemCode}",
      id: "readItem",
      summary: "One tracked item",
      limit: "admin",
      params: itemParams,
      answers: { 200: { description: "The item.", schema: itemSchema } },
      refusals: ["item_not_found", "database_unavailable"],
      run: async (caller, { params: { itemCode } }) => {
        const item = await items.find(itemCode);
        return item === undefined ? caller.refuse("item_not_found") : caller.answer(200, item);
      },
    }),
    adminOperation({
      method: "patch",
      path: "/admin/items/{itemCode}",
      id: "changeItem",
      summary: "Change the named fields of an item; another unit begins without prices",
      limit: "admin",
      params: itemParams,
      body: { schema: itemChange },
      answers: { 200: { description: "Changed.", schema: itemSchema } },
      refusals: ["item_not_found", "provider_not_found", "database_unavailable"],
      run: async (caller, { params: { itemCode }, body }) => {
        const changed = await items.change(actorOf(caller), itemCode, body);
        return changed.ok ? caller.answer(200, changed.value) : caller.refuse(changed.reason);
      },
    }),
    adminOperation({
      method: "delete",
      path: "/admin/items/{itemCode}",
      id: "deleteItem",
      summary: "Delete an item with its prices and its history",
      limit: "admin",
      params: itemParams,
      answers: { 204: { description: "Deleted." } },
      refusals: ["item_not_found", "database_unavailable"],
      run: async (caller, { params: { itemCode } }) => {
        const removed = await items.remove(actorOf(caller), itemCode);
        return removed.ok ? caller.answer(204) : caller.refuse(removed.reason);
      },
    }),
  ];
}

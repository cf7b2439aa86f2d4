import { z } from "zod";

/** A tracked item: which price, where it comes from, and how it is shown. */
export type TrackedItem = {
  readonly itemCode: string;
  readonly itemType: ItemType;
  readonly displayName: DisplayName;
  readonly enabled: boolean;
  readonly provider: string;
  /** The price is counted in this. */
  readonly unit: string;
  readonly decimals: number;
  /** A price that differs more from the last one is refused. */
  readonly jumpPercentMax: number;
  readonly metadata: ItemMetadata;
  readonly createdAt: number;
  readonly updatedAt: number;
};

export type NewItem = Omit<TrackedItem, "createdAt" | "updatedAt">;
export type ItemType = (typeof ITEM_TYPES)[number];
export type Language = (typeof LANGUAGES)[number];
type DisplayName = Readonly<Record<Language, string>>;

type ItemMetadata = {
  /** A decimal. */
  readonly multiplier: string;
  readonly category: string;
  readonly icon: string;
  readonly sortOrder: number;
  readonly originalKey: string | null;
};

export const ITEM_TYPES = ["currency", "gold", "coin", "crypto"] as const;
export const LANGUAGES = ["fa", "en", "ar"] as const;
/** A board of more than this is no board; every read of it is bounded by this. */
export const ITEMS_MAX = 500;

/** A currency, in lower case. Only `rial` and `toman` are converted into each other; all others must be equal. */
export const unitField = z.string().regex(/^[a-z]{2,8}$/, "must be a unit as in rial, toman or usd");

/** Words that are routes beside an item's code. */
const RESERVED = ["quota", "order", "assets"];

export const itemCodeField = z
  .string()
  .regex(/^[a-z][a-z0-9_]{1,39}$/, "must be 2 to 40 lower-case letters, digits and underscores, a letter first")
  .refine((code) => !RESERVED.includes(code), `must not be ${RESERVED.join(", ")}`);

export const providerField = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{1,31}$/, "must be 2 to 32 lower-case letters, digits, hyphens and underscores");

const nameField = z.string().trim().min(1).max(80);
const nameSchema = z.strictObject({ fa: nameField, en: nameField, ar: nameField });
const SORT_ORDER_MAX = 1_000_000;
const DEFAULT_JUMP_PERCENT = 20;

const multiplierField = z
  .union([z.int().positive().max(1_000_000_000), z.string()])
  .transform(String)
  .refine(
    (text) => /^(?:0|[1-9]\d{0,8})(?:\.\d{1,8})?$/.test(text) && Number(text) > 0,
    "must be more than 0, with at most 9 digits and 8 decimals",
  );

const metadataSchema = z.strictObject({
  multiplier: multiplierField,
  category: z.string().trim().max(60),
  icon: z.string().regex(/^[a-z0-9-]{0,24}$/, "must be lower-case letters, digits and hyphens"),
  sortOrder: z.int().min(0).max(SORT_ORDER_MAX),
  originalKey: z.string().min(1).max(64).nullable(),
});

const EMPTY_METADATA = { multiplier: "1", category: "", icon: "", sortOrder: SORT_ORDER_MAX, originalKey: null };

/** As an admin sends it. */
export const newItemSchema = z.strictObject({
  itemCode: itemCodeField,
  itemType: z.enum(ITEM_TYPES),
  displayName: nameSchema,
  enabled: z.boolean().default(true),
  provider: providerField,
  unit: unitField.default("rial"),
  decimals: z.int().min(0).max(8).default(0),
  jumpPercentMax: z.int().min(1).max(100_000).default(DEFAULT_JUMP_PERCENT),
  metadata: metadataSchema
    .partial()
    .transform((given) => ({ ...EMPTY_METADATA, ...dropUndefined(given) }))
    .default(EMPTY_METADATA),
});

/** Only the named fields change. */
export const itemChangeSchema = z
  .strictObject({
    itemType: z.enum(ITEM_TYPES).optional(),
    displayName: nameSchema.partial().optional(),
    enabled: z.boolean().optional(),
    provider: providerField.optional(),
    unit: unitField.optional(),
    decimals: z.int().min(0).max(8).optional(),
    jumpPercentMax: z.int().min(1).max(100_000).optional(),
    metadata: metadataSchema.partial().optional(),
  })
  .refine((change) => Object.keys(change).length > 0, "must name a field");

export type ItemChange = z.output<typeof itemChangeSchema>;

export function changedItem(item: NewItem, change: ItemChange): NewItem {
  return {
    ...item,
    ...dropUndefined(change),
    displayName: { ...item.displayName, ...dropUndefined(change.displayName ?? {}) },
    metadata: { ...item.metadata, ...dropUndefined(change.metadata ?? {}) },
  };
}

type Present<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function dropUndefined<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>;
}

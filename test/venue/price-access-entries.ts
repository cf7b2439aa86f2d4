import { COMMAND_LINE } from "../../origin/accounts/admin/audit.ts";
import { createSeal, sealKeysVariable } from "../../origin/accounts/api-keys/seal.ts";
import { createPublish } from "../../origin/prices/board/publish-board.ts";
import { newItemSchema } from "../../origin/prices/items/item.ts";
import { createItemAdmin } from "../../origin/prices/items/item-admin.ts";
import { createProviderAdmin } from "../../origin/prices/providers/provider-admin.ts";
import { systemClock } from "../../shared/clock.ts";
import { systemRandom } from "../../shared/ids.ts";
import type { AccessEntry, Asker } from "./access-entries.ts";
import { SEAL_KEY } from "./venue.ts";

/** The tracked prices in the access matrix. */
const SCHEDULE = {
  ...{ peakFrom: "08:00", peakTo: "14:00", peakMinutes: 10, normalMinutes: 60, weekendMinutes: 120 },
  ...{ weekendDays: [4, 5], holidays: [] },
};
const DEMO = { kind: "demo", seed: 1, keys: {}, refreshSeconds: null } as const;

let made = 0;

/** A provider and an item of it, created as an admin would. */
async function newItem({ venue }: Asker): Promise<{ readonly itemCode: string; readonly provider: string }> {
  const number = made++;
  const [itemCode, provider] = [`item_${number}`, `provider_${number}`];
  const { database, redis } = venue;
  const publish = createPublish({ database, redis, nowMs: systemClock.nowMs });
  const seal = createSeal(
    sealKeysVariable.parse(JSON.stringify({ active: "1", keys: { "1": SEAL_KEY } })),
    systemRandom,
  );
  const providers = createProviderAdmin({ database, seal, clock: systemClock, publish });
  await providers.put(COMMAND_LINE, { provider, name: provider, enabled: true, description: DEMO, secrets: {} });
  const items = createItemAdmin({ database, hasProvider: async () => true, publish });
  const displayName = { fa: "آ", en: "A", ar: "أ" };
  await items.create(COMMAND_LINE, newItemSchema.parse({ itemCode, itemType: "gold", displayName, provider }));
  await venue.call("GET", `/prices/${itemCode}?fresh=true`);
  return { itemCode, provider };
}

const ofItem = async (asker: Asker) => ({ params: { itemCode: (await newItem(asker)).itemCode } });
const ofProvider = async (asker: Asker) => ({ params: { provider: (await newItem(asker)).provider } });

/** Items are on the board of a process within 400 ms. */
async function onTheBoard(asker: Asker) {
  const request = await ofItem(asker);
  const path = `/prices/${request.params.itemCode}`;
  while ((await asker.venue.call("GET", path)).status === 404) await new Promise((resolve) => setTimeout(resolve, 20));
  return request;
}

export const PRICE_ACCESS_ENTRIES: Readonly<Record<string, AccessEntry>> = {
  listPrices: { isPublic: true },
  readPriceQuota: { isPublic: true },
  readPrice: { isPublic: true, request: onTheBoard },
  readPriceChart: { isPublic: true, request: onTheBoard },
  readPriceHistory: { isPublic: true, request: onTheBoard },
  listItems: {},
  createItem: {
    request: async (asker) => {
      const { provider } = await newItem(asker);
      const displayName = { fa: "آ", en: "A", ar: "أ" };
      return { json: { itemCode: `made_${made++}`, itemType: "gold", displayName, provider } };
    },
  },
  orderItems: { request: async (asker) => ({ json: { itemCodes: [(await newItem(asker)).itemCode] } }) },
  readItem: { request: ofItem },
  changeItem: { request: async (asker) => ({ ...(await ofItem(asker)), json: { enabled: true } }) },
  deleteItem: { request: ofItem },
  listPriceProviders: {},
  readPriceProvider: { request: ofProvider },
  putPriceProvider: {
    request: async (asker) => ({ ...(await ofProvider(asker)), json: { name: "P", enabled: true, description: DEMO } }),
  },
  deletePriceProvider: {
    request: async (asker) => {
      const { provider, itemCode } = await newItem(asker);
      await asker.venue.database.query("DELETE FROM tracked_items WHERE item_code = $1", [itemCode]);
      return { params: { provider } };
    },
  },
  refreshPriceProvider: { request: async (asker) => ({ ...(await ofProvider(asker)), json: {} }) },
  dryRunPriceProvider: { request: async (asker) => ({ ...(await ofProvider(asker)), json: {} }) },
  readPriceSchedule: {},
  replacePriceSchedule: { request: () => ({ json: SCHEDULE }) },
  readPriceUsage: {},
};

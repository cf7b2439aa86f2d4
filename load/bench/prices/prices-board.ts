import type { BoardItem } from "../../../origin/prices/board/board-item.ts";
import { FIRST_ITEMS } from "../../../origin/prices/items/first-items.ts";

/** A board of this many items, as full as a real one. */
export function boardOf(count: number): readonly BoardItem[] {
  return Array.from({ length: count }, (_, index): BoardItem => {
    const item = FIRST_ITEMS[index % FIRST_ITEMS.length];
    if (item === undefined) throw new Error("there are first items");
    const { itemType, displayName, unit, decimals, metadata } = item;
    const price = String(1_135_200 + index);
    return {
      ...{
        itemCode: `${item.itemCode}_${index}`,
        itemType,
        displayName,
        unit,
        decimals,
        provider: "tgju",
        isDemo: false,
      },
      ...{ category: metadata.category, icon: metadata.icon, price, change: "1585", changePercent: "0.14" },
      ...{ providerChangePercent: "0.14", high24h: "1141500", low24h: "1132800", volume24h: null, marketCap: null },
      ...{ dataAge: "fresh", source: "api", lastUpdated: 1_763_645_398_000, freshUntil: 1_763_646_298_000 },
      sparkline: Array.from({ length: 24 }, (_unused, at) => String(1_135_200 + at * 37)),
      ...{ today: null, yesterday: null, comparisons: { yesterday: null, lastWeek: null, lastMonth: null } },
    };
  });
}

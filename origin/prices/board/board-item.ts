import { z } from "zod";
import { formatMoney, type Money } from "../../../shared/money.ts";
import { toJalali } from "../calendar/jalali.ts";
import { basisPointsOf, percentText, stepsOf } from "../fetch/next-rows.ts";
import { ITEM_TYPES } from "../items/item.ts";

/** An item as the board and the API show it. Amounts are decimal strings in the item's unit. */
export type BoardItem = z.output<typeof boardItemSchema>;

const point = z.object({ time: z.string(), price: z.string() });
const course = z.object({
  date: z.string(),
  dateJalali: z.string(),
  open: z.string(),
  high: z.string(),
  low: z.string(),
  close: z.string(),
  updateCount: z.int(),
  dataPoints: z.array(point).describe("At most one for each ten minutes, by the clock in Tehran."),
});
const comparison = z.object({
  date: z.string(),
  dateJalali: z.string(),
  price: z.string().describe("The close of that day."),
  change: z.string(),
  changePercent: z.string(),
});

export const boardItemSchema = z.object({
  itemCode: z.string(),
  itemType: z.enum(ITEM_TYPES),
  displayName: z.object({ fa: z.string(), en: z.string(), ar: z.string() }),
  unit: z.string().describe("`rial`, `toman`, `usd` or another currency."),
  decimals: z.int(),
  category: z.string(),
  icon: z.string(),
  provider: z.string(),
  isDemo: z.boolean().describe("The price is made up."),
  price: z.string().nullable().describe("null before the first price."),
  change: z.string().nullable().describe("Against the last close before today, in the unit."),
  changePercent: z.string().nullable(),
  providerChangePercent: z.string().nullable().describe("As the provider states it."),
  high24h: z.string().nullable(),
  low24h: z.string().nullable(),
  volume24h: z.string().nullable(),
  marketCap: z.string().nullable(),
  dataAge: z.enum(["fresh", "stale"]),
  source: z.enum(["api", "cache", "fallback"]),
  lastUpdated: z.int().nullable(),
  freshUntil: z.int().nullable().describe("Without a new price it is stale from then on."),
  sparkline: z.array(z.string()).describe("Prices of the last 24 hours, the oldest first."),
  today: course.nullable(),
  yesterday: course.nullable(),
  comparisons: z.object({
    yesterday: comparison.nullable(),
    lastWeek: comparison.nullable(),
    lastMonth: comparison.nullable(),
  }),
});

const close = z.object({ date: z.string(), close: z.string() }).nullable();

/** As the database gives it. */
export const boardRow = boardItemSchema
  .omit({ displayName: true, isDemo: true, sparkline: true, comparisons: true, dataAge: true, source: true })
  .extend({
    ...{ fa: z.string(), en: z.string(), ar: z.string() },
    lastUpdated: z.number().nullable(),
    freshUntil: z.number().nullable(),
    dataAge: z.enum(["fresh", "stale"]).nullable(),
    source: z.enum(["api", "cache", "fallback"]).nullable(),
    metadata: z.unknown(),
    closeYesterday: close,
    closeLastWeek: close,
    closeLastMonth: close,
  });

/** Enough for a small picture. */
const SPARKLINE_POINTS_MAX = 24;

export function boardItem(row: z.output<typeof boardRow>, demoProviders: ReadonlySet<string>): BoardItem {
  const { fa, en, ar, metadata: _metadata, closeYesterday, closeLastWeek, closeLastMonth, ...item } = row;
  const compare = (before: z.output<typeof close>) => comparisonOf(item.price, before, item.decimals);
  return {
    ...item,
    displayName: { fa, en, ar },
    isDemo: demoProviders.has(item.provider),
    dataAge: item.dataAge ?? "stale",
    source: item.source ?? "cache",
    lastUpdated: item.lastUpdated === null ? null : Math.round(item.lastUpdated),
    freshUntil: item.freshUntil === null ? null : Math.round(item.freshUntil),
    sparkline: sparklineOf(item.today, item.yesterday),
    comparisons: {
      yesterday: compare(closeYesterday),
      lastWeek: compare(closeLastWeek),
      lastMonth: compare(closeLastMonth),
    },
  };
}

function comparisonOf(price: string | null, before: z.output<typeof close>, decimals: number) {
  if (price === null || before === null) return null;
  const [now, then] = [stepsOf(price, decimals), stepsOf(before.close, decimals)];
  if (then === 0n) return null;
  return {
    date: before.date,
    dateJalali: toJalali(before.date),
    price: before.close,
    change: formatMoney((now - then) as Money, decimals),
    changePercent: percentText(basisPointsOf(now - then, then)),
  };
}

type Course = z.output<typeof course> | null;

/** Yesterday's points after this time of day, then today's; thinned evenly, the last one kept. */
function sparklineOf(today: Course, yesterday: Course): readonly string[] & string[] {
  const last = today?.dataPoints.at(-1)?.time ?? "";
  const recent = [...(yesterday?.dataPoints.filter(({ time }) => time > last) ?? []), ...(today?.dataPoints ?? [])];
  const step = Math.max(1, recent.length / SPARKLINE_POINTS_MAX);
  const picked: string[] = [];
  for (let at = recent.length - 1; at >= 0 && picked.length < SPARKLINE_POINTS_MAX; at -= step)
    picked.push(recent[Math.round(at)]?.price ?? "");
  return picked.filter((price) => price !== "").reverse();
}

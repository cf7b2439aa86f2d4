import { z } from "zod";
import type { KeptCharts } from "../../market/charts/kept-charts.ts";
import { publicOperation, type VenueOperation } from "../operation.ts";
import { pairField } from "../trading/fields.ts";
import { frameField, type MarketParts, readAsked, timeField, timeOf, zoneField } from "./candle-operations.ts";

const sizeField = (min: number, max: number, fallback: number) =>
  z
    .string()
    .refine(
      (text) => /^\d{1,4}$/.test(text) && Number(text) >= min && Number(text) <= max,
      `must be from ${min} to ${max}`,
    )
    .default(String(fallback))
    .meta({ type: "integer", minimum: min, maximum: max, default: fallback });

const chartQuery = z.strictObject({
  tf: frameField,
  to: timeField.describe("The last bar begins at this time or earlier."),
  bars: sizeField(10, 300, 120),
  width: sizeField(320, 1_600, 800),
  height: sizeField(200, 1_000, 400),
  theme: z.enum(["light", "dark"]).default("light"),
  lang: z.enum(["en", "fa", "ar"]).default("en"),
  ma: z
    .string()
    .regex(/^\d{1,3}(,\d{1,3}){0,2}$/, "must be up to three lengths, as in 7,25")
    .optional()
    .describe("Moving averages, as in `7,25`."),
  tz: zoneField,
});

/** Closed bars only, so that an image is the same until the next bar closes and is drawn once. */
export function chartOperation({ market, cache, findPair }: MarketParts, charts: KeptCharts): VenueOperation {
  return publicOperation({
    method: "get",
    path: "/market/{pair}/chart.png",
    id: "readChart",
    summary: "Closed candles of a pair as an image",
    limit: "read",
    params: z.strictObject({ pair: pairField }),
    query: chartQuery,
    answers: { 200: { description: "A PNG." } },
    refusals: ["pair_not_found", "frame_unknown", "time_zone_unknown", "chart_busy"],
    run: (caller, { params, query }) =>
      cache.answer(caller, {
        key: `chart ${params.pair} ${JSON.stringify(query)}`,
        contentType: "image/png",
        seconds: 5,
        make: async () => {
          const asked = await readAsked(caller, { pair: params.pair, tf: query.tf, tz: query.tz }, findPair);
          if (asked instanceof Response) return asked;
          const limit = Number(query.bars) + 1;
          const found = await market.candles({ ...asked, from: undefined, to: timeOf(query.to), limit, fill: "none" });
          if (!found.ok) return caller.refuse(found.reason);
          const rows = found.value.rows.filter(({ isClosed }) => isClosed).slice(-Number(query.bars));
          const { width, height, theme, lang: language, ma = "" } = query;
          const averages =
            ma === ""
              ? []
              : ma
                  .split(",")
                  .map(Number)
                  .filter((length) => length > 0);
          const size = { width: Number(width), height: Number(height) };
          const png = await charts.png({ ...asked, rows, ...size, theme, language, averages });
          return png.ok ? png.value : caller.refuse("chart_busy", { retryAfterSeconds: 1 });
        },
      }),
  });
}

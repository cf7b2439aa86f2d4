import { z } from "zod";
import { publicOperation, type VenueOperation } from "../../api/operation.ts";
import type { ChartDrawer } from "../../market/charts/draw-charts.ts";
import { RANGE_NAMES } from "../history/read-history.ts";
import { itemCodeField, LANGUAGES } from "../items/item.ts";
import { defaultLook } from "../page/view/look.ts";
import { priceChartSvg } from "./price-chart-svg.ts";
import type { PriceReads } from "./price-reads.ts";

/** Pictures of one revision of the board: some tens of kilobytes each. */
const PICTURES_MAX = 100;

/** The picture of a price, drawn once for each revision of the board. */
export function priceChartOperation(prices: PriceReads, drawer: ChartDrawer): VenueOperation {
  const drawn = new Map<string, Buffer<ArrayBuffer>>();
  return publicOperation({
    method: "get",
    path: "/prices/{itemCode}/chart.png",
    id: "readPriceChart",
    summary: "A picture of a price to share",
    limit: "read",
    params: z.strictObject({ itemCode: itemCodeField }),
    query: z.strictObject({ lang: z.enum(LANGUAGES).default("fa"), range: z.enum(RANGE_NAMES).default("1m") }),
    answers: { 200: { description: "A PNG of 1,200 by 630 pixels.", mediaTypes: ["image/png"] } },
    refusals: ["item_not_found", "chart_busy", "database_unavailable"],
    run: async (caller, { params: { itemCode }, query: { lang, range } }) => {
      const board = prices.board();
      const item = board.find(itemCode);
      if (item === undefined) return caller.refuse("item_not_found");
      const key = `${board.etag} ${itemCode} ${lang} ${range}`;
      let png = drawn.get(key);
      if (png === undefined) {
        const bars = await prices.history(itemCode, range);
        const made = await drawer.draw(priceChartSvg({ item, bars, look: defaultLook(lang) }));
        if (!made.ok) return caller.refuse("chart_busy", { retryAfterSeconds: 1 });
        png = Buffer.from(made.value);
        if (drawn.size >= PICTURES_MAX) drawn.clear();
        drawn.set(key, png);
      }
      return caller.answerBytes(png, { "content-type": "image/png", "cache-control": "public, max-age=5" });
    },
  });
}

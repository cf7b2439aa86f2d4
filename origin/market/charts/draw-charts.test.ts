import { inflateSync } from "node:zlib";
import { afterAll, expect, it } from "vitest";
import type { ChartRequest } from "./chart-svg.ts";
import { chartSvg } from "./chart-svg.ts";
import { createChartDrawer } from "./draw-charts.ts";

const drawer = createChartDrawer();
afterAll(drawer.stop);

const GRID = { pair: "btcidr", grid: 1, baseCurrency: "btc", quoteCurrency: "idr", baseScale: 8, quoteScale: 2 };
const rows = Array.from({ length: 60 }, (_, place) => {
  const price = 1_000 + 100 * Math.sin(place / 6);
  const text = [price, price + 20, price - 20, price + 10 * (place % 3) - 10, place + 1, 1, 1, 1, 1, 1, 1].join();
  return { openTime: place * 60_000, closeTime: place * 60_000 + 59_999, text, isClosed: true };
});
const request = (change: Partial<ChartRequest> = {}): ChartRequest => ({
  ...{ pair: { ...GRID, tickSteps: 1n, lotSteps: 1n }, frame: "1m", rows, width: 800, height: 400 },
  ...{ theme: "light", language: "en", averages: [7, 25], ...change },
});

async function pngOf(svg: string): Promise<Buffer> {
  const drawn = await drawer.draw(svg);
  if (!drawn.ok) throw new Error(drawn.reason);
  return drawn.value;
}

/** The bytes of an image's rows, without their compression. */
function pixelsOf(png: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return inflateSync(Buffer.concat(parts));
}

it("a chart has its size, and differs by theme and language", async () => {
  const images = await Promise.all(
    [request(), request({ theme: "dark" }), request({ language: "fa" }), request({ language: "ar" })].map((one) =>
      pngOf(chartSvg(one)),
    ),
  );
  for (const png of images) expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([800, 400]);
  expect(new Set(images.map((png) => png.toString("latin1"))).size).toBe(4);
});

it("Persian and Arabic letters are joined: their picture is not that of single letters", async () => {
  const word = (text: string) =>
    pngOf(
      `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="60"><text x="10" y="40" font-size="32" font-family="Vazirmatn">${text}</text></svg>`,
    );
  const joined = pixelsOf(await word("سلام"));
  const apart = pixelsOf(await word([..."سلام"].join("\u200c")));
  const empty = pixelsOf(await word(""));
  expect(joined.equals(empty)).toBe(false);
  expect(joined.equals(apart)).toBe(false);
});

it("a full queue refuses at once", async () => {
  const svg = chartSvg(request());
  const drawn = await Promise.all(Array.from({ length: 40 }, () => drawer.draw(svg)));
  expect(drawn.filter(({ ok }) => !ok)).toHaveLength(8);
});

it("an empty chart is drawn too", async () => {
  expect((await pngOf(chartSvg(request({ rows: [] })))).length).toBeGreaterThan(500);
});

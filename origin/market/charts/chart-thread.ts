import { fileURLToPath } from "node:url";
import { parentPort } from "node:worker_threads";
import { Resvg } from "@resvg/resvg-js";
import { assert } from "../../../shared/assert.ts";
import { FONT_FAMILY } from "./chart-svg.ts";

/** Draws SVG texts as PNG, one after the other: drawing takes some tens of milliseconds of processor time. */
export type ChartOrder = { readonly id: number; readonly svg: string };
export type DrawnChart =
  | { readonly id: number; readonly png: Uint8Array }
  | { readonly id: number; readonly failure: string };

const FONT = fileURLToPath(new URL("./fonts/Vazirmatn-Regular.ttf", import.meta.url));
const OPTIONS = { font: { fontFiles: [FONT], loadSystemFonts: false, defaultFontFamily: FONT_FAMILY } };

assert(parentPort !== null, "this file runs in a worker thread");
const port = parentPort;
port.on("message", ({ id, svg }: ChartOrder) => {
  const tell = (drawn: DrawnChart) => port.postMessage(drawn);
  try {
    tell({ id, png: new Resvg(svg, OPTIONS).render().asPng() });
  } catch (error) {
    tell({ id, failure: error instanceof Error ? error.message : String(error) });
  }
});

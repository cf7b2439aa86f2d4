import { hash } from "node:crypto";
import type { Redis } from "ioredis";
import { ok, type Result } from "../../../shared/result.ts";
import type { ObjectStore } from "../history/candle-archive.ts";
import { chartMetaKey } from "../keys.ts";
import { type ChartRequest, chartSvg } from "./chart-svg.ts";
import type { ChartDrawer } from "./draw-charts.ts";

/**
 * Chart images by content: the same bars, size and language are drawn once by any process, kept in the archive under
 * the hash of what they show, and found by `v1:chart:meta:<hash>`. Without the archive a chart is drawn again.
 */
export type KeptCharts = { readonly png: (request: ChartRequest) => Promise<Result<Buffer, "busy">> };

type ChartParts = { readonly redis: Redis; readonly objects: ObjectStore; readonly drawer: ChartDrawer };

const META_SECONDS = 30 * 86_400;
const HASH_CHARS = 32;

export function createKeptCharts({ redis, objects, drawer }: ChartParts): KeptCharts {
  async function kept(key: string): Promise<Buffer | undefined> {
    const path = await redis.hget(key, "path");
    return path === null ? undefined : objects.get(path).catch(() => undefined);
  }

  return {
    async png(request) {
      const svg = chartSvg(request);
      const name = hash("sha256", svg, "base64url").slice(0, HASH_CHARS);
      const key = chartMetaKey(name);
      const known = await kept(key);
      if (known !== undefined) return ok(known);
      const drawn = await drawer.draw(svg);
      if (!drawn.ok) return drawn;
      const path = `charts/${name.slice(0, 2)}/${name}.png`;
      await objects.put(path, drawn.value);
      const { pair, frame, width, height, theme, language } = request;
      const meta = { path, pair: pair.pair, tf: frame, width, height, theme, language, bytes: drawn.value.length };
      await redis.multi().hset(key, meta).expire(key, META_SECONDS).exec();
      return drawn;
    },
  };
}

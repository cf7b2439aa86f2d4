import { z } from "zod";
import type { KnownPair } from "../../instruments/grid.ts";
import { barFields } from "../../market/candles/bar-text.ts";
import { bucketStart, FRAME_MS, type Frame } from "../../market/candles/frames.ts";
import type { FilledRow } from "../../market/read/candle-query.ts";
import type { Caller } from "../operation.ts";
import { publicOperation, type VenueOperation } from "../operation.ts";
import type { MarketParts } from "./candle-operations.ts";

/**
 * TradingView's UDF protocol, as the charting library's own adapter asks for it: times in seconds, numbers as JSON
 * numbers, `to` not included, `countback` before `from`, and `no_data` with the time of the next older bar.
 */
type UdfParts = MarketParts & { readonly allPairs: () => readonly KnownPair[]; readonly nowMs: () => number };

const RESOLUTIONS: Readonly<Record<string, Frame>> = {
  ...{ "1S": "1s", "1": "1m", "3": "3m", "5": "5m", "10": "10m", "15": "15m", "30": "30m", "60": "1h", "120": "2h" },
  ...{ "240": "4h", "360": "6h", "480": "8h", "720": "12h", "1D": "1d", "3D": "3d", "1W": "1w", "1M": "1M" },
  ...{ D: "1d", W: "1w", M: "1M" },
};
const SHOWN = Object.keys(RESOLUTIONS).filter((name) => /\d/.test(name));

const EXCHANGE = "Sluice";
const BARS_MAX = 1_000;
const SEARCH_MAX = 100;

const seconds = z
  .string()
  .regex(/^-?\d{1,11}$/, "must be seconds since 1970")
  .meta({ type: "integer" });

const anything = z.record(z.string(), z.unknown());

export function udfOperations(parts: UdfParts): readonly VenueOperation[] {
  const { market, cache, allPairs, nowMs } = parts;
  const find = (symbol: string) => {
    const name = symbol.replace(/^.*:/, "").replace("/", "").toLowerCase();
    return allPairs().find(({ pair }) => pair === name);
  };
  const common = { method: "get", limit: "read", refusals: [] } as const;

  return [
    publicOperation({
      ...common,
      path: "/udf/config",
      id: "udfConfig",
      summary: "TradingView UDF: what the data feed supports",
      answers: { 200: { description: "The configuration.", schema: anything } },
      run: async (caller) =>
        caller.answer(200, {
          supported_resolutions: SHOWN,
          supports_search: true,
          supports_group_request: false,
          supports_marks: false,
          supports_timescale_marks: false,
          supports_time: true,
          exchanges: [{ value: EXCHANGE, name: EXCHANGE, desc: EXCHANGE }],
          symbols_types: [{ name: "crypto", value: "crypto" }],
        }),
    }),
    publicOperation({
      ...common,
      path: "/udf/time",
      id: "udfTime",
      summary: "TradingView UDF: the server's time in seconds, as text",
      answers: { 200: { description: "Seconds since 1970, as plain text." } },
      run: async (caller) =>
        caller.answerBytes(Buffer.from(String(Math.floor(nowMs() / 1_000))), { "content-type": "text/plain" }),
    }),
    publicOperation({
      ...common,
      path: "/udf/symbols",
      id: "udfSymbol",
      summary: "TradingView UDF: a symbol",
      query: z.object({ symbol: z.string().max(64) }),
      answers: { 200: { description: "The symbol, or `s: error`.", schema: anything } },
      run: async (caller, { query: { symbol } }) => {
        const pair = find(symbol);
        return caller.answer(200, pair === undefined ? UNKNOWN : symbolOf(pair));
      },
    }),
    publicOperation({
      ...common,
      path: "/udf/search",
      id: "udfSearch",
      summary: "TradingView UDF: symbols whose name contains a text",
      query: z.object({
        query: z.string().max(64).default(""),
        type: z.string().max(64).optional(),
        exchange: z.string().max(64).optional(),
        limit: z
          .string()
          .regex(/^\d{1,4}$/)
          .default("30"),
      }),
      answers: { 200: { description: "Symbols.", schema: z.array(anything) } },
      run: async (caller, { query: { query, limit } }) => {
        const text = query.replace("/", "").toLowerCase();
        const found = allPairs().filter(({ pair }) => pair.includes(text));
        return caller.answer(200, found.slice(0, Math.min(Number(limit), SEARCH_MAX)).map(foundSymbol));
      },
    }),
    publicOperation({
      ...common,
      path: "/udf/history",
      id: "udfHistory",
      summary: "TradingView UDF: bars",
      query: z.object({
        symbol: z.string().max(64),
        resolution: z.string().max(8),
        from: seconds.default("0"),
        to: seconds,
        countback: z
          .string()
          .regex(/^\d{1,6}$/)
          .optional(),
      }),
      answers: { 200: { description: "Columns of bars, `no_data` or `error`.", schema: anything } },
      run: (caller, { query }) =>
        cache.answer(caller, {
          key: `udf ${JSON.stringify(query)}`,
          make: async () => {
            const frame = Object.hasOwn(RESOLUTIONS, query.resolution) ? RESOLUTIONS[query.resolution] : undefined;
            const pair = find(query.symbol);
            if (pair === undefined) return JSON.stringify(UNKNOWN);
            if (frame === undefined) return JSON.stringify({ s: "error", errmsg: "unknown_resolution" });
            return JSON.stringify(await history(caller, { pair, frame, query }));
          },
        }),
    }),
  ];

  async function history(_: Caller, { pair, frame, query }: HistoryQuery): Promise<unknown> {
    // The end is not included, and a bar belongs to the range by its own time.
    const to = Number(query.to) * 1_000 - 1;
    const from = Number(query.from) * 1_000;
    const counted = query.countback === undefined ? undefined : Math.min(Number(query.countback), BARS_MAX);
    const limit = Math.min(BARS_MAX, counted ?? Math.ceil((to - from) / FRAME_MS[frame]) + 1);
    const range = { pair, frame, zone: undefined, fill: "none", to: Math.max(0, to), from: undefined } as const;
    const found = await market.candles({ ...range, limit: Math.max(1, limit) });
    if (!found.ok) return { s: "error", errmsg: found.reason };
    const first = counted === undefined ? bucketStart(frame, Math.max(0, from)) : 0;
    const rows = found.value.rows.filter(({ openTime }) => openTime >= first);
    if (rows.length > 0) return columnsOf(rows);
    const older = found.value.rows.at(-1);
    return { s: "no_data", ...(older !== undefined && { nextTime: older.openTime / 1_000 }) };
  }
}

type HistoryQuery = {
  readonly pair: KnownPair;
  readonly frame: Frame;
  readonly query: { readonly from: string; readonly to: string; readonly countback?: string | undefined };
};

const UNKNOWN = { s: "error", errmsg: "unknown_symbol" };

function columnsOf(rows: readonly FilledRow[]) {
  const fields = rows.map(({ text }) => barFields(text));
  const column = (place: number) => fields.map((bar) => Number(bar[place]));
  const t = rows.map(({ openTime }) => openTime / 1_000);
  return { s: "ok", t, o: column(0), h: column(1), l: column(2), c: column(3), v: column(4) };
}

const nameOf = ({ baseCurrency, quoteCurrency }: KnownPair) => `${baseCurrency}/${quoteCurrency}`.toUpperCase();

function symbolOf(pair: KnownPair) {
  const { minmov, pricescale } = priceSteps(pair);
  return {
    name: pair.pair.toUpperCase(),
    ticker: pair.pair.toUpperCase(),
    description: nameOf(pair),
    type: "crypto",
    session: "24x7",
    timezone: "Etc/UTC",
    exchange: EXCHANGE,
    listed_exchange: EXCHANGE,
    format: "price",
    minmov,
    pricescale,
    has_intraday: true,
    has_seconds: true,
    seconds_multipliers: ["1"],
    has_daily: true,
    has_weekly_and_monthly: true,
    supported_resolutions: SHOWN,
    volume_precision: pair.baseScale,
    data_status: "streaming",
  };
}

/** A tick is `minmov / pricescale`, where `pricescale` is a power of ten. */
function priceSteps({ tickSteps, quoteScale }: KnownPair) {
  let [minmov, decimals] = [tickSteps, quoteScale];
  for (; decimals > 0 && minmov % 10n === 0n; decimals--) minmov /= 10n;
  return { minmov: Number(minmov), pricescale: 10 ** decimals };
}

function foundSymbol(pair: KnownPair) {
  const name = pair.pair.toUpperCase();
  return {
    symbol: name,
    full_name: `${EXCHANGE}:${name}`,
    description: nameOf(pair),
    exchange: EXCHANGE,
    ticker: name,
    type: "crypto",
  };
}

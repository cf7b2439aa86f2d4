import type { z } from "zod";
import { type ProviderDescription, providerDescriptionSchema } from "./describe-provider.ts";

/** The providers of a first start. Only the demo is enabled: nothing reaches outside by default. */
export type IncludedProvider = {
  readonly provider: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly description: ProviderDescription;
};

/** As an admin would send it: defaults are left out. */
type Written = z.input<typeof providerDescriptionSchema>;

/**
 * Three envelopes behind one host, one request in five seconds. `change` is a percentage with its sign. Keys are the
 * numbers of its own catalogue; an item without an entry here needs its `originalKey`.
 */
const persianApi: Written = {
  kind: "http",
  requests: [
    {
      url: "https://studio.persianapi.com/web-service/common/gold-currency-coin",
      headers: { authorization: "Bearer {secret:token}" },
      lists: [{ path: "result", shape: "array", key: "key" }],
    },
    {
      url: "https://studio.persianapi.com/web-service/digitalcurrency",
      headers: { authorization: "Bearer {secret:token}" },
      lists: [
        {
          path: "result.list",
          shape: "array",
          key: "symbol",
          unit: "usd",
          fields: { price: "price", changePercent: "percentChange24h", high: "high24h", low: "low24h" },
        },
      ],
    },
  ],
  fields: { price: "price", changePercent: "change", high: "high", low: "low", time: "created_at" },
  unit: "rial",
  time: "tehranLocal",
  keys: { usd_sell: "137202", ...symbols(["BTC", "ETH", "BNB", "SOL", "XRP", "ADA", "DOGE", "TRX", "TON"]) },
};

/** The unit is in every row; prices are numbers in two lists and texts in the third. */
const brsApi: Written = {
  kind: "http",
  requests: [
    {
      url: "https://BrsApi.ir/Api/Market/Gold_Currency.php?key={secret:key}",
      lists: ["gold", "currency", "cryptocurrency"].map((path) => ({ path, shape: "array", key: "symbol" }) as const),
    },
  ],
  fields: { price: "price", changePercent: "change_percent", time: "time_unix", unit: "unit" },
  unit: "toman",
  unitNames: { تومان: "toman", ریال: "rial", دلار: "usd" },
  time: "unixSeconds",
  keys: {
    ...{ usd_sell: "USD", eur_sell: "EUR", gbp_sell: "GBP", aed_sell: "AED", try_sell: "TRY", chf_sell: "CHF" },
    ...{ cad_sell: "CAD", aud_sell: "AUD", cny_sell: "CNY", jpy_sell: "JPY", sar_sell: "SAR", kwd_sell: "KWD" },
    ...{ rub_sell: "RUB", inr_sell: "INR", gold_18k: "IR_GOLD_18K", gold_24k: "IR_GOLD_24K", gold_ounce: "XAUUSD" },
    ...{ gold_mesghal: "IR_GOLD_MELTED", coin_emami: "IR_COIN_EMAMI", coin_bahar: "IR_COIN_BAHAR" },
    ...{ coin_half: "IR_COIN_HALF", coin_quarter: "IR_COIN_QUARTER", coin_gram: "IR_COIN_1G", usdt_rial: "USDT_IRT" },
    ...symbols(["BTC", "ETH", "BNB", "SOL", "XRP", "ADA", "DOGE", "TRX", "TON"]),
  },
};

/** One map of about 250 keys, some of another shape. The free plan has 120 requests a month: four a day. */
const navasan: Written = {
  kind: "http",
  requests: [
    {
      url: "http://api.navasan.tech/latest/?api_key={secret:key}",
      lists: [{ path: "", shape: "map" }],
    },
  ],
  fields: { price: "value", time: "timestamp" },
  unit: "toman",
  time: "unixSeconds",
  requestsPerDay: 4,
  keys: {
    ...{ usd_sell: "usd_sell", usd_buy: "usd_buy", eur_sell: "eur", gbp_sell: "gbp", aed_sell: "aed_sell" },
    ...{ try_sell: "try", chf_sell: "chf", cad_sell: "cad", aud_sell: "aud", cny_sell: "cny", jpy_sell: "jpy" },
    ...{ sar_sell: "sar", kwd_sell: "kwd", iqd_sell: "iqd", rub_sell: "rub", inr_sell: "inr", gold_18k: "18ayar" },
    ...{ gold_mesghal: "abshodeh", coin_emami: "sekkeh", coin_bahar: "bahar", coin_half: "nim", coin_quarter: "rob" },
    ...{ coin_gram: "gerami", usdt_rial: "usdt" },
  },
};

/** Thousands separators, rial, and the sign of the change in a field of its own. */
const tgju: Written = {
  kind: "http",
  requests: [{ url: "https://call1.tgju.org/ajax.json", lists: [{ path: "current", shape: "map" }] }],
  fields: {
    price: "p",
    high: "h",
    low: "l",
    changePercent: "dp",
    direction: { path: "dt", down: ["low"] },
    time: "ts",
  },
  unit: "rial",
  unitOfKey: { ons: "usd", silver: "usd" },
  time: "tehranLocal",
  minSeconds: 10,
  keys: {
    ...{ usd_sell: "price_dollar_rl", eur_sell: "price_eur", gbp_sell: "price_gbp", aed_sell: "price_aed" },
    ...{ try_sell: "price_try", chf_sell: "price_chf", cad_sell: "price_cad", aud_sell: "price_aud" },
    ...{ cny_sell: "price_cny", jpy_sell: "price_jpy", sar_sell: "price_sar", kwd_sell: "price_kwd" },
    ...{ iqd_sell: "price_iqd", rub_sell: "price_rub", inr_sell: "price_inr", gold_18k: "geram18" },
    ...{ gold_24k: "geram24", gold_mesghal: "mesghal", gold_ounce: "ons", silver_gram: "silver_999" },
    ...{ silver_ounce: "silver", coin_emami: "sekee", coin_bahar: "sekeb", coin_half: "nim", coin_quarter: "rob" },
    ...{ coin_gram: "gerami" },
  },
};

/** Markets of an exchange in rial, 20 requests a minute. */
const nobitex: Written = {
  kind: "http",
  requests: [{ url: "https://apiv2.nobitex.ir/market/stats", lists: [{ path: "stats", shape: "map" }] }],
  fields: { price: "latest", high: "dayHigh", low: "dayLow", changePercent: "dayChange", volume: "volumeSrc" },
  unit: "rial",
  time: "none",
  keys: { btc_rial: "btc-rls", usdt_rial: "usdt-rls" },
};

const venue: Written = { kind: "venue", refreshSeconds: 10 };
const feed: Written = {
  kind: "feed",
  source: "binance",
  keys: Object.fromEntries(
    ["btc", "eth", "bnb", "sol", "xrp", "ada", "doge", "trx", "ton"].map((code) => [code, `${code}usdt`]),
  ),
  refreshSeconds: 10,
};
const demo: Written = { kind: "demo", refreshSeconds: 10, seed: 1403 };

export const INCLUDED_PROVIDERS: readonly IncludedProvider[] = [
  { provider: "demo", name: "Demo", enabled: true, description: providerDescriptionSchema.parse(demo) },
  { provider: "venue", name: "This venue", enabled: false, description: providerDescriptionSchema.parse(venue) },
  { provider: "feed", name: "Market feed", enabled: false, description: providerDescriptionSchema.parse(feed) },
  {
    provider: "persianapi",
    name: "PersianAPI",
    enabled: false,
    description: providerDescriptionSchema.parse(persianApi),
  },
  { provider: "brsapi", name: "BrsApi", enabled: false, description: providerDescriptionSchema.parse(brsApi) },
  { provider: "navasan", name: "Navasan", enabled: false, description: providerDescriptionSchema.parse(navasan) },
  { provider: "tgju", name: "TGJU", enabled: false, description: providerDescriptionSchema.parse(tgju) },
  { provider: "nobitex", name: "Nobitex", enabled: false, description: providerDescriptionSchema.parse(nobitex) },
];

function symbols(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name.toLowerCase(), name]));
}

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A price provider on loopback that answers like a real one, traps included. Payloads are our own, of the shapes that
 * the providers use.
 */
export type FakeProvider = {
  /** `http://127.0.0.1:port`. */
  readonly url: string;
  readonly host: string;
  /** Path and query of every request, and its headers. */
  readonly requests: readonly { readonly url: string; readonly headers: IncomingMessage["headers"] }[];
  /** Its answer from now on. */
  readonly answerWith: (answer: FakeAnswer) => void;
  readonly stop: () => Promise<void>;
};

export type FakeAnswer = (request: { readonly path: string }, response: ServerResponse) => void;

export async function startFakeProvider(first: FakeAnswer): Promise<FakeProvider> {
  let answer = first;
  const requests: { url: string; headers: IncomingMessage["headers"] }[] = [];
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? "", headers: request.headers });
    answer({ path: (request.url ?? "").split("?")[0] ?? "" }, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}`,
    host,
    requests,
    answerWith: (next) => {
      answer = next;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close").catch(() => {});
    },
  };
}

const json = (body: unknown): FakeAnswer => text(JSON.stringify(body));
const text =
  (body: string): FakeAnswer =>
  (_request, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(body);

/** Each shape as its provider sends it. */
export const SHAPES = {
  /** Three envelopes by path; the price is text, the change a percentage with its sign, the time local without a zone. */
  persianApi: (usd = "1135200"): FakeAnswer =>
    byPath({
      "/web-service/common/gold-currency-coin": {
        result: [
          {
            key: 137202,
            category: "ارز آزاد",
            title: "دلار",
            price: usd,
            change: "+0.14",
            high: "1141500",
            low: "1132800",
            created_at: "2025-11-20 16:59:58",
          },
          {
            key: 137203,
            category: "ارز آزاد",
            title: "یورو",
            price: "۱٬۳۱۴٬۵۰۰",
            change: "-0.31",
            high: "",
            low: "0",
            created_at: "",
          },
        ],
      },
      "/web-service/digitalcurrency": {
        result: {
          list: [
            {
              id: 1,
              name: "Bitcoin",
              symbol: "BTC",
              slug: "bitcoin",
              price: 91850.123456789,
              price_irt: "104280000000",
              high24h: 92000,
              low24h: 90000,
              percentChange24h: -1.25,
            },
          ],
        },
      },
      "/web-service/forex": { result: { data: [], total: 0, per_page: 50 } },
    }),
  /** Toman or dollar by row; numbers in two lists and text in the third; the yen per hundred. */
  brsApi: (): FakeAnswer =>
    json({
      gold: [
        {
          date: "1404/04/27",
          time: "23:36",
          time_unix: 1_752_869_160,
          symbol: "IR_GOLD_18K",
          name_en: "18K Gold",
          name: "طلای 18 عیار",
          price: 7_081_800,
          change_value: -12_000,
          change_percent: -0.17,
          unit: "تومان",
        },
      ],
      currency: [
        {
          date: "1404/04/27",
          time: "23:36",
          time_unix: 1_752_869_160,
          symbol: "USD",
          name_en: "US Dollar",
          price: 87_250,
          change_value: 250,
          change_percent: 0.29,
          unit: "تومان",
        },
        {
          date: "1404/04/27",
          time: "23:36",
          time_unix: 1_752_869_160,
          symbol: "JPY",
          name_en: "Japanese Yen",
          price: 58_800,
          change_value: 0,
          change_percent: 0,
          unit: "تومان",
        },
        {
          date: "1404/04/27",
          time: "23:36",
          time_unix: 1_752_869_160,
          symbol: "EUR",
          name_en: "Euro",
          price: 0,
          change_value: 0,
          change_percent: 0,
          unit: "یورو",
        },
      ],
      cryptocurrency: [
        {
          date: "1404/04/27",
          time: "23:36",
          time_unix: 1_752_869_160,
          symbol: "BTC",
          name_en: "Bitcoin",
          price: "118250.57",
          change_percent: 0.81,
          unit: "دلار",
        },
      ],
    }),
  /** A map with an empty key and entries of another shape. */
  navasan: (): FakeAnswer =>
    text(
      '{"usd_sell":{"value":"113520","change":1585,"timestamp":1737016260,"date":"1403-10-27 12:01:00"},"":{"value":"1","change":0,"timestamp":0,"date":""},' +
        '"sekkeh":{"value":"58,450,000","change":-50000,"timestamp":1737016260,"date":"1403-10-27 12:01:00"},"18ayar":{"value":"","change":0,"timestamp":1737016260},' +
        '"bub_sekkeh":{"change_val":1,"change_pct":2,"time":"12:00","date":"1403-10-27"},"nim":{"value":"not-a-number","change":0,"timestamp":1737016260},"eur":{"value":0,"change":0,"timestamp":1737016260}}',
    ),
  /** Thousands separators, the sign of the change in a word, values that are none. */
  tgju: (): FakeAnswer =>
    json({
      current: {
        price_dollar_rl: {
          p: "1,064,500",
          h: "1,070,000",
          l: "1,060,200",
          d: "250",
          dp: 0.59,
          dt: "low",
          t: "14:25:11",
          ts: "2026-10-03 15:04:00",
        },
        price_eur: { p: "0", h: "0", l: "0", d: "0", dp: 0, dt: "", t: "", ts: "" },
        price_gbp: { p: "", h: "", l: "", d: "", dp: "", dt: "", t: "", ts: "" },
        price_aed: { p: "not-a-number", h: "-", l: "-", d: "-", dp: "-", dt: "-", t: "-", ts: "-" },
        geram18: {
          p: "104,250,000",
          h: "104,900,000",
          l: "103,800,000",
          d: "120,000",
          dp: 0.12,
          dt: "high",
          t: "14:25:11",
          ts: "2026-10-03 15:04:00",
        },
        ons: {
          p: "4,078.40",
          h: "4,090.1",
          l: "4,050",
          d: "3",
          dp: 0.07,
          dt: "high",
          t: "14:25:11",
          ts: "2026-10-03 15:04:00",
        },
      },
    }),
  /** Texts in rial, the change a percentage. */
  nobitex: (): FakeAnswer =>
    json({
      status: "ok",
      stats: {
        "btc-rls": {
          isClosed: false,
          bestSell: "104300000000",
          bestBuy: "104250000000",
          volumeSrc: "12.34567",
          volumeDst: "1287000000000",
          latest: "104280000000",
          mark: "104281000000",
          dayLow: "103000000000",
          dayHigh: "105000000000",
          dayOpen: "103900000000",
          dayClose: "104280000000",
          dayChange: "0.37",
        },
        "usdt-rls": {
          isClosed: true,
          latest: "1137900",
          dayLow: "1130000",
          dayHigh: "1140000",
          dayOpen: "1131000",
          dayClose: "1137900",
          dayChange: "0.61",
        },
      },
    }),
} as const;

function byPath(bodies: Readonly<Record<string, unknown>>): FakeAnswer {
  return ({ path }, response) => {
    const body = bodies[path];
    response
      .writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" })
      .end(JSON.stringify(body ?? {}));
  };
}

/** How providers fail. */
export const FAILURES = {
  page: text("<html><body>Sign in</body></html>"),
  cut: text('{"current":{"price_dollar_rl":{"p":"1,06'),
  otherShape: json({ status: "error", message: "expired" }),
  tooMany: (_request: unknown, response: ServerResponse) =>
    void response.writeHead(429, { "retry-after": "600" }).end(),
  redirect: (_request: unknown, response: ServerResponse) =>
    void response.writeHead(302, { location: "http://169.254.169.254/" }).end(),
  hang: () => {},
  reset: (_request: unknown, response: ServerResponse) => void response.destroy(),
  huge: (_request: unknown, response: ServerResponse) =>
    void response.writeHead(200).end(Buffer.alloc(5 * 1024 * 1024, 32)),
} as const satisfies Record<string, FakeAnswer>;

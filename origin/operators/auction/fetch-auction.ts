import { z } from "zod";
import {
  type PublishedAuction,
  publishedAuctionSchema,
  publishedOrderSchema,
  publishedTradeSchema,
} from "./check-auction.ts";

/** The record of an opening from the venue's public addresses, page by page. Throws with a sentence if it is not there. */
export async function fetchAuction({ url, pair, number, headers = {} }: Asked): Promise<PublishedAuction> {
  const base = new URL(`/api/v1/market/${pair}/auctions/${number}`, url).href;
  const getJson = (address: string) => getPage(address, headers);
  const record = publishedAuctionSchema.parse(await getJson(base));
  const orders: PublishedAuction["orders"][number][] = [];
  while (orders.length < record.orders) {
    const page = orderPageSchema.parse(await getJson(`${base}/orders?from=${orders.length}`));
    if (page.orders.length === 0) throw new Error(`The page of orders from ${orders.length} on is empty.`);
    orders.push(...page.orders);
  }
  const trades: PublishedAuction["trades"][number][] = [];
  for (let after: string | null = "0"; after !== null; ) {
    const page: z.output<typeof tradePageSchema> = tradePageSchema.parse(
      await getJson(`${base}/trades?after=${after}`),
    );
    trades.push(...page.trades);
    after = page.nextAfter;
  }
  return { record, orders, trades };
}

type Asked = {
  readonly url: string;
  readonly pair: string;
  readonly number: number;
  /** Of a venue that is reached past its gate. */
  readonly headers?: Readonly<Record<string, string>>;
};

const orderPageSchema = z.looseObject({ orders: z.array(publishedOrderSchema) });
const tradePageSchema = z.looseObject({ trades: z.array(publishedTradeSchema), nextAfter: z.string().nullable() });

/** The public limit may ask for a pause; a large record has hundreds of pages. */
const ATTEMPTS_MAX = 30;

async function getPage(url: string, headers: Readonly<Record<string, string>>): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url, { headers: { ...headers, accept: "application/json" } });
    if (response.ok) return response.json();
    if (response.status !== 429 || attempt === ATTEMPTS_MAX) {
      const problem = (await response.json().catch(() => ({}))) as { readonly title?: string };
      throw new Error(`${url} answers ${response.status}: ${problem.title ?? "no reason given"}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000 * Number(response.headers.get("retry-after") ?? 1)));
  }
}

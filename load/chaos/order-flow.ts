import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Random } from "../../kit/random.ts";
import { askControl } from "../../origin/operators/ask-control.ts";
import { openVenueClient, problemOf, type VenueClient } from "../../origin/operators/demo/venue-client.ts";
import { newSecret, systemRandom } from "../../shared/ids.ts";

/** Two traders who trade with each other during every fault, and remember each acknowledged order. */
export type OrderFlow = {
  /** How many orders were acknowledged since the flow began. */
  readonly acknowledged: () => number;
  /** The answer to the last order that was not acknowledged. */
  readonly lastRefusal: () => string;
  /** Forgets the remembered orders: `lost` looks for later ones only. */
  readonly forget: () => Promise<void>;
  /** Sends unanswered orders again under the same name; returns how many are still unanswered. */
  readonly settle: (withinMs: number) => Promise<number>;
  /** The remembered orders that the venue does not know. */
  readonly lost: (withinMs: number) => Promise<readonly string[]>;
  readonly stop: () => Promise<void>;
};

type FlowOptions = {
  readonly folder: string;
  readonly urls: readonly string[];
  readonly random: Random;
  readonly everyMs: number;
};

const NAMES = ["chaos_anna", "chaos_ben"] as const;
const DEPOSITS = { idr: "1000000000000", btc: "10000" };
const PRICE = 1_600_000_000;
const PRICE_STEP = 1_000;
const PRICE_STEPS = 20;
const RESTING_SHARE = 0.25;
/** More would only queue up at a venue that does not answer. */
const UNDER_WAY_MAX = 40;
const TRY_AGAIN_MS = 300;

const orderSchema = z.object({ id: z.string() });

export async function startOrderFlow({ folder, urls, random, everyMs }: FlowOptions): Promise<OrderFlow> {
  const clients = await Promise.all(
    NAMES.map((name, index) => openTrader({ folder, url: urls[index % urls.length] ?? "", name })),
  );
  const known = new Map<string, { readonly client: VenueClient; readonly id: string }>();
  const unanswered = new Map<string, { readonly client: VenueClient; readonly order: object }>();
  let count = 0;
  let total = 0;
  let underWay = 0;
  let isOver = false;
  let lastRefusal = "none";

  async function place(client: VenueClient, order: object, name: string): Promise<void> {
    underWay++;
    try {
      const { status, body } = await client.call("POST", "/orders", order);
      if (status === 201 || status === 200) {
        known.set(name, { client, id: orderSchema.parse(body).id });
        total++;
      }
      if (status >= 300) lastRefusal = problemOf({ status, body });
      // After 202 and 5xx the outcome is unknown; every other status is final.
      if (status === 202 || status >= 500) unanswered.set(name, { client, order });
      else unanswered.delete(name);
    } catch (error) {
      lastRefusal = String(error);
      unanswered.set(name, { client, order });
    } finally {
      underWay--;
    }
  }

  function next(client: VenueClient): void {
    const name = `chaos-${count++}`;
    const side = random.chance(0.5) ? "buy" : "sell";
    const price = String(PRICE + random.between(-PRICE_STEPS, PRICE_STEPS) * PRICE_STEP);
    // Most are IOC: a book that only grows would reach the limit of open orders per user.
    const timeInForce = random.chance(RESTING_SHARE) ? "GTC" : "IOC";
    const order = { pair: "btcidr", side, type: "limit", timeInForce, price, quantity: "0.001", clientOrderId: name };
    void place(client, order, name);
  }

  const timer = setInterval(() => {
    const client = clients[count % clients.length];
    if (!isOver && client !== undefined && underWay < UNDER_WAY_MAX) next(client);
  }, everyMs);

  async function settle(withinMs: number): Promise<number> {
    const deadline = performance.now() + withinMs;
    while (unanswered.size > 0 && performance.now() < deadline) {
      await Promise.all(
        [...unanswered].slice(0, UNDER_WAY_MAX).map(([name, { client, order }]) => place(client, order, name)),
      );
      if (unanswered.size > 0) await sleep(TRY_AGAIN_MS);
    }
    return unanswered.size;
  }

  async function lost(withinMs: number): Promise<readonly string[]> {
    const found = await Promise.all(
      [...known].map(async ([name, { client, id }]) => ({ name, id, end: await lookFor(client, id, withinMs) })),
    );
    return found.filter(({ end }) => end !== "there").map(({ name, id, end }) => `${name} (${id}) is ${end}`);
  }

  return {
    acknowledged: () => total,
    lastRefusal: () => lastRefusal,
    async forget() {
      known.clear();
      await Promise.all(clients.map((client) => client.call("DELETE", "/orders?pair=btcidr").catch(() => undefined)));
    },
    settle,
    lost,
    async stop() {
      isOver = true;
      clearInterval(timer);
      while (underWay > 0) await sleep(TRY_AGAIN_MS);
    },
  };
}

/** 404 means gone; without an answer the order is read again. */
async function lookFor(
  client: VenueClient,
  orderId: string,
  withinMs: number,
): Promise<"there" | "gone" | "unreadable"> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    const status = await client.call("GET", `/orders/${orderId}`).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return "there";
    if (status === 404) return "gone";
    await sleep(TRY_AGAIN_MS);
  }
  return "unreadable";
}

async function openTrader({ folder, url, name }: { folder: string; url: string; name: string }): Promise<VenueClient> {
  const password = newSecret(systemRandom);
  await askControl(folder, "/users", { username: name, email: `${name}@chaos.invalid`, password });
  const client = await openVenueClient({ url, username: name, password });
  for (const [currency, amount] of Object.entries(DEPOSITS)) {
    await askControl(folder, "/deposits", { userId: client.userId, currency, amount, reference: `chaos:${currency}` });
  }
  return client;
}

import { expect, vi } from "vitest";
import { COMMAND_LINE } from "../../origin/accounts/admin/audit.ts";
import type { AccessEntry, Asker } from "./access-entries.ts";

/**
 * The access matrix's entries for trading: orders, wallets, pairs. Each user is funded first, and orders rest far from
 * the market price.
 */

let made = 0;
/** Padded, so that none is the beginning of another. */
const newReference = () => `matrix-${String(made++).padStart(4, "0")}`;

const FUNDS = { idr: "100000000", btc: "1000" };

async function deposit({ venue }: Asker, userId: string, reference = newReference()): Promise<string> {
  for (const [currency, amount] of Object.entries(FUNDS)) {
    const done = await venue.deposit(COMMAND_LINE, { userId, currency, amount, reference: `${reference}-${currency}` });
    if (!done.ok) throw new Error(`no deposit of ${currency}: ${done.reason}`);
  }
  return `${reference}-idr`;
}

const fund = (asker: Asker) => deposit(asker, asker.userId);

const newOrder = () => ({
  pair: "btcidr",
  side: "buy",
  type: "limit",
  price: "500000000",
  quantity: "0.0001",
  clientOrderId: newReference(),
});

async function placed(asker: Asker): Promise<{ readonly orderId: string; readonly clientOrderId: string }> {
  await fund(asker);
  const json = newOrder();
  const { status, body } = await asker.venue.call("POST", "/orders", { token: asker.token, json });
  if (status !== 201) throw new Error(`an order was refused: ${body.code}`);
  return { orderId: String(body["id"]), clientOrderId: json.clientOrderId };
}

const newList = () => {
  const { clientOrderId: clientListId, pair, ...working } = newOrder();
  const pending = { ...working, side: "sell", price: "600000000" };
  return { type: "oto", pair, working, pending, clientListId };
};

async function placedList(asker: Asker): Promise<{ readonly listId: string; readonly clientListId: string }> {
  await fund(asker);
  const json = newList();
  const { status, body } = await asker.venue.call("POST", "/order-lists", { token: asker.token, json });
  if (status !== 201) throw new Error(`a list was refused: ${body.code}`);
  return { listId: String(body["id"]), clientListId: json.clientListId };
}

/** A unique quantity, bought from another user. */
async function traded(asker: Asker): Promise<string> {
  const quantity = "0.01237";
  await fund(asker);
  const seller = await asker.venue.register(`seller_${made++}`);
  await deposit(asker, (seller.body["user"] as { id: string }).id);
  for (const [token, side] of [
    [seller.body.accessToken, "sell"],
    [asker.token, "buy"],
  ]) {
    const json = { ...newOrder(), price: "550000000", side, quantity };
    const { status, body } = await asker.venue.call("POST", "/orders", { token, json });
    if (status !== 201) throw new Error(`an order was refused: ${body.code}`);
  }
  return quantity;
}

/** The average price with fees of everything that was bought, once market data shows it. */
async function held(asker: Asker): Promise<string> {
  await traded(asker);
  const average = "551102204.4";
  const positions = async () => (await asker.venue.call("GET", "/positions", { token: asker.token })).text;
  await vi.waitFor(async () => expect(await positions()).toContain(average), 10_000);
  return average;
}

/** Summaries are there from the first second on. */
async function summarised({ venue }: Asker) {
  await vi.waitFor(async () => expect((await venue.call("GET", "/market/summary")).status).toBe(200), 10_000);
  return {};
}

/** A unique amount, in a currency that no other entry uses. */
async function saved({ venue, userId }: Asker): Promise<string> {
  const amount = "7.654321";
  const done = await venue.deposit(COMMAND_LINE, { userId, currency: "eth", amount, reference: newReference() });
  if (!done.ok) throw new Error(`no deposit: ${done.reason}`);
  return amount;
}

const MOVEMENT = { currency: "idr", amount: "1" };
const TERMS = {
  baseCurrency: "btc",
  quoteCurrency: "idr",
  tickSize: "1000",
  lotSize: "0.00001",
  minimumValue: "10000",
  makerFeeRate: "0.001",
  takerFeeRate: "0.002",
  priceBandRate: "0.2",
  isTrading: true,
};

/** Public, and the same for everyone: there is none. */
const NO_AUCTION_YET: AccessEntry = {
  isPublic: true,
  request: () => ({ params: { pair: "btcidr", number: "1" } }),
  status: 404,
};

export const TRADING_ACCESS_ENTRIES: Readonly<Record<string, AccessEntry>> = {
  placeOrder: {
    request: async (asker) => {
      await fund(asker);
      return { json: newOrder() };
    },
  },
  placeOrders: {
    request: async (asker) => {
      await fund(asker);
      return { json: { orders: [newOrder()] } };
    },
  },
  listOrders: { shows: async (asker) => (await placed(asker)).clientOrderId },
  readOrder: {
    request: async (asker) => ({ params: { orderId: (await placed(asker)).orderId } }),
    hidden: "order_not_found",
  },
  cancelOrder: {
    request: async (asker) => ({ params: { orderId: (await placed(asker)).orderId } }),
    hidden: "order_not_found",
  },
  cancelOrderByClientId: {
    request: async (asker) => ({ params: { clientOrderId: (await placed(asker)).clientOrderId } }),
    hidden: "order_not_found",
  },
  cancelOrders: {},
  amendOrder: {
    request: async (asker) => ({
      params: { orderId: (await placed(asker)).orderId },
      json: { quantity: "0.00005" },
    }),
    hidden: "order_not_found",
  },
  replaceOrder: {
    request: async (asker) => ({
      params: { orderId: (await placed(asker)).orderId },
      json: { order: newOrder() },
    }),
    hidden: "order_not_found",
  },
  replaceOrderByClientId: {
    request: async (asker) => ({
      params: { clientOrderId: (await placed(asker)).clientOrderId },
      json: { order: newOrder() },
    }),
    hidden: "order_not_found",
  },
  cancelAfter: { request: () => ({ json: { seconds: 0 } }) },
  placeOrderList: {
    request: async (asker) => {
      await fund(asker);
      return { json: newList() };
    },
  },
  listOrderLists: { shows: async (asker) => (await placedList(asker)).clientListId },
  readOrderList: {
    request: async (asker) => ({ params: { listId: (await placedList(asker)).listId } }),
    hidden: "list_not_found",
  },
  cancelOrderList: {
    request: async (asker) => ({ params: { listId: (await placedList(asker)).listId } }),
    hidden: "list_not_found",
  },
  cancelOrderListByClientId: {
    request: async (asker) => ({ params: { clientListId: (await placedList(asker)).clientListId } }),
    hidden: "list_not_found",
  },
  // Only a command that was answered with 202 can be read, which a healthy engine does not do: `trading-outage.test.ts`
  // covers owner and stranger.
  readCommand: { request: () => ({ params: { commandId: "x" } }), hidden: "command_not_found", status: 404 },
  listTrades: { shows: traded },
  listPositions: { shows: held },
  readWallet: { shows: saved },
  readWalletHistory: { shows: fund },
  readBalance: { request: () => ({ params: { currency: "idr" } }), isOwnOfEachUser: true },
  withdraw: {
    request: async (asker) => {
      await fund(asker);
      return { json: { ...MOVEMENT, reference: newReference() } };
    },
  },
  deposit: {
    request: ({ otherUserId }) => ({ json: { ...MOVEMENT, userId: otherUserId, reference: newReference() } }),
  },
  transfer: {
    request: async (asker) => {
      await deposit(asker, asker.otherUserId);
      return { json: { ...MOVEMENT, from: asker.otherUserId, to: "house", reference: newReference() } };
    },
  },
  listPairs: { isPublic: true },
  readBook: { isPublic: true, request: () => ({ params: { pair: "btcidr" } }) },
  listPairTrades: { isPublic: true, request: () => ({ params: { pair: "btcidr" } }) },
  readAuction: { isPublic: true, request: () => ({ params: { pair: "btcidr" } }) },
  ...Object.fromEntries(
    ["readAuctionRecord", "listAuctionOrders", "listAuctionTrades"].map((id) => [id, NO_AUCTION_YET]),
  ),
  listSummaries: { isPublic: true, request: summarised },
  readSummary: {
    isPublic: true,
    request: async (asker) => ({ ...(await summarised(asker)), params: { pair: "btcidr" } }),
  },
  listPumpScores: { isPublic: true },
  listGaps: { isPublic: true },
  readChart: { isPublic: true, request: () => ({ params: { pair: "btcidr" } }) },
  udfConfig: { isPublic: true },
  udfTime: { isPublic: true },
  udfSymbol: { isPublic: true, request: () => ({ query: "?symbol=BTCIDR" }) },
  udfSearch: { isPublic: true },
  udfHistory: { isPublic: true, request: () => ({ query: "?symbol=BTCIDR&resolution=60&to=2000000000" }) },
  listCandles: { isPublic: true, request: () => ({ params: { pair: "btcidr" } }) },
  readPair: { request: () => ({ params: { pair: "btcidr" } }) },
  replacePair: { request: () => ({ params: { pair: "btcidr" }, json: TERMS }) },
  addCurrency: { request: () => ({ params: { currency: "idr" }, json: { scale: 2 } }) },
};

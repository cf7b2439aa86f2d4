import { expect } from "vitest";
import { COMMAND_LINE } from "../../origin/accounts/admin/audit.ts";
import { type Answer, type CallOptions, passwordOf, startVenue, type TestVenue } from "./venue.ts";

/** A venue that trades, with an admin and funded users. */
export type TradingVenue = TestVenue & {
  readonly adminToken: string;
  /** A user with these balances. */
  readonly trader: (name: string, balances?: Readonly<Record<string, string>>) => Promise<Trader>;
};

export type Trader = {
  readonly id: string;
  readonly token: string;
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<Answer>;
  /** A limit order in btcidr by default. */
  readonly place: (order: Readonly<Record<string, unknown>>) => Promise<Answer>;
  readonly balance: (currency: string) => Promise<Readonly<Record<string, string>>>;
};

export async function startTradingVenue(options?: Parameters<typeof startVenue>[1]): Promise<TradingVenue> {
  const venue = await startVenue("server", options);
  await venue.accounts.createBy(COMMAND_LINE, {
    username: "boss",
    email: "boss@example.test",
    password: passwordOf("boss"),
    role: "admin",
  });
  const adminToken = (await venue.login("boss")).body.accessToken ?? "";
  return {
    ...venue,
    adminToken,
    trader: (name, balances) => openTrader(venue, { name, balances: balances ?? {}, adminToken }),
  };
}

type NewTrader = {
  readonly name: string;
  readonly balances: Readonly<Record<string, string>>;
  readonly adminToken: string;
};

async function openTrader(venue: TestVenue, { name, balances, adminToken }: NewTrader): Promise<Trader> {
  const { body } = await venue.register(name);
  const token = body.accessToken ?? "";
  const { id } = body["user"] as { id: string };
  for (const [currency, amount] of Object.entries(balances)) {
    const json = { userId: id, currency, amount, reference: `first-${currency}` };
    const answer = await venue.call("POST", "/admin/wallet/deposits", { token: adminToken, json });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  }
  const call: Trader["call"] = (method, path, options) => venue.call(method, path, { token, ...options });
  return {
    id,
    token,
    call,
    place: (order) => call("POST", "/orders", { json: { pair: "btcidr", type: "limit", ...order } }),
    balance: async (currency) => (await call("GET", `/wallet/${currency}`)).body as Readonly<Record<string, string>>,
  };
}

/** The messages of a problem, by field. */
export function fieldsOf({ body }: Answer): Readonly<Record<string, string>> {
  const errors = (body["errors"] ?? []) as readonly { field: string; message: string }[];
  return Object.fromEntries(errors.map(({ field, message }) => [field, message]));
}

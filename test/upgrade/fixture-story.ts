import { type Answer, eventually, type FixtureVenue, kill } from "./fixture-venue.ts";
import { MARKET_PATHS, type Recorded, type RecordedUser, USER_PATHS, withoutMoment } from "./recorded.ts";

type Person = Omit<RecordedUser, "answers" | "named"> & {
  readonly token: string;
  readonly named: RecordedUser["named"][number][];
};
type Order = Readonly<Record<string, unknown>>;

const PASSWORD = "a long password of fixtures";

/**
 * The story of the fixture: the tables hold the first part, the ledger the second, only the journal the third, only the
 * stream the last.
 */
export async function playStory(venue: FixtureVenue): Promise<readonly Person[]> {
  const api = await venue.start("api");
  const engine = await venue.start("engine");
  let worker = await venue.start("worker");
  venue.sluice(
    ["admin", "create", "--username", "boss", "--email", "boss@example.test", "--password-stdin"],
    `${PASSWORD}\n`,
  );
  const admin = await eventually(() => signIn(venue, "boss"));
  const people = [await register(venue, "anna"), await register(venue, "ben"), await register(venue, "carol")] as const;
  const [anna, ben, carol] = people;
  const place = (person: Person, order: Order) => placeOrder(venue, person, order);
  const deposit = async (person: Person, currency: string, amount: string, reference: string) =>
    expect(
      201,
      await venue.call("POST", "/admin/wallet/deposits", {
        token: admin,
        json: { userId: person.id, currency, amount, reference },
      }),
    );

  // 1. In the tables.
  for (const person of people) {
    await deposit(person, "idr", "50000000000", "first-idr");
    await deposit(person, "btc", "10", "first-btc");
    await deposit(person, "eth", "100.5", "first-eth");
  }
  await place(anna, {
    pair: "btcidr",
    side: "sell",
    price: "1000000000",
    quantity: "0.5",
    clientOrderId: "anna-rests",
  });
  await place(anna, { pair: "btcidr", side: "sell", price: "1001000000", quantity: "0.25" });
  await place(ben, { pair: "btcidr", side: "buy", price: "1000000000", quantity: "0.2", clientOrderId: "ben-filled" });
  await place(ben, { pair: "btcidr", side: "buy", price: "990000000", quantity: "0.3", clientOrderId: "ben-open" });
  const gone = await place(carol, {
    pair: "btcidr",
    side: "buy",
    price: "980000000",
    quantity: "0.1",
    clientOrderId: "carol-cancelled",
  });
  expect(200, await venue.call("DELETE", `/orders/${gone}`, { token: carol.token }));
  await place(carol, { pair: "btcidr", side: "buy", type: "market", quoteAmount: "55000000" });
  await place(anna, { pair: "ethidr", side: "sell", price: "50000000", quantity: "2.5" });
  await place(carol, { pair: "ethidr", side: "buy", price: "50000000", quantity: "2.5" });
  // Nothing is open in ethidr: its ticks may change.
  const terms = { baseCurrency: "eth", quoteCurrency: "idr", tickSize: "500", lotSize: "0.001", minimumValue: "20000" };
  const rates = { makerFeeRate: "0.0005", takerFeeRate: "0.0015", priceBandRate: "0.3", isTrading: true };
  await eventually(async () => {
    const answer = await venue.call("PUT", "/admin/pairs/ethidr", { token: admin, json: { ...terms, ...rates } });
    return answer.status === 200 ? answer : undefined;
  });
  await eventually(() =>
    placeOrder(venue, ben, {
      pair: "ethidr",
      side: "buy",
      price: "49000500",
      quantity: "1.001",
      clientOrderId: "ben-eth",
    }),
  );
  for (let step = 1; step <= 12; step++) {
    await place(carol, {
      pair: "btcidr",
      side: "sell",
      price: String(1_010_000_000 + step * 1_000_000),
      quantity: "0.01",
    });
    await place(anna, { pair: "btcidr", side: "buy", price: String(970_000_000 - step * 1_000_000), quantity: "0.02" });
  }
  expect(
    201,
    await venue.call("POST", "/wallet/withdrawals", {
      token: ben.token,
      json: { currency: "btc", amount: "0.75", reference: "ben-out" },
    }),
  );
  const dave = await register(venue, "dave");
  await deposit(dave, "idr", "700", "first-idr");
  expect(200, await venue.call("PATCH", `/admin/users/${dave.id}`, { token: admin, json: { status: "suspended" } }));
  await worker.stop();

  // 2. In the ledger, and not in the tables: the worker is killed.
  worker = await venue.start("worker");
  const moved = { from: anna.id, to: carol.id, currency: "eth", amount: "1.25", reference: "anna-carol" };
  expect(201, await venue.call("POST", "/admin/wallet/transfers", { token: admin, json: moved }));
  await place(carol, { pair: "ethidr", side: "sell", price: "49000500", quantity: "0.4", clientOrderId: "carol-eth" });
  await place(anna, { pair: "btcidr", side: "sell", type: "market", quantity: "0.05", clientOrderId: "anna-market" });
  // The last answer is projected, and an audit waits until the ledger has reached it.
  expect(200, await venue.call("GET", "/trades?limit=1", { token: anna.token }));
  venue.sluice(["audit"]);
  await kill(worker);

  // 3. Only in the journal: nothing follows it.
  await place(ben, { pair: "btcidr", side: "buy", price: "1001000000", quantity: "0.6", clientOrderId: "ben-tail" });
  await place(carol, { pair: "ethidr", side: "buy", price: "48000000", quantity: "3", clientOrderId: "carol-tail" });
  await deposit(anna, "idr", "1234.56", "anna-tail");
  expect(200, await venue.call("DELETE", "/orders/client/ben-eth", { token: ben.token }));

  // 4. Only in the stream: it is not executed.
  await kill(engine);
  const late = await Promise.all([
    venue.call("POST", "/orders", {
      token: anna.token,
      json: { pair: "ethidr", side: "sell", type: "limit", price: "48000000", quantity: "1.5" },
    }),
    venue.call("POST", "/wallet/withdrawals", {
      token: carol.token,
      json: { currency: "idr", amount: "1000", reference: "carol-late" },
    }),
  ]);
  for (const answer of late) expect(202, answer);
  await api.stop();
  return people;
}

/** Lets the rest happen, and records every answer of the API. */
export async function recordAnswers(
  venue: FixtureVenue,
  people: readonly Person[],
  version: string,
): Promise<Recorded> {
  const all = await venue.start("api,engine,worker");
  // The last of it is the withdrawal that was not executed.
  const late = await eventually(() => signIn(venue, "carol"));
  await eventually(async () => {
    const { body } = await venue.call("GET", "/wallet/history?limit=1", { token: late });
    return JSON.stringify(body).includes("carol-late") ? true : undefined;
  });
  const market: Record<string, unknown> = {};
  for (const path of MARKET_PATHS) market[path] = withoutMoment(path, (await venue.call("GET", path)).body);
  const users: RecordedUser[] = [];
  for (const { token: _ended, named, ...person } of people) {
    const token = await eventually(() => signIn(venue, person.name));
    const answers: Record<string, unknown> = {};
    for (const path of USER_PATHS) answers[path] = (await venue.call("GET", path, { token })).body;
    const orders = (answers["/orders?limit=100"] as { orders: readonly { id: unknown }[] }).orders;
    for (const { id } of orders)
      answers[`/orders/${String(id)}`] = (await venue.call("GET", `/orders/${String(id)}`, { token })).body;
    users.push({ ...person, answers, named });
  }
  const said = venue.sluice(["audit"]);
  if (!said.includes("Everything agrees")) throw new Error(said);
  await all.stop();
  return { version, atMs: Date.now(), users, market };
}

async function register(venue: FixtureVenue, name: string): Promise<Person> {
  const json = { username: name, email: `${name}@example.test`, password: PASSWORD };
  const { body } = expect(201, await venue.call("POST", "/auth/register", { json }));
  const token = String(body["accessToken"]);
  const { id } = body["user"] as { id: string };
  const key = { label: `${name}'s program`, permissions: ["info", "trade"] };
  const made = expect(201, await venue.call("POST", "/api-keys", { token, json: key }));
  return {
    name,
    id,
    password: PASSWORD,
    token,
    apiKey: { id: String(made.body["id"]), secret: String(made.body["secret"]) },
    named: [],
  };
}

async function signIn(venue: FixtureVenue, username: string): Promise<string | undefined> {
  const { status, body } = await venue.call("POST", "/auth/login", { json: { username, password: PASSWORD } });
  return status === 200 ? String(body["accessToken"]) : undefined;
}

async function placeOrder(venue: FixtureVenue, person: Person, order: Order): Promise<number> {
  const sent = { type: "limit", ...order };
  const { body } = expect(201, await venue.call("POST", "/orders", { token: person.token, json: sent }));
  const id = Number(body["id"]);
  if ("clientOrderId" in order) person.named.push({ id, sent });
  return id;
}

function expect(status: number, answer: Answer): Answer {
  if (answer.status !== status)
    throw new Error(`${answer.status} instead of ${status}: ${JSON.stringify(answer.body)}`);
  return answer;
}

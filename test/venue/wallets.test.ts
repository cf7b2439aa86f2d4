import { beforeAll, describe, expect, it } from "vitest";
import { fieldsOf, startTradingVenue, type TradingVenue } from "./trader.ts";
import type { Json } from "./venue.ts";

let venue: TradingVenue;

beforeAll(async () => {
  venue = await startTradingVenue();
});

const asAdmin = (method: string, path: string, json?: unknown) =>
  venue.call(method, path, { token: venue.adminToken, ...(json === undefined ? {} : { json }) });

describe("money", () => {
  it("is deposited by admins, frozen by orders and withdrawn by its owner, each once", async () => {
    const anna = await venue.trader("anna");
    const deposit = { userId: anna.id, currency: "idr", amount: "5000000.25", reference: "bank-1" };
    const first = await asAdmin("POST", "/admin/wallet/deposits", deposit);
    const again = await asAdmin("POST", "/admin/wallet/deposits", deposit);
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(first.body).toEqual({ currency: "idr", amount: "5000000.25", reference: "bank-1", from: null, to: anna.id });
    const other = await asAdmin("POST", "/admin/wallet/deposits", { ...deposit, amount: "6" });
    expect([other.status, other.body.code]).toEqual([409, "reference_reused"]);
    await anna.place({ side: "buy", price: "1000000000", quantity: "0.001" });
    expect(await anna.balance("idr")).toEqual({
      currency: "idr",
      available: "4000000.25",
      frozen: "1000000",
      total: "5000000.25",
    });
    const tooMuch = await anna.call("POST", "/wallet/withdrawals", {
      json: { currency: "idr", amount: "4000000.26", reference: "out-1" },
    });
    expect([tooMuch.status, tooMuch.body.code]).toEqual([409, "balance_insufficient"]);
    const withdrawal = { currency: "idr", amount: "4000000.25", reference: "out-1" };
    expect((await anna.call("POST", "/wallet/withdrawals", { json: withdrawal })).status).toBe(201);
    expect((await anna.call("POST", "/wallet/withdrawals", { json: withdrawal })).status).toBe(200);
    expect((await anna.call("GET", "/wallet")).body).toEqual({
      balances: [{ currency: "idr", available: "0", frozen: "1000000", total: "1000000" }],
    });
    const { body } = await anna.call("GET", "/wallet/history");
    expect(body["entries"]).toMatchObject([
      { kind: "withdrawal", direction: "out", currency: "idr", amount: "4000000.25", reference: "out-1" },
      { kind: "deposit", direction: "in", currency: "idr", amount: "5000000.25", reference: "bank-1" },
    ]);
  });

  it("is transferred by admins, and both sides see it immediately", async () => {
    const ben = await venue.trader("ben", { btc: "1" });
    const cora = await venue.trader("cora");
    const transfer = { from: ben.id, to: cora.id, currency: "btc", amount: "0.25", reference: "gift-1" };
    expect((await asAdmin("POST", "/admin/wallet/transfers", transfer)).status).toBe(201);
    expect([(await ben.balance("btc"))["available"], (await cora.balance("btc"))["available"]]).toEqual([
      "0.75",
      "0.25",
    ]);
    expect((await cora.call("GET", "/wallet/history")).body["entries"]).toMatchObject([
      { kind: "transfer", direction: "in", amount: "0.25" },
    ]);
    expect((await ben.call("GET", "/wallet/history")).body["entries"]).toMatchObject([
      { kind: "transfer", direction: "out" },
      { kind: "deposit", direction: "in" },
    ]);
    const self = await asAdmin("POST", "/admin/wallet/transfers", { ...transfer, to: ben.id });
    expect([self.status, Object.keys(fieldsOf(self))]).toEqual([422, ["to"]]);
    const stranger = await asAdmin("POST", "/admin/wallet/transfers", {
      ...transfer,
      to: "01890000-0000-7000-8000-000000000001",
    });
    expect(stranger.body.code).toBe("user_not_found");
    const poor = await asAdmin("POST", "/admin/wallet/transfers", {
      ...transfer,
      from: "house",
      to: ben.id,
      amount: "5",
    });
    expect(poor.body.code).toBe("balance_insufficient");
  });

  it("is a plain decimal of its currency, positive and within the maximum", async () => {
    const dora = await venue.trader("dora", { idr: "1000" });
    for (const amount of [
      "",
      " 12 ",
      "0x10",
      "1e3",
      "-1",
      "-0",
      "0",
      "1.234",
      "٣",
      1,
      true,
      ["1"],
      `0.${"0".repeat(18)}1`,
      "9".repeat(40),
    ]) {
      const answer = await dora.call("POST", "/wallet/withdrawals", {
        json: { currency: "idr", amount, reference: "bad" },
      });
      expect([amount, answer.status, Object.keys(fieldsOf(answer))]).toEqual([amount, 422, ["amount"]]);
    }
    const huge = await asAdmin("POST", "/admin/wallet/deposits", {
      userId: dora.id,
      currency: "btc",
      amount: "46116860185",
      reference: "huge",
    });
    expect([huge.status, huge.body.code]).toEqual([422, "amount_too_large"]);
    expect((await dora.call("GET", "/wallet/xyz")).body.code).toBe("currency_not_found");
    expect(await dora.balance("btc")).toEqual({ currency: "btc", available: "0", frozen: "0", total: "0" });
  });

  it("is listed in pages of its history, each movement once", async () => {
    const emil = await venue.trader("emil");
    for (let index = 0; index < 5; index++) {
      await asAdmin("POST", "/admin/wallet/deposits", {
        userId: emil.id,
        currency: "eth",
        amount: "1",
        reference: `part-${index}`,
      });
    }
    const { body: first } = await emil.call("GET", "/wallet/history?limit=3");
    const { body: second } = await emil.call("GET", `/wallet/history?limit=3&cursor=${first["nextCursor"]}`);
    const references = [...(first["entries"] as Json[]), ...(second["entries"] as Json[])].map(
      (entry) => entry["reference"],
    );
    expect(references).toEqual(["part-4", "part-3", "part-2", "part-1", "part-0"]);
    expect(second["nextCursor"]).toBeNull();
  });
});

describe("an admin's movement of money", () => {
  it("is in the audit log with its outcome, also when it was refused", async () => {
    const fritz = await venue.trader("fritz", { idr: "1" });
    await asAdmin("POST", "/admin/wallet/transfers", {
      from: fritz.id,
      to: "house",
      currency: "idr",
      amount: "2",
      reference: "no",
    });
    await asAdmin("POST", "/admin/wallet/transfers", {
      from: fritz.id,
      to: "house",
      currency: "idr",
      amount: "1",
      reference: "yes",
    });
    const { body } = await asAdmin("GET", `/admin/audit?target=${fritz.id}`);
    const shown = (body["entries"] as Json[]).map(({ action, after, outcome, reason }) => [
      ...[action, (after as Json)["reference"], outcome, reason],
    ]);
    expect(shown).toEqual([
      ["wallet.transferred", "yes", "done", null],
      ["wallet.transferred", "no", "refused", "balance_insufficient"],
      ["wallet.deposited", "first-idr", "done", null],
    ]);
  });

  it("is not executed while the audit log cannot be written", async () => {
    const gustav = await venue.trader("gustav");
    venue.postgres.freeze();
    try {
      const deposit = { userId: gustav.id, currency: "idr", amount: "1000", reference: "unwritten" };
      const answer = await asAdmin("POST", "/admin/wallet/deposits", deposit);
      expect([answer.status, answer.body.code]).toEqual([503, "database_unavailable"]);
      expect(await gustav.balance("idr")).toMatchObject({ total: "0" });
    } finally {
      venue.postgres.thaw();
    }
  });
});

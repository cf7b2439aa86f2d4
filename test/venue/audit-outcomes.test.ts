import { beforeAll, describe, expect, it, vi } from "vitest";
import { COMMAND_LINE, writeIntent, writeOutcome } from "../../origin/accounts/admin/audit.ts";
import { createAudited } from "../../origin/accounts/admin/audited.ts";
import { keepSettling } from "../../origin/accounts/admin/settle-intents.ts";
import { createLookUp } from "../../origin/commit/submit/look-up.ts";
import { createLogger } from "../../stack/program/log.ts";
import { stallEngine } from "./stall-engine.ts";
import { startTradingVenue, type Trader, type TradingVenue } from "./trader.ts";
import type { Json, TestVenue } from "./venue.ts";

let venue: TradingVenue;
/** A process without an engine: its commands go over the stream. */
let other: TestVenue;
let anna: Trader;

beforeAll(async () => {
  venue = await startTradingVenue();
  other = await venue.again({}, { roles: ["api"] });
  anna = await venue.trader("anna", { idr: "1000" });
});

const asAdmin = (method: string, path: string, json?: unknown) =>
  venue.call(method, path, { token: venue.adminToken, ...(json === undefined ? {} : { json }) });

const depositElsewhere = (reference: string) =>
  other.call("POST", "/admin/wallet/deposits", { token: venue.adminToken, json: depositOf(reference) });

const depositOf = (reference: string) => ({ userId: anna.id, currency: "idr", amount: "7", reference });

/** The outcome and the reason of the log's entry for this reference. */
async function shownOf(reference: string): Promise<readonly unknown[]> {
  const { entries } = (await asAdmin("GET", `/admin/audit?target=${anna.id}`)).body as unknown as {
    entries: readonly Json[];
  };
  const ofReference = entries.filter(({ after }) => (after as Json | null)?.["reference"] === reference);
  return ofReference.map(({ outcome, reason }) => [outcome, reason]);
}

/** Settles everything unsettled, this much later than now. */
async function settleAfter(ms: number): Promise<void> {
  const { database } = venue;
  const log = createLogger("settle-test", { write: () => {} });
  const commands = { outcomeOf: createLookUp(venue.redis) };
  const settling = keepSettling({
    database,
    commands,
    audited: createAudited({ database, log }),
    nowMs: () => Date.now() + ms,
    log,
  });
  settling.stop();
  await settling.settle();
}

const MINUTES = 60_000;

describe("a change with an unknown outcome", () => {
  it("is listed as unknown, and settled with the engine's later outcome", { timeout: 60_000 }, async () => {
    await stallEngine(venue.redis, 5_000);
    const [done, refused, suspended] = await Promise.all([
      asAdmin("POST", "/admin/wallet/deposits", depositOf("late")),
      asAdmin("POST", "/admin/wallet/transfers", {
        from: anna.id,
        to: "house",
        currency: "idr",
        amount: "999999",
        reference: "too-much",
      }),
      asAdmin("PATCH", `/admin/users/${anna.id}`, { status: "active" }),
    ]);
    expect([done.status, refused.status, suspended.body.code]).toEqual([202, 202, "engine_unavailable"]);
    expect([await shownOf("late"), await shownOf("too-much")]).toEqual([
      [["unknown", "outcome_unknown"]],
      [["unknown", "outcome_unknown"]],
    ]);
    const settled = { timeout: 40_000, interval: 200 };
    await expect.poll(() => shownOf("late"), settled).toEqual([["done", null]]);
    await expect.poll(() => shownOf("too-much"), settled).toEqual([["refused", "balance_insufficient"]]);
    await expect
      .poll(async () => (await asAdmin("GET", `/admin/audit?target=${anna.id}`)).body["entries"], settled)
      .toContainEqual(expect.objectContaining({ action: "user.changed", outcome: "done" }));
  });

  it("has its entry although the answer is 503 without a command id, and is settled by the ledger", {
    timeout: 60_000,
  }, async () => {
    const before = Number((await anna.balance("idr"))["total"]);
    const { lock, release } = lockAudit();
    await lock;
    const answer = depositElsewhere("frozen");
    await vi.waitFor(async () => expect(await waitingForLock()).toBe(1), { timeout: 10_000, interval: 20 });
    venue.redisServer.freeze();
    try {
      release();
      const { status, body } = await answer;
      expect([status, body.code]).toEqual([503, "store_unavailable"]);
    } finally {
      venue.redisServer.thaw();
    }
    // The append reached Redis, which executes it now.
    await expect.poll(async () => Number((await anna.balance("idr"))["total"]), { timeout: 20_000 }).toBe(before + 7);
    expect(await shownOf("frozen")).toEqual([["unknown", "outcome_unknown"]]);
    await expect
      .poll(() => venue.database.query("SELECT 1 FROM postings WHERE reference = 'frozen'", []), { timeout: 20_000 })
      .not.toEqual([]);
    await settleAfter(2 * MINUTES);
    expect(await shownOf("frozen")).toEqual([["done", "ledger"]]);
  });

  /** Locks the log so that an intent waits until it is released. */
  function lockAudit() {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const lock = new Promise<void>((resolve) => {
      void venue.database.transaction(async (tx) => {
        await tx.script("LOCK TABLE audit_log IN EXCLUSIVE MODE");
        resolve();
        await held;
      }, 20_000);
    });
    return { lock, release: () => release() };
  }

  async function waitingForLock(): Promise<number> {
    const waiting =
      "SELECT count(*)::int AS count FROM pg_locks WHERE relation = 'audit_log'::regclass AND NOT granted";
    const [row] = (await venue.database.query(waiting, [])) as { count: number }[];
    return row?.count ?? 0;
  }
});

describe("a process that ended between the intent and the outcome", () => {
  const intentOf = (reference: string, action: "wallet.deposited" | "pair.changed" = "wallet.deposited") =>
    venue.database.transaction((tx) =>
      writeIntent(tx, {
        actor: COMMAND_LINE,
        action,
        target: anna.id,
        before: null,
        after: { ...depositOf(reference) },
      }),
    );

  it("leaves an unknown entry, which is done once the ledger shows the money", async () => {
    await intentOf("crashed");
    expect(await shownOf("crashed")).toEqual([["unknown", null]]);
    await settleAfter(0);
    expect(await shownOf("crashed")).toEqual([["unknown", null]]);
    expect((await asAdmin("POST", "/admin/wallet/deposits", depositOf("crashed"))).status).toBe(201);
    await expect
      .poll(() => venue.database.query("SELECT 1 FROM postings WHERE reference = 'crashed'", []), { timeout: 20_000 })
      .not.toEqual([]);
    await settleAfter(2 * MINUTES);
    expect(await shownOf("crashed")).toEqual([
      ["done", null],
      ["done", "ledger"],
    ]);
  });

  it("leaves an entry whose command was trimmed: the ledger settles money, the rest stays unknown", async () => {
    const unknown = { state: "unknown", isSettled: false, reason: "outcome_unknown", commandId: "1-1-0" } as const;
    for (const [reference, action] of [["old", "wallet.deposited"] as const, ["old-pair", "pair.changed"] as const]) {
      await writeOutcome(venue.database, await intentOf(reference, action), unknown);
    }
    await settleAfter(0);
    expect(await shownOf("old")).toEqual([["unknown", "outcome_unknown"]]);
    await settleAfter(2 * MINUTES);
    expect([await shownOf("old"), await shownOf("old-pair")]).toEqual([
      [["refused", "not_in_ledger"]],
      [["unknown", "outcome_forgotten"]],
    ]);
  });

  it("leaves an entry that stays unknown, with the reason, if there is no trace of it", async () => {
    await intentOf("vanished");
    await intentOf("vanished-pair", "pair.changed");
    await settleAfter(2 * MINUTES);
    expect(await shownOf("vanished")).toEqual([["unknown", null]]);
    await settleAfter(20 * MINUTES);
    expect([await shownOf("vanished"), await shownOf("vanished-pair")]).toEqual([
      [["unknown", "no_trace"]],
      [["unknown", "no_trace"]],
    ]);
    // A settled entry stays settled.
    await settleAfter(40 * MINUTES);
    expect(await shownOf("vanished")).toEqual([["unknown", "no_trace"]]);
  });
});

describe("PostgreSQL that becomes unavailable after the intent", () => {
  it("does not change the answer, and gets the outcome later", { timeout: 60_000 }, async () => {
    await stallEngine(venue.redis, 1_500);
    const answer = depositElsewhere("written-late");
    await vi.waitFor(async () => expect(await shownOf("written-late")).toHaveLength(1), {
      timeout: 10_000,
      interval: 20,
    });
    venue.postgres.freeze();
    try {
      expect([201, 202]).toContain((await answer).status);
    } finally {
      venue.postgres.thaw();
    }
    await expect.poll(() => shownOf("written-late"), { timeout: 30_000, interval: 200 }).toEqual([["done", null]]);
  });
});

it("an outcome is added and never changed", async () => {
  for (const statement of [
    "UPDATE audit_outcomes SET outcome = 'done'",
    "DELETE FROM audit_outcomes",
    "TRUNCATE audit_outcomes",
  ]) {
    await expect(venue.database.query(statement, [])).rejects.toThrow("only grows");
  }
});

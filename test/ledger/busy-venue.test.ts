import { describe, expect, it } from "vitest";
import { type LedgerStores, openLedgerStores, startLedger } from "./ledger-stores.ts";
import { createTradingWorld, putEntries } from "./trading-world.ts";

const TIMEOUT = { timeout: 15_000 };

/** Counts how often the ledger asks: it asks again and again while it rests. */
function createLoad() {
  const load = { isOn: true, looks: 0 };
  const isHigh = () => {
    load.looks++;
    return load.isOn;
  };
  return { load, isHigh };
}

describe("the ledger of a venue at full load", () => {
  const open = async () => {
    const stores: LedgerStores = await openLedgerStores("embedded");
    const world = createTradingWorld({ seed: 3, atMs: Date.UTC(2031, 0, 1) });
    const trade = async () => {
      await putEntries(
        stores.redis,
        Array.from({ length: 5 }, () => world.next().entry),
      );
      return world.position().sequence;
    };
    return { stores, trade };
  };

  it("rests after it has caught up, and writes everything once the load is over", async () => {
    const { stores, trade } = await open();
    const { load, isHigh } = createLoad();
    load.isOn = false;
    const ledger = startLedger(stores, { load: { isHigh }, restMsMax: 600_000 });
    const first = await trade();
    await expect.poll(() => ledger.state().sequence, TIMEOUT).toBe(first);
    load.isOn = true;
    load.looks = 0;
    await expect.poll(() => load.looks, TIMEOUT).toBeGreaterThan(1);
    const second = await trade();
    load.looks = 0;
    await expect.poll(() => load.looks, TIMEOUT).toBeGreaterThan(3);
    expect(ledger.state().sequence).toBe(first);
    load.isOn = false;
    await expect.poll(() => ledger.state().sequence, TIMEOUT).toBe(second);
  });

  it("rests no longer than its bound, and not at all when the process stops", async () => {
    const { stores, trade } = await open();
    const { isHigh } = createLoad();
    const ledger = startLedger(stores, { load: { isHigh }, restMsMax: 200 });
    const first = await trade();
    await expect.poll(() => ledger.state().sequence, TIMEOUT).toBe(first);
    const second = await trade();
    await expect.poll(() => ledger.state().sequence, TIMEOUT).toBe(second);
    await ledger.stop();
    const hurried = startLedger(stores, { load: { isHigh }, restMsMax: 600_000 });
    hurried.hurry();
    const third = await trade();
    await expect.poll(() => hurried.state().sequence, TIMEOUT).toBe(third);
  });
});

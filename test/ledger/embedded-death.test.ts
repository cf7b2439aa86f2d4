import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { EMBEDDED_ROWS_MAX } from "../../origin/record/ledger/keep-ledger.ts";
import { openLedgerStores, rowsOf, startLedger } from "./ledger-stores.ts";
import { createTradingWorld, putEntries } from "./trading-world.ts";

const ENTRIES = 120;
const DEATHS = 4;

it("the ledger posts every entry once, however often the embedded database's thread ends", {
  timeout: 120_000,
}, async () => {
  let thread: Worker | undefined;
  const noteThread = (worker: Worker) => {
    thread = worker;
  };
  process.on("worker", noteThread);
  const stores = await openLedgerStores("embedded");
  const ledger = startLedger(stores, EMBEDDED_ROWS_MAX);
  const world = createTradingWorld({ seed: 180, commandsPerBatch: 64 });
  for (let death = 1; death <= DEATHS; death++) {
    for (let entries = 0; entries < ENTRIES / DEATHS; entries++) await putEntries(stores.redis, [world.next().entry]);
    // At any point of its work.
    await sleep(20 * death);
    await thread?.terminate();
  }
  await expect.poll(() => ledger.state().sequence, { timeout: 60_000 }).toBe(ENTRIES);
  expect(
    await rowsOf(stores.database, "SELECT count(*)::int AS count, max(sequence)::int AS last FROM ledger_entries"),
  ).toEqual([{ count: ENTRIES, last: ENTRIES }]);
  expect(
    await rowsOf(
      stores.database,
      "SELECT count(*)::int AS strays FROM postings WHERE sequence NOT IN (SELECT sequence FROM ledger_entries)",
    ),
  ).toEqual([{ strays: 0 }]);
  const counted =
    "SELECT sum(postings)::int AS told, (SELECT count(*) FROM postings)::int AS found FROM ledger_entries";
  const [sums] = await rowsOf(stores.database, counted);
  expect(sums?.["found"]).toBe(sums?.["told"]);
  process.off("worker", noteThread);
});

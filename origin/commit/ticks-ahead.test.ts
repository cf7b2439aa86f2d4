import { beforeEach, expect, it } from "vitest";
import { openDesk } from "../../kit/engine/desk.ts";
import type { Command } from "../engine/command.ts";
import { type JournalPosition, START } from "../journal/journal.ts";
import { resultCount, resultIn } from "../journal/journal-body.ts";
import type { GeneratedCommand, StreamCommand } from "./command-queue.ts";
import { applyBatch } from "./commit.ts";
import { createTicks } from "./ticks.ts";

const AT = 1_790_000_000_000;
let desk: ReturnType<typeof openDesk>;

beforeEach(() => {
  desk = openDesk({ bounds: { fillsMax: 1 } });
  desk.configure({ state: "auction" });
  for (const [user, side] of [
    ["ann", "buy"],
    ["bob", "sell"],
  ] as const)
    for (let count = 0; count < 3; count++) desk.placed(user, side, { ticks: 100, lots: 1 });
});

/** As many commands as a crowd sends: the queue is never empty. */
function createCrowd(): () => StreamCommand {
  let sent = 0;
  return () => {
    const command: Command = { kind: "cancelAll", user: "cid", pair: "", id: `1-${sent}-0`, at: AT };
    return { entryId: `1-${sent++}`, index: 0, node: "n", append: 1, command };
  };
}

it("opens an auction while commands arrive without a pause", () => {
  const ticks = createTicks(desk.engine, () => AT);
  const crowd = createCrowd();
  desk.configure({ state: "trading" });
  let before: JournalPosition = START;
  const counts: number[] = [];
  for (let count = 0; count < 100 && desk.engine.pair("gemidr")?.state !== "trading"; count++) {
    const batch = applyBatch(desk.engine, ticks.ahead(shiftSome(crowd)), { node: "n", epoch: 1, before });
    if (batch === undefined) break;
    before = batch.entry;
    counts.push(resultCount(batch.entry.body));
  }
  expect(desk.engine.pair("gemidr")?.state).toBe("trading");
  // One tick at most, and never in two batches in a row: the crowd is served meanwhile.
  expect(counts.every((count) => count === 2 || count === 3)).toBe(true);
  expect(counts.join("").includes("33")).toBe(false);
});

it("leaves a batch alone when nothing is due, and finds the outcomes of one that a tick precedes", () => {
  const ticks = createTicks(desk.engine, () => AT);
  const place = { node: "n", epoch: 1, before: START };
  const crowd = createCrowd();
  expect(resultCount(applyBatch(desk.engine, ticks.ahead(shiftSome(crowd)), place)?.entry.body ?? "")).toBe(2);
  desk.configure({ state: "trading" });
  const local = { body: { kind: "cancelAll", user: "ann", pair: "gemidr" }, at: AT, number: 7 } as const;
  const queue = [{ ...local, isAnswered: false }];
  const batch = applyBatch(
    desk.engine,
    ticks.ahead(() => queue.shift() as never),
    place,
  );
  const found = resultIn(batch?.entry.body ?? "", { epoch: 1, sequence: 1, node: "n", number: 7 });
  expect(found).toMatchObject({ user: "ann", outcome: { kind: "rejected", code: "pair_opening" } });
});

function shiftSome(crowd: () => StreamCommand): () => StreamCommand | GeneratedCommand | undefined {
  let left = 2;
  return () => (left-- > 0 ? crowd() : undefined);
}

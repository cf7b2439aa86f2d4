import { expect, it } from "vitest";
import { assert } from "../../shared/assert.ts";
import { createEngine } from "../engine/engine.ts";
import { type JournalPosition, START } from "../journal/journal.ts";
import type { StreamCommand } from "./command-queue.ts";
import { applyBatch } from "./commit.ts";
import { firstCommands } from "./first-terms.ts";

it("ends a batch with new terms of a pair, so that every entry's trades count in the terms before it", () => {
  const engine = createEngine();
  const queue = [...firstCommands(1)];
  const shift = () => queue.shift();
  const after = (before: JournalPosition) => ({ node: "n", epoch: 1, before });
  const first = applyBatch(engine, shift, after(START));
  assert(first !== undefined, "the first terms are a batch");
  // A new venue's pairs have no terms before, and are one entry.
  expect([first.changes.pairs.length, queue.length]).toEqual([4, 0]);

  const [pair] = first.changes.pairs;
  assert(pair !== undefined, "there is a pair");
  const { version: _version, grid, lastTicks: _lastTicks, ...terms } = pair;
  const command = (index: number, tickSteps: bigint): StreamCommand => {
    const place = { entryId: "1-0", index };
    return {
      ...place,
      node: "n",
      append: 1,
      command: { id: `1-0-${index}`, at: 2, kind: "setPair", terms: { ...terms, tickSteps } },
    };
  };
  queue.push(command(0, terms.tickSteps * 2n), command(1, terms.tickSteps * 4n));
  const second = applyBatch(engine, shift, after(first.entry));
  assert(second !== undefined, "there is a second batch");
  const third = applyBatch(engine, shift, after(second.entry));
  expect([second, third].map((batch) => batch?.changes.pairs.map((row) => row.grid))).toEqual([[grid + 1], [grid + 2]]);
  expect(second.entry.command).toBe("1-0-0");
});

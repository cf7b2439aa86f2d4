import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { type FollowedJournal, followJournal, type JournalConsumer, JournalFault, type Run } from "./follow-journal.ts";

type Position = { readonly sequence: number };
type Consumer = JournalConsumer<number, Position>;

/** A journal of numbers, and a store that takes two of them in one step. */
function createWorld(length: number) {
  const journal = Array.from({ length }, (_, index) => index + 1);
  const taken: number[] = [];
  const lines: { level: number; msg: string }[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const open = async (): Promise<Run<number, Position>> => ({
    position: { sequence: taken.length },
    next: async ({ sequence }) => {
      await new Promise(setImmediate);
      return journal.slice(sequence, sequence + 5);
    },
    take: async (entries, before) => {
      if (before.sequence !== taken.length) return undefined;
      taken.push(...entries.slice(0, 2));
      return { count: Math.min(2, entries.length), position: { sequence: taken.length } };
    },
  });
  function follow(consumer: Partial<Consumer>): FollowedJournal {
    const following = followJournal({
      name: "copy",
      open,
      log,
      standbyMs: 1,
      retryMsMax: 1,
      random: () => 0,
      ...consumer,
    });
    onTestFinished(() => following.stop());
    return following;
  }
  return { journal, taken, open, follow, messages: () => lines.map(({ msg }) => msg) };
}

it("takes every entry once and in order, whatever fails before or after the consumer's transaction", async () => {
  const world = createWorld(40);
  let calls = 0;
  const open = async () => {
    const run = await world.open();
    const take: typeof run.take = async (entries, before) => {
      calls++;
      if (calls % 3 === 1) throw new Error("no connection");
      const taken = await run.take(entries, before);
      if (calls % 3 === 2) throw new Error("the reply was lost");
      return taken;
    };
    return { ...run, take };
  };
  const following = world.follow({ open });
  await expect.poll(() => following.state()).toEqual({ sequence: 40, isFailing: false, haltedFor: undefined });
  expect(world.taken).toEqual(world.journal);
});

it("logs each different error once per outage, and the recovery", async () => {
  const world = createWorld(1);
  const errors = ["timed out", "refused", "timed out", "refused", "timed out"];
  const open = () => {
    const message = errors.shift();
    return message === undefined ? world.open() : Promise.reject(new Error(message));
  };
  const following = world.follow({ open });
  await expect.poll(() => following.state().sequence).toBe(1);
  const failing = "the copy cannot follow the journal and retries";
  await expect.poll(world.messages).toEqual([failing, failing, "the copy follows the journal again"]);
});

it("reopens where another process has moved the position", async () => {
  const world = createWorld(10);
  const following = world.follow({});
  await expect.poll(() => following.state().sequence).toBe(10);
  world.journal.push(11, 12);
  world.taken.push(11);
  await expect.poll(() => following.state().sequence).toBe(12);
  expect(world.taken).toEqual(world.journal);
});

it("halts at a journal that contradicts the position if the consumer asks for it, and retries otherwise", async () => {
  const world = createWorld(3);
  let opened = 0;
  const open = async () => {
    opened++;
    const next = () => Promise.reject(new JournalFault("entry 2 is missing"));
    return { ...(await world.open()), next };
  };
  const halted = world.follow({ open, haltsOnFault: true });
  await expect.poll(() => halted.state().haltedFor).toBe("entry 2 is missing");
  expect(opened).toBe(1);
  const retrying = world.follow({ open });
  await expect.poll(() => opened).toBeGreaterThan(3);
  expect(retrying.state()).toMatchObject({ isFailing: true, haltedFor: undefined });
});

it("closes each run and says how it ended", async () => {
  const world = createWorld(4);
  const ends: string[] = [];
  const open = async () => {
    const run = await world.open();
    const isFirst = ends.length === 0;
    return {
      ...run,
      isOver: () => isFirst && world.taken.length > 0,
      close: async (end: string) => void ends.push(end),
    };
  };
  const following = world.follow({ open });
  await expect.poll(() => following.state().sequence).toBe(4);
  await following.stop();
  expect(ends).toEqual(["over", "stopped"]);
});

it("polls at its interval, drains on request, and takes the rest when it stops", async () => {
  const world = createWorld(7);
  const following = world.follow({ everyMs: 3_600_000 });
  expect(following.state().sequence).toBe(undefined);
  await following.drain();
  expect(world.taken).toEqual(world.journal);
  world.journal.push(8, 9, 10);
  await following.stop({ drainMs: 5_000 });
  expect(world.taken).toEqual(world.journal);
});

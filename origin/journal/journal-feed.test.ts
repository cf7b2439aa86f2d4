import { expect, it } from "vitest";
import type { Changes } from "../engine/changes.ts";
import { createJournalFeed } from "./journal-feed.ts";

const batch = (sequence: number) => ({ position: { sequence, hash: "", command: "" }, changes: {} as Changes });
const sequencesOf = (batches: readonly ReturnType<typeof batch>[] | undefined) =>
  batches?.map(({ position }) => position.sequence);

it("hands every follower each batch, however far apart they are", () => {
  const feed = createJournalFeed();
  feed.setLive(true);
  const [fast, slow] = [feed.follow(), feed.follow()];
  for (const sequence of [5, 6, 7]) feed.put(batch(sequence));
  expect(sequencesOf(fast.after(4))).toEqual([5, 6, 7]);
  expect(sequencesOf(fast.after(7))).toEqual([]);
  expect(sequencesOf(slow.after(4))).toEqual([5, 6, 7]);
  feed.put(batch(8));
  expect(sequencesOf(fast.after(7))).toEqual([8]);
  expect(sequencesOf(slow.after(5))).toEqual([6, 7, 8]);
});

it("releases a batch that every follower has passed, and says when it does not hold what a follower needs", () => {
  const feed = createJournalFeed();
  feed.setLive(true);
  const follower = feed.follow();
  for (const sequence of [1, 2, 3]) feed.put(batch(sequence));
  expect(sequencesOf(follower.after(2))).toEqual([3]);
  expect(follower.after(1)).toBe(undefined);
  const late = feed.follow();
  expect(late.after(1)).toBe(undefined);
  for (let sequence = 4; sequence < 2_000; sequence++) feed.put(batch(sequence));
  expect(follower.after(3)).toBe(undefined);
  expect(sequencesOf(follower.after(1_998))).toEqual([1_999]);
});

it("holds nothing without a follower, and is silent while another process leads", async () => {
  const feed = createJournalFeed();
  feed.setLive(true);
  feed.put(batch(1));
  const follower = feed.follow();
  expect(follower.after(0)).toBe(undefined);
  expect(sequencesOf(follower.after(1))).toEqual([]);
  const woken = follower.untilNext(60_000);
  feed.put(batch(2));
  await woken;
  expect(sequencesOf(follower.after(1))).toEqual([2]);
  feed.setLive(false);
  expect(follower.after(1)).toBe(undefined);
});

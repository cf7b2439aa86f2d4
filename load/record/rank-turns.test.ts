import { describe, expect, it } from "vitest";
import { rankTurns } from "./rank-turns.ts";

/** In the order of the line: between which looks the turn came. */
const rank = (spans: readonly (readonly [afterMs: number, byMs: number, away?: 1])[]) =>
  rankTurns({
    joinedOrder: spans.map((_, place) => place + 100),
    turnAfterMs: spans.map(([afterMs]) => afterMs),
    turnByMs: spans.map(([, byMs]) => byMs),
    wasAway: spans.map(([, , away = 0]) => away),
  });

describe("rankTurns", () => {
  it("ranks by when turns came", () => {
    expect(
      rank([
        [0, 10],
        [10, 20],
        [20, 30],
      ]),
    ).toEqual([1, 2, 3]);
  });

  it("finds somebody who was passed", () => {
    expect(
      rank([
        [30, 40],
        [10, 20],
        [20, 25],
      ]),
    ).toEqual([3, 1, 2]);
  });

  it("accuses nobody where the looks lie too far apart to tell", () => {
    expect(
      rank([
        [0, 40],
        [10, 20],
        [0, 40],
      ]),
    ).toEqual([1, 2, 3]);
    expect(
      rank([
        [10, 20],
        [5, 15],
      ]),
    ).toEqual([1, 2]);
  });

  it("gives no rank to whoever had no turn or no place", () => {
    expect(
      rank([
        [0, 10],
        [-1, -1],
        [10, 20],
      ]),
    ).toEqual([1, -1, 2]);
    expect(rankTurns({ joinedOrder: [-1, 5], turnAfterMs: [0, 0], turnByMs: [9, 9], wasAway: [0, 0] })).toEqual([-1, 1]);
  });

  it("holds nobody up for whoever was away", () => {
    expect(
      rank([
        [90, 95, 1],
        [0, 100],
        [0, 50],
      ]),
    ).toEqual([3, 1, 2]);
  });
});

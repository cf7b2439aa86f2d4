import { describe, expect, it } from "vitest";
import { seededRandom } from "../../kit/random.ts";
import { drawAction, mixOption, mixText } from "./mix.ts";

describe("a mix", () => {
  it("takes the given weights, and 0 for a missing action", () => {
    expect(mixOption.schema.parse("place:1,market:3")).toEqual({ place: 1, cancel: 0, market: 3, stop: 0 });
    expect(mixText(mixOption.schema.parse(undefined))).toBe("place:65,cancel:20,market:10,stop:5");
  });

  it.each(["", "place", "place:", "place:x", "cancel:1", "place:0,market:1", "place:1,steal:1", "place:-1"])(
    "refuses %j",
    (written) => {
      expect(mixOption.schema.safeParse(written).success).toBe(false);
    },
  );

  it("is drawn by weight", () => {
    const random = seededRandom(1);
    const drawn = Array.from({ length: 10_000 }, () =>
      drawAction({ place: 60, cancel: 20, market: 10, stop: 10 }, random.next()),
    );
    const share = (action: string) => drawn.filter((each) => each === action).length / drawn.length;
    expect(share("place")).toBeCloseTo(0.6, 1);
    expect(share("cancel")).toBeCloseTo(0.2, 1);
    expect(share("market")).toBeCloseTo(0.1, 1);
    expect(share("stop")).toBeCloseTo(0.1, 1);
  });
});

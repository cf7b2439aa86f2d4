import { describe, expect, it } from "vitest";
import { commitmentOf, drawWith, orderOf, placeOf } from "./draw.ts";

describe("the draw", () => {
  it("can be done again with any tool: these numbers come from openssl and sha256sum", async () => {
    expect(await commitmentOf("a seed")).toBe("8f44d509e0492acec4fc109a030a5c751f063fb743cc388f0ed722bacc3bc66c");
    expect(await drawWith("a seed")("AAAAAAAAAAAAAAAAAAAAAA")).toBe(Math.floor(0xf95a7e3b92 / 2));
  });

  it("gives a ticket the same number each time, and another one under another seed", async () => {
    const [one, other] = [drawWith("one"), drawWith("other")];
    expect(await one("ticket")).toBe(await one("ticket"));
    expect(await one("ticket")).not.toBe(await one("ticke"));
    expect(await one("ticket")).not.toBe(await other("ticket"));
  });

  it("encodes lane, draw and number in a drawn place, which no place taken in turn equals", () => {
    for (const lane of [0, 1, 2, 3])
      for (const drawSpan of [0, 7, 1_022])
        for (const number of [0, 1, 2 ** 39 - 1]) {
          const order = orderOf({ lane, drawSpan, number });
          expect(Number.isSafeInteger(order)).toBe(true);
          expect(placeOf(order)).toEqual({ lane, drawSpan, number });
          expect(placeOf(order + 1)).toBeUndefined();
        }
  });

  it("never makes a place outside its span", () => {
    expect(() => orderOf({ lane: 0, drawSpan: 1, number: 2 ** 39 })).toThrow();
    expect(() => orderOf({ lane: 0, drawSpan: 1, number: -1 })).toThrow();
  });
});

import { expect, it } from "vitest";
import { AssertionError, assert, unreachable } from "./assert.ts";

it("lets a true condition pass and throws its message on a false one", () => {
  expect(() => assert(true, "never")).not.toThrow();
  expect(() => assert(0, "zero is not truth")).toThrow(new AssertionError("zero is not truth"));
});

it("names the value that no case of a switch knew", () => {
  expect(() => unreachable("surprise" as never)).toThrow("unreachable: surprise");
});

import { expect, test } from "vitest";
import { textArray } from "./text-array.ts";

test.each([
  [[], "{}"],
  [[""], '{""}'],
  [["a", "b"], '{"a","b"}'],
  [["NULL", "{}", "a,b"], '{"NULL","{}","a,b"}'],
  [['say "hi"', "C:\\", '\\"'], '{"say \\"hi\\"","C:\\\\","\\\\\\""}'],
  [["$&", "$1"], '{"$&","$1"}'],
  [["two\nlines\tand \u2028", "\ud800", "€"], '{"two\nlines\tand \u2028","\ud800","€"}'],
])("%j is written as PostgreSQL reads it", (values, text) => {
  expect(textArray(values)).toBe(text);
});

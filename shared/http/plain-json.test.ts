import { describe, expect, it } from "vitest";
import { parsePlainJson } from "./plain-json.ts";

const faultOf = (text: string) => {
  const parsed = parsePlainJson(text);
  return parsed.ok ? undefined : parsed.reason;
};

describe("parsePlainJson", () => {
  it.each([
    '{"a":1,"b":{"a":2}}',
    '[{"a":1},{"a":1}]',
    '{"a":"a","b":"{\\"a\\":1,\\"a\\":2}"}',
    '{ "a" : 1 , "b" : [ ] }',
    '"x"',
    '{"\\\\":1,"\\"":2}',
    '{"😀":"\\ud83d\\ude00"}',
  ])("takes %s as it is", (text) => {
    expect(parsePlainJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
  });

  it.each([
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '[{"b":{"x":1,"x":1}}]',
    '{"a" :1,"a"\n:2}',
    '{"__proto__":1,"__proto__":2}',
    '{"":1,"":2}',
  ])("refuses a name that comes twice: %s", (text) => {
    expect(faultOf(text)).toBe("name_repeated");
  });

  it("refuses half a pair of surrogates, written out or escaped, in names and in values", () => {
    for (const text of ['"\\ud83d"', '{"\\ude00":1}', `"${"\ud83d"}"`, `{"a":["${"\ude00"}"]}`])
      expect(faultOf(text)).toBe("text_broken");
  });

  it("refuses what is not JSON", () => {
    for (const text of ["", "{", "{'a':1}", '{"a":1,}', "NaN", '"a', "[1 2]"]) expect(faultOf(text)).toBe("malformed");
  });
});

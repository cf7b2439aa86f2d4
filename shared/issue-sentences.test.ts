import { describe, expect, it } from "vitest";
import { z } from "zod";
import { fieldFaults } from "./http/field-faults.ts";

const kinds = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("a"), n: z.number() }),
  z.object({ kind: z.literal("b"), text: z.string() }),
]);

/** Words of zod's own messages. */
const OF_ZOD =
  /^invalid|expected|received|too (?:big|small)|unrecognized|discriminator|NaN|at (?:least|most) \S+ to|>=|<=|undefined/i;

function messageOf(schema: z.ZodType, value: unknown): string {
  const parsed = z.object({ it: schema }).safeParse({ it: value });
  return parsed.success ? "no fault" : (fieldFaults(parsed.error)[0]?.message ?? "nothing");
}

describe("a fault that a schema has no message for", () => {
  it.each<[string, z.ZodType, unknown, string]>([
    ["a field that is missing", z.string(), undefined, "is required"],
    ["another type than text", z.string(), 5, "must be text"],
    ["another type than a number", z.number(), "5", "must be a number"],
    ["another type than a whole number", z.int(), 1.5, "must be a whole number"],
    ["a text for a whole number", z.int(), "1", "must be a number"],
    ["a number past what can be counted exactly", z.int(), 2 ** 60, `must be at most ${Number.MAX_SAFE_INTEGER}`],
    ["another type than a boolean", z.boolean(), "true", "must be true or false"],
    ["another type than a list", z.array(z.string()), {}, "must be a list"],
    ["another type than an object", z.object({}), [], "must be an object"],
    ["another type than a record", z.record(z.string(), z.string()), "x", "must be an object"],
    ["another type than a bigint", z.bigint(), 1, "must be a whole number"],
    ["another type than null", z.null(), 1, "must be null"],
    ["a null", z.string(), null, "must be text"],
    ["an empty text", z.string().min(1), "", "must not be empty"],
    ["a short text", z.string().min(3), "ab", "must have at least 3 characters"],
    ["a long text", z.string().max(3), "abcd", "must have at most 3 characters"],
    ["a text of another length", z.string().length(3), "ab", "must have 3 characters"],
    ["a small number", z.number().min(3), 2, "must be at least 3"],
    ["a number at its excluded bound", z.number().gt(3), 3, "must be more than 3"],
    ["a large number", z.number().max(3), 4, "must be at most 3"],
    ["a number at its excluded upper bound", z.number().lt(3), 3, "must be less than 3"],
    ["a short list", z.array(z.string()).min(2), ["a"], "must have at least 2 entries"],
    ["an empty list", z.array(z.string()).min(1), [], "must not be empty"],
    ["a long list", z.array(z.string()).max(1), ["a", "b"], "must have at most 1 entry"],
    ["a tuple that is too long", z.tuple([z.string()]), ["a", "b"], "must have at most 1 entry"],
    ["a number that is no multiple", z.number().multipleOf(5), 7, "must be a multiple of 5"],
    ["a pattern", z.string().regex(/^a/), "b", "has an invalid format"],
    ["an e-mail address", z.email(), "x", "must be an e-mail address"],
    ["a URL", z.url(), "x", "must be a URL"],
    ["a UUID", z.uuid(), "x", "must be a UUID"],
    ["an address", z.ipv4(), "x", "must be an IPv4 address"],
    ["one value", z.literal("a"), "b", "must be a"],
    ["one of several values", z.enum(["a", "b", "c"]), "d", "must be one of a, b, c"],
    ["a choice that is missing", z.enum(["a", "b"]), undefined, "is required"],
    ["none of several forms", z.union([z.string(), z.number()]), true, "has none of the allowed forms"],
    ["no kind that is known", kinds, { kind: "c" }, "is of an unknown kind"],
    [
      "a name that is not allowed",
      z.record(z.string().max(1), z.string()),
      { ab: "x" },
      "has a name that is not allowed",
    ],
    ["a check without words", z.string().refine(() => false), "x", "is invalid"],
    ["a field that is not known", z.strictObject({}), { x: 1 }, "is not known"],
  ])("has a message of its own, not one of zod: %s", (_what, schema, value, message) => {
    expect(messageOf(schema, value)).toBe(message);
    expect(messageOf(schema, value)).not.toMatch(OF_ZOD);
  });

  it("keeps a schema's own message", () => {
    expect(messageOf(z.string("must be a name"), 5)).toBe("must be a name");
    expect(messageOf(z.string().max(1, "must be short"), "ab")).toBe("must be short");
    expect(
      messageOf(
        z.string().refine(() => false, "must be another"),
        "x",
      ),
    ).toBe("must be another");
  });
});

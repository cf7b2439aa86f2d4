import { describe, expect, it } from "vitest";
import { systemRandom } from "../../../shared/ids.ts";
import { readSession, SESSION_SECONDS, startSession } from "./console-session.ts";

const TOKEN = "an-operator-token-of-ours";
const OPERATORS = [
  { name: "operator", token: "the-token-that-all-share" },
  { name: "alice", token: TOKEN },
];
const SECRETS = { operators: OPERATORS, signingKeys: '{"active":"k1"}' };
const NOW_MS = 1_790_000_000_000;
const session = await startSession(SECRETS, {
  operator: "alice",
  name: "Ada",
  nowMs: NOW_MS,
  fillRandom: systemRandom,
});

describe("a console's session", () => {
  it("is good until its time is over, and gives the same key each time", async () => {
    expect(await readSession(SECRETS, session.cookieValue, NOW_MS)).toEqual({
      key: session.key,
      expiresAtMs: session.expiresAtMs,
      operator: "alice",
      name: "Ada",
    });
    expect(await readSession(SECRETS, session.cookieValue, NOW_MS + SESSION_SECONDS * 1000 - 1)).toBeDefined();
    expect(await readSession(SECRETS, session.cookieValue, NOW_MS + SESSION_SECONDS * 1000)).toBeUndefined();
  });

  it("ends with the operator's token and with the signing keys", async () => {
    const withAnother = OPERATORS.map(({ name }) => ({ name, token: "another-operator-token" }));
    expect(await readSession({ ...SECRETS, operators: withAnother }, session.cookieValue, NOW_MS)).toBeUndefined();
    expect(
      await readSession({ ...SECRETS, operators: OPERATORS.slice(0, 1) }, session.cookieValue, NOW_MS),
    ).toBeUndefined();
    expect(
      await readSession({ ...SECRETS, signingKeys: '{"active":"k2"}' }, session.cookieValue, NOW_MS),
    ).toBeUndefined();
  });

  it.each([
    ["nothing", () => ""],
    ["a later end", (value: string) => value.replace(/\.\d{10}\./, ".1999999999.")],
    ["another operator", (value: string) => value.replace(".alice.", ".operator.")],
    ["another id", (value: string) => `A${value.slice(1, 2) === "A" ? "B" : "A"}${value.slice(2)}`],
    ["another name", (value: string) => value.replace(/\.\w+\.([\w-]+)$/, ".Qm9i.$1")],
    ["a signature cut short", (value: string) => value.slice(0, -1)],
    [
      "the key in place of the signature",
      (value: string) => `${value.slice(0, value.lastIndexOf("."))}.${session.key}`,
    ],
    ["8 kB", (value: string) => value + "x".repeat(8_000)],
  ])("does not take %s", async (_what, spoil) => {
    expect(await readSession(SECRETS, spoil(session.cookieValue), NOW_MS)).toBeUndefined();
  });

  it("holds nothing of the token, and shares nothing between its halves", () => {
    expect(session.cookieValue).not.toContain(TOKEN);
    expect(session.cookieValue).not.toContain(session.key);
  });
});

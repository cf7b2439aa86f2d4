import { expect, it } from "vitest";
import { openDesk, rejected } from "../../kit/engine/desk.ts";

/**
 * A signed request is executed once: its command carries a nonce, which the engine remembers for as long as the request
 * could come again.
 */

const AT = 1_790_000_000_000;
const nonce = (id: string, afterMs = 40_000) => ({ id, until: AT + afterMs });
const give = (amount: bigint, of: ReturnType<typeof nonce>) =>
  ({ kind: "deposit", user: "ann", currency: "idr", amount, reference: "", nonce: of }) as const;

it("executes a command with the same nonce once, whatever its content, and other commands as well", () => {
  const desk = openDesk();
  expect(desk.apply(give(1n, nonce("a")))).toEqual({ kind: "done" });
  expect(desk.apply(give(1n, nonce("a")))).toEqual(rejected("request_replayed"));
  expect(desk.apply(give(2n, nonce("a")))).toEqual(rejected("request_replayed"));
  expect(desk.apply(give(1n, nonce("b")))).toEqual({ kind: "done" });
});

it("remembers the nonce of a rejected command: its rejection stays final", () => {
  const desk = openDesk();
  const order = { ticks: 1, lots: 2_000_000_000, nonce: nonce("a") };
  expect(desk.place("ann", "buy", order)).toEqual(rejected("balance_insufficient"));
  desk.apply(give(2_000_000_000n, nonce("b")));
  expect(desk.place("ann", "buy", order)).toEqual(rejected("request_replayed"));
});

it("refuses a command that arrives too late to be distinguished from a repetition", () => {
  const desk = openDesk();
  expect(desk.apply(give(1n, nonce("a", 5_000)))).toEqual({ kind: "done" });
  desk.wait(4_999);
  expect(desk.apply(give(1n, nonce("a", 5_000)))).toEqual(rejected("request_replayed"));
  desk.wait(1);
  expect(desk.apply(give(1n, nonce("a", 5_000)))).toEqual(rejected("request_expired"));
  expect(desk.apply(give(1n, nonce("b", 5_000)))).toEqual(rejected("request_expired"));
  expect(desk.apply(give(1n, nonce("c", 66_000)))).toEqual(rejected("request_expired"));
});

it("remembers up to a bound and forgets by the second, so that old nonces do not count towards the bound", () => {
  const desk = openDesk({ bounds: { noncesMax: 3 } });
  for (const id of ["a", "b", "c"]) expect(desk.apply(give(1n, nonce(id, 2_000)))).toEqual({ kind: "done" });
  expect(desk.apply(give(1n, nonce("d", 2_000)))).toEqual(rejected("nonces_full"));
  expect(desk.apply(give(1n, nonce("a", 2_000)))).toEqual(rejected("request_replayed"));
  desk.wait(2_000);
  for (const id of ["e", "f", "g"]) expect(desk.apply(give(1n, nonce(id, 9_000)))).toEqual({ kind: "done" });
});

it("has its nonces in its changes and in its hash for as long as they count", () => {
  const desk = openDesk();
  const standby = openDesk().engine;
  const plain = openDesk();
  for (const id of ["a", "b", "a"]) desk.apply(give(1n, nonce(id)));
  for (let times = 0; times < 2; times++)
    plain.apply({ kind: "deposit", user: "ann", currency: "idr", amount: 1n, reference: "" });
  standby.absorb(desk.engine.takeChanges());
  expect(standby.stateHash()).toBe(desk.engine.stateHash());
  expect(plain.engine.stateHash()).not.toBe(desk.engine.stateHash());
  for (const each of [desk, plain]) {
    each.wait(40_000);
    each.apply({ kind: "cancelAll", user: "ann", pair: "" });
  }
  expect(plain.engine.stateHash()).toBe(desk.engine.stateHash());
});

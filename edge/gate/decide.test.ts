import { describe, expect, it } from "vitest";
import { type Decision, decide, type GateFacts, type TurnState, type Wants } from "./decide.ts";

const modes = ["active", "paused", "drain", "maintenance", "open"] as const;
const failurePolicies = ["closed", "open"] as const;
const wishes: readonly Wants[] = ["page", "json", "action", "preflight"];
const passes = ["none", "valid", "invalid", "revoked"] as const;
const tickets = ["none", "valid", "invalid"] as const;
const turns: readonly (TurnState | "unasked")[] = [
  "unasked",
  "waiting",
  "admitted",
  "ended",
  "closed",
  "full",
  "address_limit",
  "rate_limited",
  "missing",
  "unavailable",
  "failed",
];

const queues: readonly GateFacts["queue"][] = [
  "none",
  "unknown",
  "missing",
  ...modes.flatMap((mode) => failurePolicies.map((onStoreFailure) => ({ mode, onStoreFailure }))),
];

const everything: readonly GateFacts[] = queues.flatMap((queue) =>
  wishes.flatMap((wants) =>
    passes.flatMap((pass) => tickets.flatMap((ticket) => turns.map((turn): GateFacts => ({ queue, wants, pass, ticket, turn })))),
  ),
);

/** The same rules once more, as a list from which the first that fits counts: a second opinion on every combination. */
type Rule = readonly [name: string, fits: (facts: GateFacts) => boolean, decision: Decision | ((facts: GateFacts) => Decision)];

const modeOf = ({ queue }: GateFacts) => (typeof queue === "string" ? undefined : queue.mode);
const policyOf = ({ queue }: GateFacts) => (typeof queue === "string" ? undefined : queue.onStoreFailure);
const forward = (pass: "none" | "presented" | "new" | "open"): Decision => ({ kind: "forward", pass });
const refuse = (code: Extract<Decision, { kind: "refuse" }>["code"]): Decision => ({ kind: "refuse", code });
const ask = (verb: "enter" | "beat"): Decision => ({ kind: "ask", verb });

const rules: readonly Rule[] = [
  ["no queue: forward without a pass", (f) => f.queue === "none", forward("none")],
  ["nothing known: refuse", (f) => f.queue === "unknown", refuse("store_unavailable")],
  ["a route to nowhere: refuse", (f) => f.queue === "missing", refuse("queue_unavailable")],
  ["a valid pass goes first in every mode", (f) => f.pass === "valid", forward("presented")],
  ["open lets everybody in", (f) => modeOf(f) === "open", forward("open")],
  ["maintenance shows everybody else the page", (f) => modeOf(f) === "maintenance", refuse("queue_maintenance")],
  ["a preflight keeps no place", (f) => f.turn === "unasked" && f.wants === "preflight", refuse("token_invalid")],
  ["a ticket polls", (f) => f.turn === "unasked" && f.ticket === "valid", ask("beat")],
  ["drain takes nobody new", (f) => f.turn === "unasked" && modeOf(f) === "drain", refuse("queue_closed")],
  ["everybody else joins", (f) => f.turn === "unasked", ask("enter")],
  ["admitted goes in", (f) => f.turn === "admitted", forward("new")],
  [
    "an action waits as a refusal",
    (f) => f.turn === "waiting" && ["action", "preflight"].includes(f.wants),
    { kind: "wait", as: "refusal" },
  ],
  ["a page or JSON", (f) => f.turn === "waiting", (f) => ({ kind: "wait", as: f.wants === "page" ? "page" : "json" })],
  ["a used ticket of a draining queue is closed out", (f) => f.turn === "ended" && modeOf(f) === "drain", refuse("queue_closed")],
  ["a used ticket joins anew", (f) => f.turn === "ended", ask("enter")],
  ["an outage with policy open lets in", (f) => f.turn === "unavailable" && policyOf(f) === "open", forward("open")],
  ["an outage refuses", (f) => f.turn === "unavailable", refuse("store_unavailable")],
  ["an unknown error refuses whatever the policy", (f) => f.turn === "failed", refuse("store_unavailable")],
  ["closed", (f) => f.turn === "closed", refuse("queue_closed")],
  ["full", (f) => f.turn === "full", refuse("queue_full")],
  ["address limit", (f) => f.turn === "address_limit", refuse("address_limit")],
  ["rate limit", (f) => f.turn === "rate_limited", refuse("rate_limited")],
  ["gone", (f) => f.turn === "missing", refuse("queue_unavailable")],
];

describe("decide", () => {
  it(`agrees with the list of rules on all ${everything.length} combinations, and every rule is needed`, () => {
    const used = new Set<string>();
    for (const facts of everything) {
      const rule = rules.find(([, fits]) => fits(facts));
      if (rule === undefined) throw new Error(`no rule for ${JSON.stringify(facts)}`);
      const [name, , decision] = rule;
      used.add(name);
      expect(decide(facts), `${name}: ${JSON.stringify(facts)}`).toEqual(typeof decision === "function" ? decision(facts) : decision);
    }
    expect(rules.map(([name]) => name).filter((name) => !used.has(name))).toEqual([]);
  });

  it("forwards to a protected page only with a valid pass, an admission, an open queue, or an outage that was set to open", () => {
    for (const facts of everything) {
      const decision = decide(facts);
      if (decision.kind !== "forward" || facts.queue === "none") continue;
      const isOutage = facts.turn === "unavailable" && policyOf(facts) === "open";
      expect(facts.pass === "valid" || facts.turn === "admitted" || modeOf(facts) === "open" || isOutage).toBe(true);
    }
  });
});

import { describe, expect, it } from "vitest";
import { type Decision, decide, type GateFacts, type TurnState, type Wants } from "./decide.ts";

const phases = ["scheduled", "prequeue", "open", "over", "unsure"] as const;
const modes = ["active", "paused", "drain", "maintenance", "open"] as const;
const failurePolicies = ["closed", "open"] as const;
const wishes: readonly Wants[] = ["page", "json", "other", "form", "action", "preflight"];
const passes = ["none", "valid", "invalid", "revoked"] as const;
const askers = ["visitor", "part", "otherSite"] as const;
const bans = ["none", "shown"] as const;
const stores = ["answering", "failing"] as const;
const tickets = ["none", "valid", "invalid"] as const;
const invites = ["none", "usable"] as const;
const proofs = ["settled", "owed"] as const;
const turns: readonly (TurnState | "unasked")[] = [
  "unasked",
  "waiting",
  "scheduled",
  "admitted",
  "ended",
  "revoked",
  "closed",
  "over",
  "full",
  "address_limit",
  "invite_used",
  "invite_revoked",
  "proof_spent",
  "rate_limited",
  "missing",
  "unavailable",
  "failed",
];

const queues: readonly GateFacts["queue"][] = [
  "none",
  "bypassed",
  "unknown",
  "missing",
  ...modes.flatMap((mode) =>
    failurePolicies.flatMap((onStoreFailure) => phases.flatMap((phase) => stores.map((store) => ({ mode, onStoreFailure, phase, store })))),
  ),
];

const everything: readonly GateFacts[] = queues.flatMap((queue) =>
  wishes.flatMap((wants) =>
    askers.flatMap((asks) =>
      passes.flatMap((pass) =>
        bans.flatMap((ban) =>
          tickets.flatMap((ticket) =>
            invites.flatMap((invite) =>
              proofs.flatMap((proof) => turns.map((turn): GateFacts => ({ queue, wants, asks, pass, ban, ticket, invite, proof, turn }))),
            ),
          ),
        ),
      ),
    ),
  ),
);

/** The same rules once more, as a list from which the first that fits counts: a second opinion on every combination. */
type Rule = readonly [name: string, fits: (facts: GateFacts) => boolean, decision: Decision | ((facts: GateFacts) => Decision)];

const modeOf = ({ queue }: GateFacts) => (typeof queue === "string" ? undefined : queue.mode);
const phaseOf = ({ queue }: GateFacts) => (typeof queue === "string" ? undefined : queue.phase);
const storeOf = ({ queue }: GateFacts) => (typeof queue === "string" ? undefined : queue.store);
const policyOf = ({ queue }: GateFacts) => (typeof queue === "string" ? undefined : queue.onStoreFailure);
const forward = (pass: "none" | "presented" | "new" | "open"): Decision => ({ kind: "forward", pass });
const refuse = (code: Extract<Decision, { kind: "refuse" }>["code"]): Decision => ({ kind: "refuse", code });
const ask = (verb: Extract<Decision, { kind: "ask" }>["verb"]): Decision => ({ kind: "ask", verb });

/** Nothing is known of the line yet, or only that it has no place for the invite. */
const isBeginning = ({ turn }: GateFacts) => ["unasked", "invite_used", "invite_revoked"].includes(turn);

const rules: readonly Rule[] = [
  ["no queue: forward without a pass", (f) => f.queue === "none", forward("none")],
  ["a bypass rule leads past the queue, whatever it is like", (f) => f.queue === "bypassed", forward("open")],
  ["nothing known: a pass holds all the same", (f) => f.queue === "unknown" && f.pass === "valid", forward("presented")],
  ["nothing known: refuse everybody else", (f) => f.queue === "unknown", refuse("store_unavailable")],
  ["a route to nowhere: refuse", (f) => f.queue === "missing", refuse("queue_unavailable")],
  ["a valid pass goes first in every mode", (f) => f.pass === "valid", forward("presented")],
  ["open lets everybody in", (f) => modeOf(f) === "open", forward("open")],
  ["maintenance shows everybody else the page", (f) => modeOf(f) === "maintenance", refuse("queue_maintenance")],
  ["a preflight keeps no place", (f) => isBeginning(f) && f.wants === "preflight", refuse("token_invalid")],
  [
    "the parts of a page that an outage has opened come through",
    (f) => isBeginning(f) && f.asks === "part" && storeOf(f) === "failing" && policyOf(f) === "open" && phaseOf(f) === "open",
    forward("open"),
  ],
  ["a part of a page never joins", (f) => isBeginning(f) && f.asks === "part", refuse("queue_waiting")],
  ["how a session was ended is asked for a visitor who may be banned", (f) => isBeginning(f) && f.ban === "shown", ask("ending")],
  [
    "how a session was ended is asked before its visitor joins again",
    (f) => isBeginning(f) && f.pass === "revoked" && f.ticket !== "valid",
    ask("ending"),
  ],
  [
    "a form of another site takes no place, because it may have one",
    (f) => (isBeginning(f) && f.ticket !== "valid" && f.asks === "otherSite") || (f.turn === "ended" && f.asks === "otherSite"),
    refuse("other_site_form"),
  ],
  [
    "a revoked session is told so",
    (f) => f.turn === "revoked",
    (f) => ({ ...decide({ ...f, turn: "waiting" }), kind: "revoked" }) as Decision,
  ],
  ["an invite moves who waits", (f) => f.turn === "unasked" && f.invite === "usable" && f.ticket === "valid", ask("redeem")],
  ["an invite lets a newcomer join", (f) => f.turn === "unasked" && f.invite === "usable" && modeOf(f) !== "drain", ask("redeem")],
  ["a ticket polls", (f) => isBeginning(f) && f.ticket === "valid", ask("beat")],
  ["drain takes nobody new", (f) => isBeginning(f) && modeOf(f) === "drain", refuse("queue_closed")],
  ["a newcomer who owes work is asked for it", (f) => isBeginning(f) && f.proof === "owed", { kind: "challenge" }],
  ["everybody else joins", (f) => isBeginning(f), ask("enter")],
  ["work is good for one place", (f) => f.turn === "proof_spent", { kind: "challenge" }],
  ["admitted goes in", (f) => f.turn === "admitted", forward("new")],
  [
    "an action waits as a refusal",
    (f) => f.turn === "waiting" && ["action", "preflight"].includes(f.wants),
    { kind: "wait", as: "refusal" },
  ],
  ["a form waits on a page that is a refusal", (f) => f.turn === "waiting" && f.wants === "form", { kind: "wait", as: "refusalPage" }],
  ["who takes neither hears it in a few words", (f) => f.turn === "waiting" && f.wants === "other", { kind: "wait", as: "problem" }],
  ["a page or JSON", (f) => f.turn === "waiting", (f) => ({ kind: "wait", as: f.wants === "page" ? "page" : "json" })],
  [
    "before its time, in the same form",
    (f) => f.turn === "scheduled",
    (f) => ({ ...decide({ ...f, turn: "waiting" }), kind: "early" }) as Decision,
  ],
  ["a used ticket of a draining queue is closed out", (f) => f.turn === "ended" && modeOf(f) === "drain", refuse("queue_closed")],
  ["a used ticket is a newcomer's", (f) => f.turn === "ended" && f.proof === "owed", { kind: "challenge" }],
  ["a used ticket joins anew", (f) => f.turn === "ended", ask("enter")],
  [
    "an outage with policy open lets in while the queue is open",
    (f) => f.turn === "unavailable" && policyOf(f) === "open" && phaseOf(f) === "open",
    forward("open"),
  ],
  ["an outage refuses", (f) => f.turn === "unavailable", refuse("store_unavailable")],
  ["an unknown error refuses whatever the policy", (f) => f.turn === "failed", refuse("store_unavailable")],
  ["closed", (f) => f.turn === "closed", refuse("queue_closed")],
  ["over", (f) => f.turn === "over", refuse("event_over")],
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

  it("forwards to a protected page only with a bypass rule, a valid pass, an admission, an open queue, or an outage that was set to open", () => {
    for (const facts of everything) {
      const decision = decide(facts);
      if (decision.kind !== "forward" || facts.queue === "none" || facts.queue === "bypassed") continue;
      const isFailing = facts.turn === "unavailable" || (facts.asks === "part" && storeOf(facts) === "failing");
      const isOutage = isFailing && policyOf(facts) === "open" && phaseOf(facts) === "open";
      expect(facts.pass === "valid" || facts.turn === "admitted" || modeOf(facts) === "open" || isOutage).toBe(true);
    }
  });
});

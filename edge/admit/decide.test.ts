import { describe, expect, it } from "vitest";
import { type Decision, decide, type GateFacts, type TurnState, type Verb, type Wants } from "./decide.ts";

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
  "banned",
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
    failurePolicies.flatMap((onStoreFailure) =>
      phases.flatMap((phase) => stores.map((store) => ({ mode, onStoreFailure, phase, store }))),
    ),
  ),
];

const URL_DOOR = { door: "url", asked: "nothing" } as const;

const atUrl: readonly GateFacts[] = queues.flatMap((queue) =>
  wishes.flatMap((wants) =>
    askers.flatMap((asks) =>
      passes.flatMap((pass) =>
        bans.flatMap((ban) =>
          tickets.flatMap((ticket) =>
            invites.flatMap((invite) =>
              proofs.flatMap((proof) =>
                turns.map(
                  (turn): GateFacts => ({ ...URL_DOOR, queue, wants, asks, pass, ban, ticket, invite, proof, turn }),
                ),
              ),
            ),
          ),
        ),
      ),
    ),
  ),
);

/** The same rules as a list in which the first match counts: a second implementation for every combination. */
type Rule = readonly [
  name: string,
  fits: (facts: GateFacts) => boolean,
  decision: Decision | ((facts: GateFacts) => Decision),
];

const modeOf = ({ queue }: GateFacts) => (typeof queue === "string" ? undefined : queue.mode);
const phaseOf = ({ queue }: GateFacts) => (typeof queue === "string" ? undefined : queue.phase);
const storeOf = ({ queue }: GateFacts) => (typeof queue === "string" ? undefined : queue.store);
const policyOf = ({ queue }: GateFacts) => (typeof queue === "string" ? undefined : queue.onStoreFailure);
const forward = (pass: "none" | "presented" | "new" | "open"): Decision => ({ kind: "forward", pass });
const refuse = (code: Extract<Decision, { kind: "refuse" }>["code"]): Decision => ({ kind: "refuse", code });
const ask = (verb: Verb): Decision => ({ kind: "ask", verb });
const challenge = (code: "proof_required" | "proof_refused"): Decision => ({ kind: "challenge", code });

/** The line was not asked yet, or only refused the invite. */
const isBeginning = ({ turn }: GateFacts) => ["unasked", "invite_used", "invite_revoked"].includes(turn);

const turnErrors: readonly Rule[] = [
  ["closed", (f) => f.turn === "closed", refuse("queue_closed")],
  ["over", (f) => f.turn === "over", refuse("event_over")],
  ["full", (f) => f.turn === "full", refuse("queue_full")],
  ["address limit", (f) => f.turn === "address_limit", refuse("address_limit")],
  ["rate limit", (f) => f.turn === "rate_limited", refuse("rate_limited")],
  ["deleted queue", (f) => f.turn === "missing", refuse("queue_unavailable")],
  ["outage", (f) => f.turn === "unavailable", refuse("store_unavailable")],
  ["unexpected error, whatever the policy", (f) => f.turn === "failed", refuse("store_unavailable")],
];

const urlRules: readonly Rule[] = [
  ["no queue: forward without a pass", (f) => f.queue === "none", forward("none")],
  ["a bypass rule forwards, whatever the queue", (f) => f.queue === "bypassed", forward("open")],
  [
    "unknown settings: a valid pass is accepted",
    (f) => f.queue === "unknown" && f.pass === "valid",
    forward("presented"),
  ],
  ["unknown settings: all others are refused", (f) => f.queue === "unknown", refuse("store_unavailable")],
  ["a route to a queue that does not exist is refused", (f) => f.queue === "missing", refuse("queue_unavailable")],
  ["a valid pass is accepted in every mode", (f) => f.pass === "valid", forward("presented")],
  ["mode open forwards every request", (f) => modeOf(f) === "open", forward("open")],
  ["mode maintenance shows its page", (f) => modeOf(f) === "maintenance", refuse("queue_maintenance")],
  ["a preflight takes no place", (f) => isBeginning(f) && f.wants === "preflight", refuse("token_invalid")],
  [
    "parts of a page are forwarded while an outage opens the queue",
    (f) =>
      isBeginning(f) &&
      f.asks === "part" &&
      storeOf(f) === "failing" &&
      policyOf(f) === "open" &&
      phaseOf(f) === "open",
    forward("open"),
  ],
  ["a part of a page never joins", (f) => isBeginning(f) && f.asks === "part", refuse("queue_waiting")],
  ["a visitor who may be banned: ask how the session ended", (f) => isBeginning(f) && f.ban === "shown", ask("ending")],
  [
    "a revoked pass without a ticket: ask how the session ended",
    (f) => isBeginning(f) && f.pass === "revoked" && f.ticket !== "valid",
    ask("ending"),
  ],
  [
    "a form of another site takes no place, because its visitor may have one",
    (f) =>
      (isBeginning(f) && f.ticket !== "valid" && f.asks === "otherSite") ||
      (f.turn === "ended" && f.asks === "otherSite"),
    refuse("other_site_form"),
  ],
  [
    "a revoked session is answered as such, banned or not",
    (f) => f.turn === "revoked" || f.turn === "banned",
    (f) => ({ ...decide({ ...f, turn: "waiting" }), kind: "revoked" }) as Decision,
  ],
  [
    "an invite moves a waiting visitor",
    (f) => f.turn === "unasked" && f.invite === "usable" && f.ticket === "valid",
    ask("redeem"),
  ],
  [
    "an invite lets a newcomer join",
    (f) => f.turn === "unasked" && f.invite === "usable" && modeOf(f) !== "drain",
    ask("redeem"),
  ],
  ["a ticket polls", (f) => isBeginning(f) && f.ticket === "valid", ask("beat")],
  ["mode drain takes no newcomers", (f) => isBeginning(f) && modeOf(f) === "drain", refuse("queue_closed")],
  [
    "a newcomer without the required work gets a challenge",
    (f) => isBeginning(f) && f.proof === "owed",
    challenge("proof_required"),
  ],
  ["all others join", (f) => isBeginning(f), ask("enter")],
  ["a proof is good for one place", (f) => f.turn === "proof_spent", challenge("proof_required")],
  ["an admitted visitor is forwarded", (f) => f.turn === "admitted", forward("new")],
  [
    "an action waits as a refusal",
    (f) => f.turn === "waiting" && ["action", "preflight"].includes(f.wants),
    { kind: "wait", as: "refusal" },
  ],
  [
    "a form waits on a page that is a refusal",
    (f) => f.turn === "waiting" && f.wants === "form",
    { kind: "wait", as: "refusalPage" },
  ],
  [
    "a client that takes neither gets a problem",
    (f) => f.turn === "waiting" && f.wants === "other",
    { kind: "wait", as: "problem" },
  ],
  ["a page or JSON", (f) => f.turn === "waiting", (f) => ({ kind: "wait", as: f.wants === "page" ? "page" : "json" })],
  [
    "before the event, in the same form",
    (f) => f.turn === "scheduled",
    (f) => ({ ...decide({ ...f, turn: "waiting" }), kind: "early" }) as Decision,
  ],
  [
    "a used ticket cannot join a draining queue",
    (f) => f.turn === "ended" && modeOf(f) === "drain",
    refuse("queue_closed"),
  ],
  ["a used ticket needs new work", (f) => f.turn === "ended" && f.proof === "owed", challenge("proof_required")],
  ["a used ticket joins again", (f) => f.turn === "ended", ask("enter")],
  [
    "an outage with policy open forwards while the queue is open",
    (f) => f.turn === "unavailable" && policyOf(f) === "open" && phaseOf(f) === "open",
    forward("open"),
  ],
  ...turnErrors,
];

const verbs: readonly (Verb | "nothing")[] = ["nothing", "enter", "beat", "redeem", "ending", "walkIn"];

/** At `enter` and `heartbeat` neither the phase nor the store's state nor the failure policy matters. */
function atOwnDoor(door: "enter" | "heartbeat"): readonly GateFacts[] {
  const asked = verbs.flatMap((verb) =>
    turns.filter((turn) => (turn === "unasked") === (verb === "nothing")).map((turn) => ({ asked: verb, turn })),
  );
  return modes.flatMap((mode) =>
    (["json", "form"] as const).flatMap((wants) =>
      [...passes, "slotless" as const].flatMap((pass) =>
        bans.flatMap((ban) =>
          tickets.flatMap((ticket) =>
            (["none", "usable", "invite_invalid", "invite_expired"] as const).flatMap((invite) =>
              (["settled", "owed", "refused"] as const).flatMap((proof) =>
                asked.map((line): GateFacts => {
                  const queue = { mode, onStoreFailure: "open", phase: "open", store: "answering" } as const;
                  return { door, queue, wants, asks: "visitor", pass, ban, ticket, invite, proof, ...line };
                }),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

const inside: Decision = { kind: "inside" };
const tell: Decision = { kind: "tell" };
const isTold = ({ turn }: GateFacts) =>
  ["waiting", "scheduled", "admitted", "ended", "revoked", "banned"].includes(turn);
const isBeforePlace = ({ asked }: GateFacts) => asked === "nothing" || asked === "ending";
const isNewcomer = (f: GateFacts) =>
  isBeforePlace(f) || (f.asked === "beat" && (f.turn === "ended" || f.turn === "revoked"));
const revokedAs = ({ wants }: GateFacts): Decision => ({
  kind: "revoked",
  as: wants === "form" ? "refusalPage" : "problem",
});

const enterRules: readonly Rule[] = [
  ["a valid pass is inside already", (f) => f.pass === "valid", inside],
  [
    "a pass of an open queue is inside while the queue is open",
    (f) => f.pass === "slotless" && modeOf(f) === "open",
    inside,
  ],
  [
    "a revoked pass or a ban: ask how the session ended",
    (f) => f.asked === "nothing" && (f.pass === "revoked" || f.ban === "shown"),
    ask("ending"),
  ],
  ["a banned visitor takes no place", (f) => f.turn === "banned", revokedAs],
  [
    "mode maintenance takes no newcomers",
    (f) => isBeforePlace(f) && modeOf(f) === "maintenance",
    refuse("queue_maintenance"),
  ],
  ["mode open gives a pass without a slot", (f) => isBeforePlace(f) && modeOf(f) === "open", ask("walkIn")],
  ["an invalid invite is refused", (f) => isBeforePlace(f) && f.invite === "invite_invalid", refuse("invite_invalid")],
  ["an expired invite is refused", (f) => isBeforePlace(f) && f.invite === "invite_expired", refuse("invite_expired")],
  ["a usable invite is redeemed", (f) => isBeforePlace(f) && f.invite === "usable", ask("redeem")],
  ["a ticket polls", (f) => isBeforePlace(f) && f.ticket === "valid", ask("beat")],
  ["in mode drain the line answers", (f) => isNewcomer(f) && modeOf(f) === "drain", ask("enter")],
  [
    "a newcomer without the required work gets a challenge",
    (f) => isNewcomer(f) && f.proof === "owed",
    challenge("proof_required"),
  ],
  ["a wrong proof gets a new challenge", (f) => isNewcomer(f) && f.proof === "refused", challenge("proof_refused")],
  ["all others join, also after a revocation", (f) => isNewcomer(f), ask("enter")],
  ["a place that was revoked meanwhile is refused", (f) => f.turn === "revoked", revokedAs],
  ["a proof is good for one place", (f) => f.turn === "proof_spent", challenge("proof_refused")],
  ["the line's answer as JSON", isTold, tell],
  ["a used invite", (f) => f.turn === "invite_used", refuse("invite_used")],
  ["a revoked invite", (f) => f.turn === "invite_revoked", refuse("invite_revoked")],
  ...turnErrors,
];

const heartbeatRules: readonly Rule[] = [
  ["a valid pass is inside already", (f) => f.pass === "valid", inside],
  [
    "a pass of an open queue is inside while the queue is open",
    (f) => f.pass === "slotless" && modeOf(f) === "open",
    inside,
  ],
  ["the line's answer as JSON", isTold, tell],
  ["a used invite", (f) => f.turn === "invite_used", refuse("invite_used")],
  ["a revoked invite", (f) => f.turn === "invite_revoked", refuse("invite_revoked")],
  ["a spent proof", (f) => f.turn === "proof_spent", refuse("proof_refused")],
  ...turnErrors,
  [
    "mode open gives a waiting visitor a pass without a slot",
    (f) => f.ticket === "valid" && modeOf(f) === "open",
    ask("walkIn"),
  ],
  ["a ticket polls in every other mode", (f) => f.ticket === "valid", ask("beat")],
  ["a revoked pass: ask how the session ended", (f) => f.pass === "revoked", ask("ending")],
  ["a pass of a queue that is no longer open has expired", (f) => f.pass === "slotless", { kind: "expired" }],
  ["a poll without a token is refused", () => true, refuse("token_invalid")],
];

/** Millions of combinations: `expect` is called only for one that differs. */
function expectAgreement(everything: readonly GateFacts[], rules: readonly Rule[]): void {
  const used = new Set<string>();
  for (const facts of everything) {
    const rule = rules.find(([, fits]) => fits(facts));
    if (rule === undefined) throw new Error(`no rule for ${JSON.stringify(facts)}`);
    const [name, , expected] = rule;
    used.add(name);
    const [decided, byRule] = [decide(facts), typeof expected === "function" ? expected(facts) : expected];
    if (!isSame(decided, byRule)) expect(decided, `${name}: ${JSON.stringify(facts)}`).toEqual(byRule);
  }
  expect(rules.map(([name]) => name).filter((name) => !used.has(name))).toEqual([]);
}

function isSame(one: Decision, other: Decision): boolean {
  const [ofOne, ofOther] = [Object.entries(one), Object.entries(other)];
  return ofOne.length === ofOther.length && ofOne.every(([name, value]) => other[name as keyof Decision] === value);
}

describe("decide", () => {
  it(`agrees with a list of rules on all ${atUrl.length} combinations at a protected URL, and every rule is needed`, () => {
    expectAgreement(atUrl, urlRules);
  });

  it.each([
    ["enter", enterRules],
    ["heartbeat", heartbeatRules],
  ] as const)("agrees with a list of rules on every combination at %s, and every rule is needed", (door, rules) => {
    expectAgreement(atOwnDoor(door), rules);
  });

  it("forwards to a protected page only with a bypass rule, a valid pass, an admission, an open queue or an outage with policy open", () => {
    const isAllowed = (facts: GateFacts) => {
      const isFailing = facts.turn === "unavailable" || (facts.asks === "part" && storeOf(facts) === "failing");
      const isOutage = isFailing && policyOf(facts) === "open" && phaseOf(facts) === "open";
      return facts.pass === "valid" || facts.turn === "admitted" || modeOf(facts) === "open" || isOutage;
    };
    const atQueue = atUrl.filter(({ queue }) => queue !== "none" && queue !== "bypassed");
    expect(atQueue.filter((facts) => decide(facts).kind === "forward" && !isAllowed(facts))).toEqual([]);
  });
});

import type { Context } from "hono";
import { systemClock } from "../../shared/clock.ts";
import type { ScriptRunner } from "../../shared/define-script.ts";
import { type ErrorCode, problemResponse } from "../../shared/errors.ts";
import type { FieldFault } from "../../shared/field-faults.ts";
import { newId } from "../../shared/ids.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import type { EdgeEnvironment } from "../env.ts";
import { backgroundLineOf, type Gate } from "../gate/open-gate.ts";
import { log } from "../log.ts";
import type { Platform } from "../platform.ts";
import { openRegistry, type Registry } from "../queue/registry.ts";
import type { QueueSettings } from "../queue/settings.ts";
import { isPublicSite } from "../queue/target-url.ts";
import { someAtOnce } from "../store/some-at-once.ts";
import type { InviteFacts } from "../token/sign-token.ts";
import { type AuditLog, type Intention, openAuditLog } from "./audit/audit-log.ts";
import { AUDIT_ACTIONS, type AuditIntent, presentable } from "./audit/entry.ts";
import { openRouteTable, type RouteTable } from "./route-table.ts";
import { startingWithin } from "./starting-within.ts";

/** Somebody who has shown the operator token: what an operation may use on their behalf. */
export type Operator = {
  /** Every call once: a change that was made and not answered is the operator's to look at, not ours to repeat. */
  readonly store: ScriptRunner;
  readonly registry: Registry;
  readonly routeTable: RouteTable;
  /** For what takes many calls; see `startingWithin`. */
  readonly storeWithin: (limitMs: number) => ScriptRunner;
  /** What is wrong with an upstream that the environment does not allow. */
  readonly targetFaults: (targetUrl: string | null | undefined) => readonly FieldFault[];
  readonly header: (name: string) => string | undefined;
  readonly answer: (status: number, body?: unknown, headers?: Readonly<Record<string, string>>) => Response;
  readonly refuse: (code: ErrorCode, options?: { readonly detail?: string; readonly errors?: readonly FieldFault[] }) => Response;
  /** By the store's clock, which is everybody's; an isolate that has never heard it hears it first. */
  readonly storeNowMs: (queueId: QueueId) => Promise<number>;
  readonly signInvite: (promise: InvitePromise) => Promise<{ readonly invite: string; readonly inviteId: string }>;
  /** Whoever changes something says so first, and then whether it was done or nothing was changed. */
  readonly intend: (intent: AuditIntent) => Promise<Intention>;
  /** The same for a script that makes the change and writes the entry at once; then `changed` is told. */
  readonly auditEntry: AuditLog["entry"];
  readonly changed: (intent: AuditIntent) => void;
  /** This isolate need not wait for the feed. */
  readonly learnRevocation: (queueId: QueueId, id: string) => void;
  /** After the answer. Where nobody polls any more nothing else takes out who is gone, and the next look shall not count them. */
  readonly sweepLater: (queues: readonly SeenQueue[]) => void;
};

type SeenQueue = { readonly queueId: QueueId; readonly settings: QueueSettings };

type InvitePromise = Omit<InviteFacts, "inviteId" | "person" | "nowMs"> & { readonly key: string | undefined };

type Edge = { readonly gate: Gate; readonly platform: Platform };

export function operatorOf(c: Context<EdgeEnvironment>, { gate, platform }: Edge): Operator {
  const { request, requestId, configuration, clientAddress: address } = c.var.visit;
  const storeWithin = (limitMs: number) => startingWithin(gate.store.once, { limitMs, clock: systemClock });
  const store = storeWithin(gate.store.patience.operatorMs);
  const { actor } = c.var;
  const audit = openAuditLog({ store, endStore: gate.store.once }, { actor, requestId });

  /** Also in the log of this edge, with the address: the audit log in the store keeps no addresses. */
  function changed(intent: AuditIntent): void {
    log("info", `an operator ${AUDIT_ACTIONS[intent.action]}`, { requestId, address, actor, ...presentable(intent) });
    gate.directory.expire();
  }

  return {
    store,
    registry: openRegistry(store),
    routeTable: openRouteTable(store),
    storeWithin,
    targetFaults: (targetUrl) => (configuration.allowsPrivateTargets ? [] : targetFaults(targetUrl)),
    header: (name) => request.headers.get(name) ?? undefined,
    answer,
    refuse: (code, options) => problemResponse(code, { requestId, ...options }),
    async intend(intent) {
      const { done, dropped } = await audit.begin(intent);
      const doneAndTold = (made = intent) => {
        changed(made);
        return done(made);
      };
      return { done: doneAndTold, dropped };
    },
    async storeNowMs(queueId) {
      if (!gate.clock.isHeard()) await gate.memoryOf(queueId).revocations.prepare((work) => void work);
      return gate.clock.nowMs();
    },
    async signInvite({ key, ...promise }) {
      const inviteId = newId(gate.fillRandom);
      // Of one queue: what somebody does in another one is another matter.
      const person = key === undefined ? undefined : await gate.hashPerson(`${promise.queueId}:${key}`);
      const facts = { ...promise, inviteId, nowMs: gate.clock.nowMs(), ...(person !== undefined && { person }) };
      return { inviteId, invite: await gate.tokens.signInvite(facts) };
    },
    auditEntry: audit.entry,
    changed,
    learnRevocation: (queueId, id) => gate.memoryOf(queueId).revocations.learn(id),
    sweepLater: (queues) =>
      platform.later(
        c,
        someAtOnce(queues, SWEEPS_AT_ONCE, (queue) => sweep(gate, queue)),
      ),
  };
}

/** A list of a thousand queues must not keep the visitors' own calls waiting for a connection. */
const SWEEPS_AT_ONCE = 2;

/** At most once a second, and over when the sweep is. */
async function sweep(gate: Gate, { queueId, settings }: SeenQueue): Promise<void> {
  let work: Promise<unknown> | undefined;
  gate.memoryOf(queueId).sweeps.now(
    () => backgroundLineOf({ gate, queueId, settings }),
    (started) => {
      work = started;
    },
  );
  await work;
}

function targetFaults(targetUrl: string | null | undefined): readonly FieldFault[] {
  if (targetUrl === null || targetUrl === undefined || isPublicSite(targetUrl)) return [];
  return [{ field: "targetUrl", message: "must be on the public internet" }];
}

/** Configuration and the ids of sessions are nobody else's business, least of all a cache's. */
function answer(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  const all = { "cache-control": "no-store", ...headers };
  return body === undefined ? new Response(null, { status, headers: all }) : Response.json(body, { status, headers: all });
}

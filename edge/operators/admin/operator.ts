import type { Context } from "hono";
import { systemClock } from "../../../shared/clock.ts";
import { type ErrorCode, problemResponse } from "../../../shared/http/errors.ts";
import type { FieldFault } from "../../../shared/http/field-faults.ts";
import { newId } from "../../../shared/ids.ts";
import type { QueueId } from "../../../shared/queue-id.ts";
import type { ScriptRunner } from "../../../shared/store/define-script.ts";
import { backgroundLineOf, type Gate } from "../../admit/open-gate.ts";
import { openRegistry, type Registry } from "../../line/registry.ts";
import type { QueueSettings } from "../../line/settings.ts";
import { isPublicSite } from "../../line/target-url.ts";
import type { EdgeEnvironment } from "../../request/env.ts";
import { log } from "../../request/log.ts";
import { someAtOnce } from "../../store/some-at-once.ts";
import type { InviteFacts } from "../../tokens/sign-token.ts";
import { type AuditLog, type Intention, openAuditLog } from "./audit/audit-log.ts";
import { AUDIT_ACTIONS, type AuditIntent, presentable } from "./audit/entry.ts";
import { startingWithin } from "./queues/starting-within.ts";
import { openRouteTable, type RouteTable } from "./routes/route-table.ts";

/** An authenticated operator: everything that an operation may use. */
export type Operator = {
  /** Every call once: a change that was made and not answered is the operator's to look at, not ours to repeat. */
  readonly store: ScriptRunner;
  readonly registry: Registry;
  readonly routeTable: RouteTable;
  /** For what takes many calls; see `startingWithin`. */
  readonly storeWithin: (limitMs: number) => ScriptRunner;
  /** The faults of an upstream that the environment does not allow. */
  readonly targetFaults: (targetUrl: string | null | undefined) => readonly FieldFault[];
  readonly header: (name: string) => string | undefined;
  readonly answer: (status: number, body?: unknown, headers?: Readonly<Record<string, string>>) => Response;
  readonly refuse: (
    code: ErrorCode,
    options?: { readonly detail?: string; readonly errors?: readonly FieldFault[] },
  ) => Response;
  /** By the store's clock; an isolate that does not know it yet reads it first. */
  readonly storeNowMs: (queueId: QueueId) => Promise<number>;
  readonly signInvite: (promise: InvitePromise) => Promise<{ readonly invite: string; readonly inviteId: string }>;
  /** Every change is announced first, and then reported as done or as not made. */
  readonly intend: (intent: AuditIntent) => Promise<Intention>;
  /** The same for a script that makes the change and writes the entry in one step; then `changed` is called. */
  readonly auditEntry: AuditLog["entry"];
  readonly changed: (intent: AuditIntent) => void;
  /** This isolate need not wait for the feed. */
  readonly learnRevocation: (queueId: QueueId, id: string) => void;
  /**
   * After the response. Without polls nothing else removes visitors who left, and the next reading must not count them.
   */
  readonly sweepLater: (queues: readonly SeenQueue[]) => void;
};

type SeenQueue = { readonly queueId: QueueId; readonly settings: QueueSettings };

type InvitePromise = Omit<InviteFacts, "inviteId" | "person" | "nowMs"> & { readonly key: string | undefined };

export function operatorOf(c: Context<EdgeEnvironment>, gate: Gate): Operator {
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
      // Per queue: a person in one queue is unknown in another.
      const person = key === undefined ? undefined : await gate.hashPerson(`${promise.queueId}:${key}`);
      const facts = { ...promise, inviteId, nowMs: gate.clock.nowMs(), ...(person !== undefined && { person }) };
      return { inviteId, invite: await gate.tokens.signInvite(facts) };
    },
    auditEntry: audit.entry,
    changed,
    learnRevocation: (queueId, id) => gate.memoryOf(queueId).revocations.learn(id),
    sweepLater: (queues) => c.executionCtx.waitUntil(someAtOnce(queues, SWEEPS_AT_ONCE, (queue) => sweep(gate, queue))),
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

/** Configuration and session ids must not be cached. */
function answer(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  const all = { "cache-control": "no-store", ...headers };
  return body === undefined
    ? new Response(null, { status, headers: all })
    : Response.json(body, { status, headers: all });
}

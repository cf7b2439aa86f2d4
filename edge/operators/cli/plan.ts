import { isDeepStrictEqual } from "node:util";
import { type FieldFault, fieldFaults } from "../../../shared/http/field-faults.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import type { BypassRule } from "../../line/bypass-rule.ts";
import type { Route } from "../../line/route.ts";
import { type QueueSettings, queueSettingsSchema } from "../../line/settings.ts";
import { storedBypassRule } from "../admin/routes/bypass-schemas.ts";
import { newRouteTableSchema } from "../admin/routes/route-schemas.ts";
import { newQueueSchema, queueChangeSchema } from "../admin/schemas.ts";
import type { ConfigurationDocument } from "./document.ts";
import type { CurrentQueue, CurrentState } from "./edge-client.ts";

/** The steps that bring the edge to the state of the document. Empty: nothing to do. */
export type Plan = {
  readonly creations: readonly Creation[];
  readonly changes: readonly QueueChange[];
  readonly table: TableChange | undefined;
  readonly deletions: readonly { readonly queueId: string; readonly current: CurrentQueue }[];
};

type Creation = { readonly queueId: string; readonly settings: QueueSettings };

export type QueueChange = {
  readonly queueId: string;
  readonly current: CurrentQueue;
  /** The settings that differ, as they are to be. */
  readonly settings: Readonly<Record<string, unknown>>;
};

export type TableChange = {
  readonly before: CurrentState["table"];
  readonly routes: readonly Route[];
  readonly bypass: readonly BypassRule[];
};

type PlanOptions = { readonly prune: boolean };

/** Checks the whole document before anything is done: its faults come all at once, with the place of each. */
export async function planChanges(
  document: ConfigurationDocument,
  current: CurrentState,
  { prune }: PlanOptions,
): Promise<Result<Plan, readonly FieldFault[]>> {
  const queues = Object.entries(document.queues).map(([queueId, given]) =>
    checkQueue(queueId, given, current.queues.get(queueId)),
  );
  const faults = queues.flatMap((queue) => (queue.ok ? [] : queue.reason));
  const steps = queues.flatMap((queue) => (queue.ok ? [queue.value] : []));
  const deletions = prune ? [...current.queues].filter(([queueId]) => !Object.hasOwn(document.queues, queueId)) : [];
  const goneIds = new Set(deletions.map(([queueId]) => queueId));
  const knownIds = new Set(
    [...current.queues.keys(), ...Object.keys(document.queues)].filter((queueId) => !goneIds.has(queueId)),
  );
  const table = await checkTable(document, current.table, knownIds);
  if (!table.ok) faults.push(...table.reason);
  if (!table.ok || faults.length > 0) return fail(faults);
  return ok({
    creations: steps.filter((step) => step.kind === "creation"),
    changes: steps.filter((step) => step.kind === "change" && Object.keys(step.settings).length > 0) as QueueChange[],
    table: table.value,
    deletions: deletions.map(([queueId, queue]) => ({ queueId, current: queue })),
  });
}

type Step = ({ readonly kind: "creation" } & Creation) | ({ readonly kind: "change" } & QueueChange);

function checkQueue(
  queueId: string,
  given: Given,
  current: CurrentQueue | undefined,
): Result<Step, readonly FieldFault[]> {
  if (current === undefined) {
    const settings = checkNew(queueId, given);
    return settings.ok ? ok({ kind: "creation", queueId, settings: settings.value }) : settings;
  }
  const settings = checkChange(queueId, given, current);
  return settings.ok ? ok({ kind: "change", queueId, current, settings: settings.value }) : settings;
}

type Given = Readonly<Record<string, unknown>>;

function checkNew(queueId: string, given: Given): Result<QueueSettings, readonly FieldFault[]> {
  const parsed = newQueueSchema.safeParse({ ...given, queueId });
  if (!parsed.success) return fail(under(`queues.${queueId}`, fieldFaults(parsed.error)));
  const { queueId: _id, ...settings } = parsed.data;
  return ok(settings);
}

/** The change must be well-formed, and the queue must be valid with it. */
function checkChange(queueId: string, given: Given, { settings }: CurrentQueue): Result<Given, readonly FieldFault[]> {
  if (Object.keys(given).length === 0) return ok({});
  const change = queueChangeSchema.safeParse(given);
  const merged = change.success ? queueSettingsSchema.safeParse({ ...settings, ...change.data }) : change;
  if (!merged.success) return fail(under(`queues.${queueId}`, fieldFaults(merged.error)));
  const [before, after] = [settings as Given, merged.data as Given];
  return ok(
    Object.fromEntries(
      Object.keys(given).flatMap((name) => (isDeepStrictEqual(before[name], after[name]) ? [] : [[name, after[name]]])),
    ),
  );
}

/** Either half that the document does not name stays as it is. */
async function checkTable(
  { routes, bypass }: ConfigurationDocument,
  before: CurrentState["table"],
  knownIds: ReadonlySet<string>,
): Promise<Result<TableChange | undefined, readonly FieldFault[]>> {
  if (routes === undefined && bypass === undefined) return ok(undefined);
  const parsed = newRouteTableSchema.safeParse({ routes: routes ?? before.routes, bypass: bypass ?? before.bypass });
  if (!parsed.success) return fail(fieldFaults(parsed.error));
  const strangers = parsed.data.routes.flatMap(({ queueId }, index) =>
    knownIds.has(queueId) ? [] : [{ field: `routes.${index}.queueId`, message: `there is no queue ${queueId}` }],
  );
  if (strangers.length > 0) return fail(strangers);
  const change = {
    before,
    routes: parsed.data.routes,
    bypass: await Promise.all(parsed.data.bypass.map(storedBypassRule)),
  };
  const isSame = isDeepStrictEqual([before.routes, before.bypass], [change.routes, change.bypass]);
  return ok(isSame ? undefined : change);
}

function under(path: string, faults: readonly FieldFault[]): readonly FieldFault[] {
  return faults.map(({ field, message }) => ({ field: `${path}.${field}`, message }));
}

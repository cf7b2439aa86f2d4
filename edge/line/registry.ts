import { z } from "zod";
import { assert } from "../../shared/assert.ts";
import { type FillRandom, newSecret, systemRandom } from "../../shared/ids.ts";
import type { ScriptRunner } from "../../shared/store/define-script.ts";
import { acceptedForMs, PASS_LIFETIME_SECONDS_MAX } from "../../shared/tokens/admission.ts";
import type { BypassRule } from "./bypass-rule.ts";
import { directoryKeys, queueKeys, revokedAllKey } from "./keys.ts";
import type { Route } from "./route.ts";
import { parseRouteTable, type RouteTableContent, routeTableText } from "./route-table-text.ts";
import {
  deleteQueueScript,
  readDirectoryScript,
  readQueueScript,
  writeDirectoryScript,
  writeQueueScript,
} from "./scripts/registry-scripts.ts";
import { fromMeta, type QueueSettings, toMeta } from "./settings.ts";

/** The operators' queues and routes. Rejects when the store is unavailable. */
export type Registry = {
  readonly readQueue: (queueId: string) => Promise<QueueRecord | undefined>;
  /**
   * The new version, undefined after a concurrent write, or the rule of a draw that forbids the change. Version 0
   * creates.
   */
  readonly writeQueue: (
    queueId: string,
    settings: QueueSettings,
    expectedVersion: number,
  ) => Promise<number | undefined | FixedByDraw>;
  readonly deleteQueue: (
    queueId: string,
    options: { readonly force: boolean },
  ) => Promise<"none" | "occupied" | "deleted">;
  readonly readDirectory: () => Promise<Directory>;
  readonly writeRoutes: (routes: readonly Route[], bypass?: readonly BypassRule[]) => Promise<void>;
};

export type QueueRecord = {
  readonly settings: QueueSettings;
  readonly version: number;
  readonly waiting: number;
  readonly active: number;
  /** Measured, or 0 while nothing is known. */
  readonly admissionsPerSecond: number;
  readonly freedPerSecond: number;
  readonly presentShare: number;
  readonly stillMs: number;
  /** By the store's clock. */
  readonly readAtMs: number;
  /** Newest first; old ones are dropped. The seeds are secret until the opening of their draw: they are not public. */
  readonly draws: readonly Draw[];
};

export type Draw = z.output<typeof drawSchema>;

const drawSchema = z.strictObject({
  /** The numbers of its places: see `order.lua`. */
  span: z.int().min(0),
  seed: z.string().min(1),
  order: z.enum(["random", "lottery"]),
  opensAt: z.int(),
});

/** The setting that cannot be changed now, and why. */
export type FixedByDraw = { readonly field: "order" | "prequeueOpensAt"; readonly message: string };

const FIXED: Readonly<Record<number, FixedByDraw>> = {
  [-1]: { field: "order", message: "cannot change while people take places before the opening" },
  [-2]: { field: "prequeueOpensAt", message: "cannot change while people take places in a draw" },
  [-3]: { field: "order", message: "cannot be drawn again: this queue has had as many draws as there may be" },
};

export type Directory = RouteTableContent & {
  readonly queueIds: readonly string[];
  /** An operator's empty table is one too. Without any the gate is new, or its store has lost what was in it. */
  readonly hasTable: boolean;
};

export const QUEUES_MAX = 1_000;

const REVOCATIONS_KEPT_MS = acceptedForMs(PASS_LIFETIME_SECONDS_MAX * 1_000);

export function openRegistry(store: ScriptRunner, fillRandom: FillRandom = systemRandom): Registry {
  const changeDirectory = (verb: "add" | "remove" | "route", value: string) =>
    writeDirectoryScript.run(store, { keys: directoryKeys, args: { verb, value, limit: QUEUES_MAX } });

  return {
    async readQueue(queueId) {
      const { meta, waiting, active, bucket } = queueKeys(queueId);
      return toRecord(await readQueueScript.run(store, { keys: { meta, waiting, active, bucket }, args: {} }));
    },
    async writeQueue(queueId, settings, expectedVersion) {
      const isNew = expectedVersion < 1;
      // Listed first: a queue that is listed and missing does no harm, one that exists unlisted would be forgotten.
      if (isNew && (await changeDirectory("add", queueId)) === 0)
        throw new Error(`there may be ${QUEUES_MAX} queues and no more`);
      const { meta, bucket } = queueKeys(queueId);
      const args = { expectedVersion, fields: JSON.stringify(toMeta(settings)), seed: newSecret(fillRandom) };
      const version = await writeQueueScript.run(store, { keys: { meta, bucket }, args });
      if (version < 0) return FIXED[version];
      // And again: an older one of this name may have been taken off the list meanwhile.
      if (isNew && version !== 0) await changeDirectory("add", queueId);
      return version === 0 ? undefined : version;
    },
    async deleteQueue(queueId, { force }) {
      const args = { force: force ? 1 : 0, keepMs: REVOCATIONS_KEPT_MS } as const;
      const keys = { ...queueKeys(queueId), all: revokedAllKey(queueId) };
      const outcome = await deleteQueueScript.run(store, { keys, args });
      if (outcome === "occupied") return outcome;
      await changeDirectory("remove", queueId);
      // If it were created again between the two steps, it would exist without being listed.
      const { meta, waiting, active, bucket } = queueKeys(queueId);
      const remade = await readQueueScript.run(store, { keys: { meta, waiting, active, bucket }, args: {} });
      if (remade !== undefined) await changeDirectory("add", queueId);
      return outcome;
    },
    async readDirectory() {
      const [routes = "", ...queueIds] = await readDirectoryScript.run(store, { keys: directoryKeys, args: {} });
      return { queueIds: queueIds.toSorted(), ...parseRouteTable(routes), hasTable: routes !== "" };
    },
    async writeRoutes(routes, bypass = []) {
      await changeDirectory("route", routeTableText({ routes, bypass }));
    },
  };
}

type ReadQueueReply = Awaited<ReturnType<typeof readQueueScript.run>>;

function toRecord(reply: ReadQueueReply): QueueRecord | undefined {
  if (reply === undefined) return undefined;
  const [waiting, active, admissions, freed, present, stillMs, readAtMs, ...flat] = reply;
  assert(flat.length % 2 === 0, "a hash has as many values as names");
  const meta = Object.fromEntries(
    flat.flatMap((text, index) => (index % 2 === 0 ? [[text, flat[index + 1] ?? ""]] : [])),
  );
  const { version, draws = "[]", ...texts } = meta;
  return {
    settings: fromMeta(texts),
    version: Number(version),
    waiting,
    active,
    admissionsPerSecond: admissions / 1000,
    freedPerSecond: freed / 1000,
    presentShare: present / 1000,
    stillMs,
    readAtMs,
    draws: z.array(drawSchema).parse(JSON.parse(draws)),
  };
}

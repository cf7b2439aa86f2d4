import { z } from "zod";
import { assert } from "../../shared/assert.ts";
import type { ScriptRunner } from "../../shared/define-script.ts";
import { directoryKeys, queueKeys } from "./keys.ts";
import { deleteQueueScript, readDirectoryScript, readQueueScript, writeDirectoryScript, writeQueueScript } from "./registry-scripts.ts";
import { fromMeta, type QueueSettings, toMeta } from "./settings.ts";

/** What operators have set up: queues, and the addresses that lead to them. Rejects when the store is away. */
export type Registry = {
  readonly readQueue: (queueId: string) => Promise<QueueRecord | undefined>;
  /** The new version, or undefined when somebody else wrote meanwhile. Version 0 creates. */
  readonly writeQueue: (queueId: string, settings: QueueSettings, expectedVersion: number) => Promise<number | undefined>;
  readonly deleteQueue: (queueId: string, options: { readonly force: boolean }) => Promise<"none" | "occupied" | "deleted">;
  readonly readDirectory: () => Promise<Directory>;
  readonly writeRoutes: (routes: readonly Route[]) => Promise<void>;
};

export type QueueRecord = {
  readonly settings: QueueSettings;
  readonly version: number;
  readonly waiting: number;
  readonly active: number;
  /** Measured, or 0 while nothing is known. */
  readonly admissionsPerSecond: number;
};

export type Directory = { readonly queueIds: readonly string[]; readonly routes: readonly Route[] };

/** `host` is a name, `*.name` or `*`; `path` is a path or ends in `/*`. Both are matched without regard to case. */
export type Route = z.output<typeof routeSchema>;

export const routeSchema = z.strictObject({
  host: z
    .string()
    .regex(/^(\*|(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?)$/, "must be a host name, *.name or *")
    .default("*"),
  path: z
    .string()
    .max(2_048)
    .regex(/^\/[^*?#\s]*\*?$/, "must be a path that may end in *"),
  queueId: z.string(),
});

export const QUEUES_MAX = 1_000;

export function openRegistry(store: ScriptRunner): Registry {
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
      if (isNew && (await changeDirectory("add", queueId)) === 0) throw new Error(`there may be ${QUEUES_MAX} queues and no more`);
      const args = { expectedVersion, fields: JSON.stringify(toMeta(settings)) };
      const version = await writeQueueScript.run(store, { keys: { meta: queueKeys(queueId).meta }, args });
      // And again: an older one of this name may have been taken off the list meanwhile.
      if (isNew && version !== 0) await changeDirectory("add", queueId);
      return version === 0 ? undefined : version;
    },
    async deleteQueue(queueId, { force }) {
      const outcome = await deleteQueueScript.run(store, { keys: queueKeys(queueId), args: { force: force ? 1 : 0 } });
      if (outcome === "occupied") return outcome;
      await changeDirectory("remove", queueId);
      // Made anew between the two steps, it would exist and be listed nowhere.
      const { meta, waiting, active, bucket } = queueKeys(queueId);
      const remade = await readQueueScript.run(store, { keys: { meta, waiting, active, bucket }, args: {} });
      if (remade.length > 0) await changeDirectory("add", queueId);
      return outcome;
    },
    async readDirectory() {
      const [routes = "", ...queueIds] = await readDirectoryScript.run(store, { keys: directoryKeys, args: {} });
      return { queueIds: queueIds.toSorted(), routes: routes === "" ? [] : z.array(routeSchema).parse(JSON.parse(routes)) };
    },
    async writeRoutes(routes) {
      await changeDirectory("route", JSON.stringify(routes));
    },
  };
}

type ReadQueueReply = Awaited<ReturnType<typeof readQueueScript.run>>;

function toRecord(reply: ReadQueueReply): QueueRecord | undefined {
  const [waiting, active, ratePerThousandSeconds, ...flat] = reply;
  if (waiting === undefined || active === undefined || ratePerThousandSeconds === undefined) return undefined;
  assert(flat.length % 2 === 0, "a hash has as many values as names");
  const meta = Object.fromEntries(flat.flatMap((text, index) => (index % 2 === 0 ? [[text, flat[index + 1] ?? ""]] : [])));
  const { version, ...texts } = meta;
  return { settings: fromMeta(texts), version: Number(version), waiting, active, admissionsPerSecond: ratePerThousandSeconds / 1000 };
}

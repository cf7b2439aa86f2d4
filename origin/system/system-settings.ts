import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { z } from "zod";
import { assert } from "../../shared/assert.ts";
import { defineScript } from "../../shared/store/define-script.ts";
import { type Actor, writeAudit } from "../accounts/admin/audit.ts";
import type { Database } from "../db/database.ts";
import { defineQuery } from "../db/define-query.ts";
import { scriptRunner } from "../redis/script-runner.ts";
import { SYSTEM_KEY } from "../state/keys.ts";
import changeSystemSource from "./change-system.sql";
import lockSystemSource from "./lock-system.sql";
import putSystemSource from "./put-system.lua";
import readSystemSource from "./read-system.sql";
import { openSystemCopy, type SystemValues } from "./system-copy.ts";

/**
 * Settings of the whole venue: the record in PostgreSQL, the copy in `config:system`, and this process's own copy, read
 * every 400 ms, so that a change applies everywhere within a second and no request waits for it. When Redis is
 * unavailable, the last known settings apply.
 */
export type SystemSettings = {
  /** Undefined while the venue is open to all users. */
  readonly maintenance: () => { readonly message: string } | undefined;
  /** How many open orders one user may have. */
  readonly openOrdersMax: () => number;
  readonly read: () => Promise<SystemValues>;
  readonly replace: (actor: Actor, values: SystemValues) => Promise<SystemValues>;
  /** Updates the copy from the record. */
  readonly copy: () => Promise<void>;
  readonly stop: () => void;
};

const row = z.object({
  maintenanceMode: z.boolean(),
  maintenanceMessage: z.string(),
  maxOpenOrders: z.int(),
  minVolumeFilter: z.string(),
  revision: z.int(),
});

const readSystem = defineQuery({ name: "read-system", source: readSystemSource, params: [], row });
const lockSystem = defineQuery({ name: "lock-system", source: lockSystemSource, params: [], row });
const changeSystem = defineQuery({
  name: "change-system",
  source: changeSystemSource,
  params: ["maintenanceMode", "maintenanceMessage", "maxOpenOrders", "minVolumeFilter"],
  row,
});

const putSystem = defineScript({
  name: "put-system",
  source: putSystemSource,
  keys: ["system"],
  args: {
    revision: z.int(),
    maintenanceMode: z.string(),
    maintenanceMessage: z.string(),
    maxOpenOrders: z.int(),
    minVolumeFilter: z.string(),
  },
  reply: z.int(),
});

export function openSystemSettings({
  database,
  redis,
  log,
}: {
  database: Database;
  redis: Redis;
  log: Logger;
}): SystemSettings {
  const runner = scriptRunner(redis);
  const copy = openSystemCopy({ redis, log });
  async function put({ revision, ...values }: z.output<typeof row>): Promise<SystemValues> {
    const args = { ...values, revision, maintenanceMode: String(values.maintenanceMode) };
    await putSystem.run(runner, { keys: { system: SYSTEM_KEY }, args });
    await copy.look();
    return values;
  }

  async function read(): Promise<z.output<typeof row>> {
    const found = await readSystem.first(database, {});
    assert(found !== undefined, "the migrations have made the one row");
    return found;
  }

  return {
    maintenance: copy.maintenance,
    openOrdersMax: () => copy.current().maxOpenOrders,
    read: async () => {
      const { revision: _revision, ...values } = await read();
      return values;
    },
    async replace(actor, values) {
      const changed = await database.transaction(async (tx) => {
        const before = await lockSystem.first(tx, {});
        const after = await changeSystem.first(tx, values);
        assert(before !== undefined && after !== undefined, "the migrations have made the one row");
        await writeAudit(tx, { actor, action: "system.changed", target: "system", before, after });
        return after;
      });
      return put(changed);
    },
    copy: async () => void (await put(await read())),
    stop: copy.stop,
  };
}

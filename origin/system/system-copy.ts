import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { z } from "zod";
import { SYSTEM_KEY } from "../state/keys.ts";

export type SystemValues = {
  readonly maintenanceMode: boolean;
  readonly maintenanceMessage: string;
  readonly maxOpenOrders: number;
  readonly minVolumeFilter: string;
};

/**
 * This process's copy of the venue's settings, from `config:system`, read every 400 ms. When Redis is unavailable, the
 * last known settings apply.
 */
export type SystemCopy = {
  readonly current: () => SystemValues;
  /** Undefined while the venue is open to all users. */
  readonly maintenance: () => { readonly message: string } | undefined;
  /** Reads now. */
  readonly look: () => Promise<void>;
  readonly stop: () => void;
};

const LOOK_EVERY_MS = 400;
const DEFAULTS: SystemValues = {
  maintenanceMode: false,
  maintenanceMessage: "",
  maxOpenOrders: 50,
  minVolumeFilter: "10000000",
};

/** A value written by hand with redis-cli may be anything: an invalid one counts as missing. */
const copySchema = z.object({
  maintenance_mode: z.enum(["true", "false"]).catch("false"),
  maintenance_message: z.string().catch(""),
  max_open_orders: z.coerce.number().int().positive().catch(DEFAULTS.maxOpenOrders),
  min_volume_filter: z.string().catch(DEFAULTS.minVolumeFilter),
});

export function openSystemCopy({ redis, log }: { readonly redis: Redis; readonly log: Logger }): SystemCopy {
  let current = DEFAULTS;

  async function look(): Promise<void> {
    try {
      const copy = copySchema.parse(await redis.hgetall(SYSTEM_KEY));
      const maintenanceMode = copy.maintenance_mode === "true";
      if (maintenanceMode !== current.maintenanceMode) log.info({ maintenanceMode }, "maintenance mode");
      const {
        maintenance_message: maintenanceMessage,
        max_open_orders: maxOpenOrders,
        min_volume_filter: minVolumeFilter,
      } = copy;
      current = { maintenanceMode, maintenanceMessage, maxOpenOrders, minVolumeFilter };
    } catch {
      // Redis is unavailable; health reports it, and the last known settings apply.
    } finally {
      timer.refresh();
    }
  }

  const timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  return {
    current: () => current,
    maintenance: () => (current.maintenanceMode ? { message: current.maintenanceMessage } : undefined),
    look,
    stop: () => clearTimeout(timer),
  };
}

import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { PartHealth } from "../../shared/http/health.ts";
import type { CommandBody } from "../engine/command.ts";
import { takesOnMore } from "./submit/commands.ts";

/**
 * How full the venue's Redis is. A full Redis refuses commits, and all trading stops; so before that, new orders and
 * movements are refused while orders can still be cancelled and everything can be read. It ends by itself when there is
 * room again. While Redis is unavailable the last figure counts.
 */
export type Memory = {
  readonly bytes: number;
  /** `maxmemory`; where there is none, the memory of the machine or of its container. 0 when it is not known. */
  readonly limitBytes: number;
  readonly level: "ok" | "high" | "full";
};

export type WatchedMemory = {
  readonly current: () => Memory;
  readonly refusalOf: (body: CommandBody) => "store_full" | undefined;
  readonly health: () => PartHealth;
  readonly stop: () => void;
};

type MemoryParts = {
  readonly redis: Redis;
  readonly log: Logger;
  /** The memory limit of this process's container, if Redis is in the same one; 0 for no limit. */
  readonly containerBytes: number;
};

const LOOK_EVERY_MS = 1_000;
/** Logged from here on; ended orders leave Redis as soon as PostgreSQL has them. */
const HIGH_SHARE = 0.8;
/** New commands are refused from here on. The rest is for cancels and for commands under way. */
const FULL_SHARE = 0.9;
/** Orders are accepted again below this: the gap prevents flapping. */
const FREE_SHARE = 0.88;

export function watchMemory({ redis, log, containerBytes }: MemoryParts): WatchedMemory {
  let memory: Memory = { bytes: 0, limitBytes: 0, level: "ok" };

  function levelOf(share: number): Memory["level"] {
    if (share >= FULL_SHARE || (memory.level === "full" && share >= FREE_SHARE)) return "full";
    return share >= HIGH_SHARE ? "high" : "ok";
  }

  async function look(): Promise<void> {
    try {
      const { bytes, limitBytes } = memoryIn(await redis.info("memory"), containerBytes);
      const before = memory.level;
      memory = { bytes, limitBytes, level: levelOf(limitBytes === 0 ? 0 : bytes / limitBytes) };
      if (memory.level !== before) tell(before);
    } catch {
      // Redis is unavailable: then nothing is appended anyway, and its own health says so.
    } finally {
      timer.refresh();
    }
  }

  function tell(before: Memory["level"]): void {
    const { level, ...facts } = memory;
    if (level === "full")
      log.error(facts, "the venue's Redis is nearly full: new commands are refused until there is room");
    else if (before === "full") log.warn(facts, "the venue's Redis has room again: commands are accepted");
    else if (level === "high") log.warn(facts, "the venue's Redis has used most of its memory");
    else log.info(facts, "the venue's Redis has enough memory again");
  }

  const timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  void look();
  return {
    current: () => memory,
    refusalOf: (body) => (memory.level === "full" && takesOnMore(body) ? "store_full" : undefined),
    health: () => healthOf(memory),
    stop: () => clearTimeout(timer),
  };
}

/** From `INFO memory`, which needs no right to read the configuration. */
export function memoryIn(info: string, containerBytes: number): Pick<Memory, "bytes" | "limitBytes"> {
  const number = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(info)?.[1] ?? 0);
  const limitBytes = number("maxmemory");
  // Redis itself compares without its buffers for replicas and the append-only file.
  if (limitBytes > 0) return { bytes: number("used_memory") - number("mem_not_counted_for_evict"), limitBytes };
  const bounds = [number("total_system_memory"), containerBytes].filter((bound) => bound > 0);
  return { bytes: number("used_memory_rss"), limitBytes: bounds.length === 0 ? 0 : Math.min(...bounds) };
}

const MIB = 1024 * 1024;

function healthOf({ bytes, limitBytes, level }: Memory): PartHealth {
  const detail = `${Math.ceil(bytes / MIB)} MiB of ${Math.floor(limitBytes / MIB)} MiB used`;
  return { name: "venueMemory", state: level === "full" ? "down" : "ok", detail };
}

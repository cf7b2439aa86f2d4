import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import postgres from "postgres";
import type { WireFault } from "../../kit/faulty-wire.ts";
import type { Random } from "../../kit/random.ts";
import { FENCE_KEY } from "../../origin/journal/keys.ts";
import type { Cell } from "./cell.ts";
import type { ChaosStack, PartName } from "./chaos-stack.ts";

type Inject = Cell["inject"];

/** `kill -9`; started again when the fault is over. */
export function killed(...names: readonly PartName[]): Inject {
  return async ({ parts }) => {
    for (const name of names) await parts[name].kill();
    return async () => {
      for (const name of names) await parts[name].startAgain();
    };
  };
}

/** SIGSTOP, later SIGCONT. */
export function frozen(name: PartName): Inject {
  return async ({ parts }) => {
    parts[name].freeze();
    return async () => {
      parts[name].thaw();
    };
  };
}

type Flapping = { readonly stoppedMs: number; readonly runningMs: number };

/** Stopped and running in turn, for as long as the fault lasts. */
export function flapping(name: PartName, { stoppedMs, runningMs }: Flapping): Inject {
  return async ({ parts }) => {
    const part = parts[name];
    const over = new AbortController();
    const flaps = async () => {
      while (!over.signal.aborted) {
        part.freeze();
        await sleep(stoppedMs);
        part.thaw();
        await sleep(runningMs);
      }
    };
    const flapped = flaps();
    return async () => {
      over.abort();
      await flapped;
    };
  };
}

/** A fault of the wires between edges and bridges. */
export function bridgeReplies(fault: WireFault): Inject {
  return async ({ bridgeWires }) => {
    for (const wire of bridgeWires) wire.replyWith(fault);
    return async () => {
      for (const wire of bridgeWires) wire.replyWith("pass");
    };
  };
}

export function venueReplies(fault: WireFault): Inject {
  return async ({ venueWire }) => {
    venueWire.replyWith(fault);
    return async () => {
      venueWire.replyWith("pass");
    };
  };
}

/** Repeated during the fault, as operators and cloud providers do it. */
export function scriptsFlushed(store: "lineUrl" | "venueUrl"): Inject {
  return async (stack) => {
    const redis = new Redis(stack[store]);
    const timer = setInterval(() => void redis.call("SCRIPT", "FLUSH").catch(() => {}), 200);
    return async () => {
      clearInterval(timer);
      redis.disconnect();
    };
  };
}

/** The store has reached its memory limit. */
export function memoryFull(store: "lineUrl" | "venueUrl"): Inject {
  return async (stack) => {
    const redis = new Redis(stack[store]);
    await redis.config("SET", "maxmemory", "1mb");
    return async () => {
      await redis.config("SET", "maxmemory", "0");
      redis.disconnect();
    };
  };
}

/** Another session holds a lock on the ledger's table. */
export const ledgerLocked: Inject = async ({ databaseUrl }) => {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const over = Promise.withResolvers<void>();
  const holding = Promise.withResolvers<void>();
  const held = sql.begin(async (tx) => {
    await tx`LOCK TABLE ledger_consumer_offsets IN ACCESS EXCLUSIVE MODE`;
    holding.resolve();
    await over.promise;
  });
  await holding.promise;
  return async () => {
    over.resolve();
    await held;
    await sql.end();
  };
};

/** The fault hits the engine that leads; its standby keeps running. */
export function leader(does: (name: PartName) => Inject): Inject {
  return async (stack) => does(await findLeader(stack))(stack);
}

export async function findLeader({ parts, venueUrl }: ChaosStack): Promise<PartName> {
  const redis = new Redis(venueUrl);
  try {
    const owner = JSON.stringify(await redis.hgetall(FENCE_KEY));
    return owner.includes(String(parts["engine-2"].pid())) ? "engine-2" : "engine-1";
  } finally {
    redis.disconnect();
  }
}

/** All parts at once; restarted in an order that the seed draws. */
export function everythingKilled(random: Random): Inject {
  return async ({ parts }) => {
    const all = Object.values(parts);
    await Promise.all(all.map((part) => part.kill()));
    return async () => {
      const order = all.map((part) => ({ part, place: random.next() })).toSorted((a, b) => a.place - b.place);
      // A part that starts before its stores may exit, as under any supervisor, and is restarted.
      await Promise.all(order.map(({ part }, index) => startUntilUp(part, index)));
    };
  };
}

const START_TRIES_MAX = 10;
const START_AGAIN_MS = 500;

async function startUntilUp(part: { readonly startAgain: () => Promise<void> }, index: number): Promise<void> {
  await sleep(index * 50);
  for (let attempt = 1; ; attempt++) {
    try {
      await part.startAgain();
      return;
    } catch (error) {
      if (attempt === START_TRIES_MAX) throw error;
      await sleep(START_AGAIN_MS);
    }
  }
}

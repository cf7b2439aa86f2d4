import type { Logger } from "pino";
import { z } from "zod";
import { defineScript, type ScriptRunner } from "../../shared/store/define-script.ts";
import acquireSource from "./acquire.lua";
import { FENCE_KEY } from "./keys.ts";
import renewSource from "./renew.lua";

/**
 * A lease in Redis, by Redis' time, decides which process leads. The lease's epoch protects the journal: every commit
 * is checked against it. So clocks and pauses can make a takeover early or late, but there are never two writers.
 */
const LEASE_MS = 1_500;
/** Three tries within a lease: one lost reply does not end it. */
const RENEW_EVERY_MS = 500;
/** A standby that asks this often takes over within two seconds of a `kill -9`. */
export const ACQUIRE_EVERY_MS = 200;

const acquireScript = defineScript({
  name: "acquire",
  source: acquireSource,
  keys: ["fence"],
  args: { owner: z.string(), leaseMs: z.int() },
  reply: z.int(),
});

const renewScript = defineScript({
  name: "renew",
  source: renewSource,
  keys: ["fence"],
  args: { epoch: z.int(), leaseMs: z.int() },
  reply: z.int(),
});

/** The key of the lease; by default the engine's. */
type LeaseOptions = { readonly key?: string };

/** The epoch under which the caller leads from now on; undefined while another process leads. */
export async function acquireLease(
  runner: ScriptRunner,
  owner: string,
  { key = FENCE_KEY }: LeaseOptions = {},
): Promise<number | undefined> {
  const epoch = await acquireScript.run(runner, { keys: { fence: key }, args: { owner, leaseMs: LEASE_MS } });
  return epoch === 0 ? undefined : epoch;
}

/** A lease that is renewed until it is released or lost. */
export type Lease = {
  readonly epoch: number;
  /** Another epoch has begun. The fence knows it before this process does. */
  readonly isLost: () => boolean;
  readonly letGo: () => void;
  /** Ends the lease, so that a standby need not wait for its expiry. */
  readonly giveBack: () => Promise<void>;
};

export function keepLease(
  runner: ScriptRunner,
  epoch: number,
  log: Logger,
  { key = FENCE_KEY }: LeaseOptions = {},
): Lease {
  let isLost = false;
  const renew = (leaseMs: number) => renewScript.run(runner, { keys: { fence: key }, args: { epoch, leaseMs } });
  const timer = setInterval(() => {
    renew(LEASE_MS)
      .then((isMine) => {
        isLost ||= isMine === 0;
      })
      .catch((error: unknown) => log.warn({ err: error }, "the lease was not renewed"));
  }, RENEW_EVERY_MS);
  const letGo = () => clearInterval(timer);
  return {
    epoch,
    isLost: () => isLost,
    letGo,
    giveBack: async () => {
      letGo();
      await renew(0);
    },
  };
}

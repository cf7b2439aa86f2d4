import type { Clock } from "../../../shared/clock.ts";
import { createLimit, type Limit, type LimitVerdict } from "../../../shared/http/limit.ts";
import { CALLERS_PER_USER, PROCESS_LIMITS, type ProcessLimitName } from "./limit-table.ts";

export type ProcessLimits = Readonly<Record<ProcessLimitName, Limit>> & {
  /** The limits of all keys and sessions of one user together. */
  readonly ofUser: Readonly<Record<ProcessLimitName, Limit>>;
};

/** Ten seconds' worth at once. */
const ADDRESS_BURST_SECONDS = 10;

export function createProcessLimits(
  clock: Clock,
  { requestsPerAddress }: { readonly requestsPerAddress: number },
): ProcessLimits {
  const rules = {
    ...PROCESS_LIMITS,
    address: { perSecond: requestsPerAddress, burst: requestsPerAddress * ADDRESS_BURST_SECONDS },
  };
  const names = Object.keys(PROCESS_LIMITS) as ProcessLimitName[];
  const table = (suffix: string, times: number) => {
    const limits = names.map((name) => {
      const { perSecond, burst } = rules[name];
      return [
        name,
        createLimit({ name: name + suffix, perSecond: perSecond * times, burst: burst * times, clock }),
      ] as const;
    });
    return Object.fromEntries(limits) as Record<ProcessLimitName, Limit>;
  };
  return { ...table("", 1), ofUser: table("-user", CALLERS_PER_USER) };
}

type LimitedCaller = {
  /** The API key, or the user for sessions. */
  readonly callerId: string;
  readonly userId: string;
};

/**
 * Counts one request of a caller and of the user behind it. The verdict is that of the limit that is closer to
 * exhaustion.
 */
export function takeOfCaller(
  limits: ProcessLimits,
  name: ProcessLimitName,
  { callerId, userId }: LimitedCaller,
): LimitVerdict {
  const ofCaller = limits[name].take(callerId);
  if (ofCaller.isOver) return ofCaller;
  const ofUser = limits.ofUser[name].take(userId);
  return ofUser.isOver || ofUser.remainingShare < ofCaller.remainingShare ? ofUser : ofCaller;
}

import type { Clock } from "../../shared/clock.ts";
import { createLimit, type Limit } from "../../shared/limit.ts";
import { PROCESS_LIMITS, type ProcessLimitName } from "./limit-table.ts";

export type ProcessLimits = Readonly<Record<ProcessLimitName, Limit>>;

/** Ten seconds' worth at once. */
const ADDRESS_BURST_SECONDS = 10;

export function createProcessLimits(clock: Clock, { requestsPerAddress }: { readonly requestsPerAddress: number }): ProcessLimits {
  const rules = { ...PROCESS_LIMITS, address: { perSecond: requestsPerAddress, burst: requestsPerAddress * ADDRESS_BURST_SECONDS } };
  const names = Object.keys(PROCESS_LIMITS) as ProcessLimitName[];
  const limits = names.map((name) => [name, createLimit({ name, ...rules[name], clock })] as const);
  return Object.fromEntries(limits) as ProcessLimits;
}

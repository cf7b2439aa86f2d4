import { z } from "zod";
import type { LineWatch } from "./line-watch.ts";
import { createOperator, type OperatorAccess } from "./operator.ts";

const statsSchema = z.object({
  live: z.object({ waiting: z.number(), active: z.number(), maxActive: z.number() }),
  totals: z.object({ admitted: z.number() }),
});

const LOOK_EVERY_MS = 1_000;

/** The line of a given gate, through the operator API. */
export function createOperatorLineWatch({
  queueId,
  ...access
}: OperatorAccess & { readonly queueId: string }): LineWatch {
  const operator = createOperator(access);
  return {
    everyMs: LOOK_EVERY_MS,
    async look() {
      try {
        const { live, totals } = statsSchema.parse(await operator.ask("GET", `/queues/${queueId}/stats?hours=24`));
        return { waiting: live.waiting, active: live.active, cap: live.maxActive, admitted: totals.admitted };
      } catch {
        return undefined;
      }
    },
    stop: () => {},
  };
}

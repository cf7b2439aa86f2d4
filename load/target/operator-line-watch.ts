import { z } from "zod";
import type { LineWatch } from "./line-watch.ts";
import { createOperator, type OperatorAccess } from "./operator.ts";

const statsSchema = z.object({
  at: z.number(),
  live: z.object({ waiting: z.number(), ready: z.number(), active: z.number(), maxActive: z.number() }),
  totals: z.object({ admitted: z.number() }),
});

const pageSchema = z.object({
  sessions: z.array(z.object({ sessionId: z.string(), state: z.enum(["reserved", "admitted"]) })),
  nextCursor: z.string().nullable(),
});

/** Each page costs the edge eleven store calls; a line with more people whose turn it is cannot be watched from outside. */
const PAGES_MAX = 4;
const LOOK_EVERY_MS = 1_000;

/** The line of a gate that is not ours, as its operator sees it. */
export function createOperatorLineWatch({ queueId, ...access }: OperatorAccess & { readonly queueId: string }): LineWatch {
  const operator = createOperator(access);

  /** Reserved slots end long before those of people inside, so they stand in front. */
  async function readReady(count: number): Promise<readonly string[] | undefined> {
    const ready: string[] = [];
    let cursor = "";
    for (let page = 0; page < PAGES_MAX; page++) {
      const answer = pageSchema.parse(await operator.ask("GET", `/queues/${queueId}/sessions?limit=1000${cursor}`));
      ready.push(...answer.sessions.filter(({ state }) => state === "reserved").map(({ sessionId }) => sessionId));
      if (answer.nextCursor === null || ready.length >= count) return ready;
      cursor = `&cursor=${answer.nextCursor}`;
    }
    return undefined;
  }

  return {
    everyMs: LOOK_EVERY_MS,
    async look() {
      const askedAtMs = performance.now();
      try {
        const { at, live, totals } = statsSchema.parse(await operator.ask("GET", `/queues/${queueId}/stats?hours=24`));
        const { waiting, active, maxActive: cap } = live;
        const ready = live.ready === 0 ? [] : await readReady(live.ready);
        const byMs = at + Math.ceil(performance.now() - askedAtMs);
        return { atMs: at, byMs, waiting, active, cap, admitted: totals.admitted, ready, slotEndsMs: new Map() };
      } catch {
        return undefined;
      }
    },
    stop: () => {},
  };
}

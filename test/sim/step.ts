import type { LineAnswer } from "../../edge/line/answer.ts";
import { drawnNumber, revealedOrder } from "../../kit/line-event.ts";
import type { Edge } from "./edge.ts";
import type { Snapshot } from "./snapshot.ts";

/** One call of the line, its answer and the state after it. */
export type Step = {
  readonly nowMs: number;
  readonly call: Call;
  readonly outcome: Outcome;
  readonly after: Snapshot;
};

export type Call =
  | { readonly verb: "enter"; readonly ticketId: string; readonly lane: number; readonly drawSpan: number }
  | { readonly verb: "beat"; readonly ticketId: string; readonly order: number }
  | { readonly verb: "leave"; readonly ticketId: string }
  | { readonly verb: "end"; readonly ticketId: string; readonly reason: "completed" | "revoked" | "left" }
  | { readonly verb: "touch"; readonly ticketId: string; readonly renew: boolean }
  | { readonly verb: "sweep" };

export type Outcome =
  | LineAnswer
  | { readonly state: "done"; readonly hasMore: boolean }
  | { readonly state: "touched"; readonly expiresAtMs: number };

/** A join that took no place. */
export function isTurnedAway({ state }: Outcome): boolean {
  return state === "refused" || state === "scheduled" || state === "draw_changed";
}

export async function takeStep(
  edge: Edge,
  { call, nowMs }: { readonly call: Call; readonly nowMs: number },
): Promise<Step> {
  const outcome = await perform(edge, call);
  return { nowMs, call, outcome, after: await edge.snapshot() };
}

async function perform({ line }: Edge, call: Call): Promise<Outcome> {
  switch (call.verb) {
    case "enter":
      return line.enter({
        ticketId: call.ticketId,
        lane: call.lane,
        addressHash: "one",
        ticketsPerIp: 0,
        drawn: { drawSpan: call.drawSpan, number: drawnNumber(call.ticketId) },
      });
    case "beat":
      return line.beat({ ticketId: call.ticketId, order: revealedOrder(call.ticketId, call.order) });
    case "leave":
      return line.leave(call);
    case "end":
      return { state: "done", ...(await line.end({ sessionId: call.ticketId, reason: call.reason })) };
    case "touch":
      return {
        state: "touched",
        expiresAtMs: await line.touch({ sessionId: call.ticketId, views: 1, how: call.renew ? "renew" : "note" }),
      };
    case "sweep":
      return { state: "done", ...(await line.sweep()) };
  }
}

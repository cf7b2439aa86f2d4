import type { Ticket } from "../../shared/admission.ts";
import { type Drawn, orderOf, placeOf } from "../../shared/draw.ts";
import type { LineAnswer } from "../queue/answer.ts";
import type { Line } from "../queue/line.ts";
import { type Draw, openRegistry } from "../queue/registry.ts";
import { type GuardedQueue, openLineOf } from "./open-gate.ts";

/**
 * Joins with the number that the ticket draws. An operator may have changed the event a moment ago, so that this isolate does not know
 * the draw that is on: then, and only then, its settings are read again and the line is asked twice.
 */
export async function enterDrawn(queue: GuardedQueue, newcomer: Omit<Parameters<Line["enter"]>[0], "drawn">): Promise<LineAnswer> {
  const ask = async (draw: Draw | undefined) =>
    openLineOf(queue).enter({ ...newcomer, drawn: await drawnIn(queue, draw, newcomer.ticketId) });
  const answer = await ask(mayBeDrawn(queue) ? queue.draws[0] : undefined);
  return answer.state === "draw_changed" ? ask((await drawsReadAgain(queue))[0]) : answer;
}

/**
 * The place that a ticket stands for. Until the opening a ticket of a draw carries the first number of the draw, because anybody can
 * read it; what it draws is worked out from its id. Undefined when its draw is long forgotten.
 */
export async function placeOfTicket(queue: GuardedQueue, { ticketId, order }: Ticket): Promise<number | undefined> {
  const place = placeOf(order);
  if (place === undefined || place.number !== 0) return order;
  const isIts = ({ span }: Draw) => span === place.drawSpan;
  const draw = queue.draws.find(isIts) ?? (await drawsReadAgain(queue)).find(isIts);
  const drawn = await drawnIn(queue, draw, ticketId);
  return drawn === undefined ? undefined : orderOf({ ...place, ...drawn });
}

/** Only places taken before the opening are drawn. */
function mayBeDrawn({ settings, phase }: GuardedQueue): boolean {
  return settings.order !== "fifo" && (phase === "prequeue" || phase === "unsure");
}

async function drawnIn({ drawings }: GuardedQueue, draw: Draw | undefined, ticketId: string): Promise<Drawn | undefined> {
  return draw && { drawSpan: draw.span, number: await drawings(draw.seed)(ticketId) };
}

/** Straight from the store, on this visitor's time: a store that is too slow to say must not cost anybody a place. */
async function drawsReadAgain({ gate, queueId, store }: GuardedQueue): Promise<readonly Draw[]> {
  gate.directory.expire();
  return (await openRegistry(store).readQueue(queueId))?.draws ?? [];
}

import { decodeJwt } from "jose";
import { z } from "zod";
import { commitmentOf, drawWith, orderOf, placeOf } from "../../../shared/draw.ts";

/**
 * Checks a lottery with published data only: `GET /_sluice/queues/{id}/draw` after the opening, and the commitment that
 * was noted before it. It needs no store, no network and no secret, and reports faults as sentences.
 */
export type PublishedDraw = z.output<typeof publishedDrawSchema>;

export const publishedDrawSchema = z.looseObject({
  span: z.int().min(0),
  commitment: z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits"),
  seed: z.string({ error: "is not published before the opening" }),
});

/** A ticket's id gives its number; with its place, it can be checked. */
export type ClaimedTicket = { readonly ticketId: string; readonly order?: number | undefined };

const TICKET_ID = /^[A-Za-z0-9_-]{22}$/;
const claimsSchema = z.looseObject({ sub: z.string().regex(TICKET_ID), order: z.int() });

/** `ID`, `ID ORDER`, or a ticket as issued to the visitor. Undefined for anything else. */
export function readTicket(text: string): ClaimedTicket | undefined {
  const [first = "", order, ...rest] = text.trim().split(/[\s,]+/);
  if (rest.length > 0) return undefined;
  if (TICKET_ID.test(first)) return order === undefined ? { ticketId: first } : readOrder(first, order);
  return order === undefined ? readToken(first) : undefined;
}

function readOrder(ticketId: string, order: string): ClaimedTicket | undefined {
  return /^\d{1,16}$/.test(order) ? { ticketId, order: Number(order) } : undefined;
}

/** The signature is not checked: only the ticket's claims matter here. */
function readToken(token: string): ClaimedTicket | undefined {
  try {
    const claims = claimsSchema.safeParse(decodeJwt(token));
    return claims.success ? { ticketId: claims.data.sub, order: claims.data.order } : undefined;
  } catch {
    return undefined;
  }
}

/** The seed must match the commitment that the gate published before the first ticket. */
export async function checkSeed(
  { commitment, seed }: PublishedDraw,
  noted: string = commitment,
): Promise<readonly string[]> {
  const actual = await commitmentOf(seed);
  const faults = [];
  if (actual !== commitment) faults.push("The seed is not the one that the published commitment was made from.");
  if (actual !== noted.toLowerCase())
    faults.push("The seed is not the one that the commitment you noted was made from.");
  return faults;
}

/** `fault`: something is wrong. `silence`: why this ticket says nothing about this draw, which is no fault. */
export type CheckedTicket = { readonly ticketId: string; readonly number: number } & Finding;
type Finding = { readonly fault?: string; readonly silence?: string };

/** Each ticket must draw the number that its id gives, and have the place of that number. */
export async function checkTickets(
  { span, seed }: PublishedDraw,
  tickets: readonly ClaimedTicket[],
): Promise<readonly CheckedTicket[]> {
  const draw = drawWith(seed);
  return Promise.all(
    tickets.map(async ({ ticketId, order }) => {
      const number = await draw(ticketId);
      return { ticketId, number, ...(order !== undefined && findingOf(order, { span, number })) };
    }),
  );
}

function findingOf(order: number, { span, number }: { readonly span: number; readonly number: number }): Finding {
  const place = placeOf(order);
  if (place === undefined) return { silence: "was not drawn: it was issued after the opening, or before the draw" };
  if (place.drawSpan !== span) return { silence: "is from another draw of this queue" };
  if (place.number === 0 && number !== 0) return { silence: "was signed before the opening and has no place" };
  return order === orderOf({ ...place, number })
    ? {}
    : { fault: `has the number ${place.number}, but draws ${number}` };
}

/** Drawn tickets are sorted by their places; of equal ones the smaller id is first. */
export function checkSequence(tickets: readonly ClaimedTicket[]): readonly string[] {
  return tickets.flatMap((ticket, index) => {
    const next = tickets[index + 1];
    return next === undefined || goesBefore(ticket, next)
      ? []
      : [`${next.ticketId} is listed after ${ticket.ticketId}, but belongs before it.`];
  });
}

function goesBefore(one: ClaimedTicket, other: ClaimedTicket): boolean {
  const [first = 0, second = 0] = [one.order, other.order];
  return first < second || (first === second && one.ticketId < other.ticketId);
}

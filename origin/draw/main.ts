import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { z } from "zod";
import {
  type ClaimedTicket,
  checkSeed,
  checkSequence,
  checkTickets,
  type PublishedDraw,
  publishedDrawSchema,
  readTicket,
} from "./check-draw.ts";

/**
 * `npm run verify-draw -- --draw FILE [--commitment HEX] [--ticket TICKET]… [--tickets FILE]`: checks a lottery offline.
 * FILE is what `GET /_sluice/queues/{id}/draw` answered after the opening; TICKET is a ticket or its id; the file of tickets has
 * one in each line, in the order in which they are said to stand, as a ticket or as its id and its order.
 * Ends with 0 when all is as it should be, 1 when something is wrong, 2 when it cannot tell.
 */
const USAGE = "npm run verify-draw -- --draw FILE [--commitment HEX] [--ticket TICKET]… [--tickets FILE]";

try {
  process.exitCode = (await verify()) ? 0 : 1;
} catch (error) {
  print(error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : String(error));
  print(USAGE);
  process.exitCode = 2;
}

async function verify(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      draw: { type: "string" },
      commitment: { type: "string" },
      ticket: { type: "string", multiple: true, default: [] },
      tickets: { type: "string" },
    },
  });
  if (values.draw === undefined) throw new Error("Which draw? Give the file with what its address answered.");
  const draw = publishedDrawSchema.parse(JSON.parse(await readFile(values.draw, "utf8")));
  const listed = values.tickets === undefined ? [] : readTickets((await readFile(values.tickets, "utf8")).split("\n"));
  const faults = [
    ...(await checkSeed(draw, values.commitment)),
    ...(await faultsOf(draw, readTickets(values.ticket), { isTold: true })),
    ...(await faultsOf(draw, listed, { isTold: false })),
    ...checkSequence(listed),
  ];
  for (const fault of faults) print(fault);
  print(faults.length === 0 ? `The draw is as it was announced. ${listed.length} listed tickets checked.` : "This draw is not in order.");
  return faults.length === 0;
}

async function faultsOf(draw: PublishedDraw, tickets: readonly ClaimedTicket[], { isTold }: { readonly isTold: boolean }) {
  const checked = await checkTickets(draw, tickets);
  if (isTold) for (const { ticketId, number } of checked) print(`${ticketId} draws number ${number} of ${2 ** 39}.`);
  return checked.flatMap(({ ticketId, fault }) => (fault === undefined ? [] : [`${ticketId} ${fault}.`]));
}

function readTickets(lines: readonly string[]): readonly ClaimedTicket[] {
  return lines
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const ticket = readTicket(line);
      if (ticket === undefined) throw new Error(`This is neither a ticket nor a ticket's id: ${line.trim().slice(0, 60)}`);
      return ticket;
    });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

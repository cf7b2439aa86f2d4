import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { z } from "zod";
import { type ClaimedTicket, checkSeed, checkSequence, checkTickets, publishedDrawSchema, readTicket } from "./check-draw.ts";

/**
 * `npm run verify-draw -- --draw FILE [--commitment HEX] [--ticket TICKET]… [--tickets FILE]`: checks a lottery offline.
 * FILE is what `GET /_sluice/queues/{id}/draw` answered after the opening; TICKET is a ticket or its id; the file of tickets has
 * one in each line, in the order in which they are said to stand, as a ticket or as its id and its order.
 * Ends with 0 when all is as it should be, 1 when something is wrong, 2 when it cannot tell.
 */
const USAGE = "npm run verify-draw -- --draw FILE [--commitment HEX] [--ticket TICKET]… [--tickets FILE]";

try {
  process.exitCode = await verify();
} catch (error) {
  print(error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : String(error));
  print(USAGE);
  process.exitCode = 2;
}

async function verify(): Promise<number> {
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
  const own = await checkTickets(draw, readTickets(values.ticket));
  for (const { ticketId, number } of own) print(`${ticketId} draws number ${number} of ${2 ** 39}.`);
  const checked = [...own, ...(await checkTickets(draw, listed))];
  const faults = [
    ...(await checkSeed(draw, values.commitment)),
    ...checked.flatMap(({ ticketId, fault }) => (fault === undefined ? [] : [`${ticketId} ${fault}.`])),
    ...checkSequence(listed),
  ];
  const silences = checked.flatMap(({ ticketId, silence }) => (silence === undefined ? [] : [`${ticketId} ${silence}.`]));
  for (const line of [...faults, ...silences]) print(line);
  return conclude({ faults: faults.length, silences: silences.length, listed: listed.length });
}

function conclude({ faults, silences, listed }: Readonly<Record<"faults" | "silences" | "listed", number>>): number {
  if (faults > 0) print("This draw is not in order.");
  else if (silences > 0) print("Nothing is wrong with the seed, but these tickets cannot be compared with the draw.");
  else print(`The draw is as it was announced. ${listed} listed tickets checked.`);
  return faults > 0 ? 1 : silences > 0 ? 2 : 0;
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

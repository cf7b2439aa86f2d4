import { readFile } from "node:fs/promises";
import type { z } from "zod";
import { complain, NOT_UNDERSTOOD, readArgs, runCommand } from "../../../stack/program/command-line.ts";
import {
  type ClaimedTicket,
  checkSeed,
  checkSequence,
  checkTickets,
  publishedDrawSchema,
  readTicket,
} from "./check-draw.ts";

const USAGE = `npm run verify-draw -- --draw FILE --commitment HEX [--ticket TICKET]... [--tickets FILE]
  Checks a lottery offline.

  --draw FILE        the answer of GET /_sluice/queues/{id}/draw after the opening
  --commitment HEX   the commitment that you noted before the opening. Without it, the seed may have been chosen later.
  --ticket TICKET    a ticket, or a ticket's id; may be given several times
  --tickets FILE     one per line, in the announced order, as a ticket or as its id and its order

  The commitment is the SHA-256, in hexadecimal digits, of the base64url text of the seed as it is published, not of the bytes behind that
  text: printf %s SEED | sha256sum

  Exits with 0 if everything was checked and is correct, 1 if something is wrong, 2 if something was not checked.`;

/** Seed and commitment may both have been replaced after the opening; they match then, too. */
const WITHOUT_COMMITMENT =
  "Not checked: whether the commitment is the one that was published before the opening. Pass the one that you noted with --commitment.";

const args = process.argv.slice(2);
process.exitCode = await runCommand({ usage: USAGE, args, run: verify });

async function verify(): Promise<number> {
  const read = readArgs({
    args,
    options: {
      draw: { type: "string" },
      commitment: { type: "string" },
      ticket: { type: "string", multiple: true, default: [] },
      tickets: { type: "string" },
    },
  });
  if (!read.ok) return complain(read.reason);
  const { values } = read.value;
  if (values.draw === undefined)
    return complain("--draw FILE is missing: a file with the answer of the draw's address; see --help.");
  const published = readDraw(await readFile(values.draw, "utf8"));
  if (published === undefined) return complain(`${values.draw} is not the answer of a draw's address.`);
  if (!published.success) return complain(`${values.draw} cannot be checked: ${faultOf(published.error)}.`);
  const draw = published.data;
  const lines = values.tickets === undefined ? [] : (await readFile(values.tickets, "utf8")).split("\n");
  const [own, listed] = [readTickets(values.ticket), readTickets(lines)];
  const stray = own.stray ?? listed.stray;
  if (stray !== undefined) return complain(`This is neither a ticket nor a ticket's id: ${stray}`);
  const checkedOwn = await checkTickets(draw, own.tickets);
  for (const { ticketId, number } of checkedOwn) print(`${ticketId} draws number ${number} of ${2 ** 39}.`);
  const checked = [...checkedOwn, ...(await checkTickets(draw, listed.tickets))];
  const faults = [
    ...(await checkSeed(draw, values.commitment)),
    ...checked.flatMap(({ ticketId, fault }) => (fault === undefined ? [] : [`${ticketId} ${fault}.`])),
    ...checkSequence(listed.tickets),
  ];
  const unchecked = [
    ...checked.flatMap(({ ticketId, silence }) => (silence === undefined ? [] : [`${ticketId} ${silence}.`])),
    ...(values.commitment === undefined ? [WITHOUT_COMMITMENT] : []),
  ];
  for (const line of [...faults, ...unchecked]) print(line);
  return conclude({ faults: faults.length, unchecked: unchecked.length, tickets: checked.length });
}

function conclude({
  faults,
  unchecked,
  tickets,
}: Readonly<Record<"faults" | "unchecked" | "tickets", number>>): number {
  if (faults > 0) print("This draw is not correct.");
  else if (unchecked > 0) print(`No fault was found, but not everything was checked. ${tickets} tickets checked.`);
  else print(`The draw is as announced. ${tickets} tickets checked.`);
  return faults > 0 ? 1 : unchecked > 0 ? NOT_UNDERSTOOD : 0;
}

function readDraw(text: string) {
  try {
    return publishedDrawSchema.safeParse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function faultOf(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; ");
}

function readTickets(lines: readonly string[]): {
  readonly tickets: readonly ClaimedTicket[];
  readonly stray: string | undefined;
} {
  const tickets: ClaimedTicket[] = [];
  for (const line of lines.filter((text) => text.trim() !== "")) {
    const ticket = readTicket(line);
    if (ticket === undefined) return { tickets, stray: line.trim().slice(0, 60) };
    tickets.push(ticket);
  }
  return { tickets, stray: undefined };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { UnsecuredJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../kit/temporary-folder.ts";
import { commitmentOf, drawWith, orderOf } from "../../../shared/draw.ts";
import { newId, newSecret, systemRandom } from "../../../shared/ids.ts";

const TICKETS = 200;
const SPAN = 9;
const program = fileURLToPath(new URL("main.ts", import.meta.url));

const seed = newSecret(systemRandom);
const tickets: { ticketId: string; order: number }[] = [];
let folder = "";
let draw: Record<string, unknown> = {};

beforeAll(async () => {
  folder = await temporaryFolder();
  draw = {
    queueId: "launch",
    span: SPAN,
    commitment: await commitmentOf(seed),
    seed,
    opensAt: 1,
    isDrawn: true,
    past: [],
  };
  const number = drawWith(seed);
  for (let index = 0; index < TICKETS; index++) {
    const ticketId = newId(systemRandom);
    const lane = index % 10 === 0 ? 2 : 0;
    tickets.push({ ticketId, order: orderOf({ lane, drawSpan: SPAN, number: await number(ticketId) }) });
  }
  tickets.sort((one, other) => one.order - other.order);
});

type Run = { readonly code: number; readonly said: string };

/** The commitment that a visitor noted before the opening. */
const noted = async () => ["--commitment", await commitmentOf(seed)];

type Claim = { readonly ticketId: string; readonly order: number };

async function verify(
  list: readonly Claim[],
  { changes = {}, args = [] }: { changes?: object; args?: readonly string[] } = {},
): Promise<Run> {
  const [drawFile, ticketsFile] = [join(folder, "draw.json"), join(folder, "tickets.txt")];
  await writeFile(drawFile, JSON.stringify({ ...draw, ...changes }));
  await writeFile(ticketsFile, list.map(({ ticketId, order }) => `${ticketId} ${order}\n`).join(""));
  return run(["--draw", drawFile, "--tickets", ticketsFile, ...args]);
}

function run(args: readonly string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr });
    });
  });
}

const ticketOf = ({ ticketId, order }: Claim) => new UnsecuredJWT({ order, lane: 0 }).setSubject(ticketId).encode();

function pair(): readonly [Claim, Claim] {
  const [one, other] = tickets.slice(100, 102);
  if (one === undefined || other === undefined) throw new Error("there are enough tickets");
  return [one, other];
}

describe("verify-draw", () => {
  it("accepts an honest draw, and shows a visitor the number of their own ticket", async () => {
    const [own] = pair();
    const { code, said } = await verify(tickets, {
      args: [...(await noted()), "--ticket", ticketOf(own), "--ticket", own.ticketId],
    });
    expect(said).toContain(`${own.ticketId} draws number ${await drawWith(seed)(own.ticketId)} of`);
    expect(said).toContain("The draw is as announced.");
    expect(said).toContain(`${TICKETS + 2} tickets checked`);
    expect(code).toBe(0);
  });

  it("refuses a draw with a swapped pair, whether their places or their lines were swapped", async () => {
    const [one, other] = pair();
    const swappedPlaces = tickets.map((ticket) => {
      if (ticket === one) return { ...one, order: other.order };
      return ticket === other ? { ...other, order: one.order } : ticket;
    });
    const places = await verify(swappedPlaces);
    expect([places.code, places.said]).toEqual([
      1,
      expect.stringMatching(`${one.ticketId} has the number \\d+, but draws \\d+`),
    ]);
    const swappedLines = tickets.map((ticket) => (ticket === one ? other : ticket === other ? one : ticket));
    const lines = await verify(swappedLines);
    expect([lines.code, lines.said]).toEqual([
      1,
      expect.stringContaining(`${one.ticketId} is listed after ${other.ticketId}`),
    ]);
  });

  it("refuses a seed that was chosen after the commitment", async () => {
    const other = newSecret(systemRandom);
    expect((await verify([], { changes: { seed: other } })).code).toBe(1);
    const changes = { seed: other, commitment: await commitmentOf(other) };
    const replaced = await verify([], { changes, args: await noted() });
    expect([replaced.code, replaced.said]).toEqual([1, expect.stringContaining("commitment you noted")]);
    expect((await verify(tickets, { changes })).code).toBe(1);
  });

  it("does not confirm a draw without the noted commitment, because both seed and commitment may have been replaced", async () => {
    const other = newSecret(systemRandom);
    const replaced = await verify([], { changes: { seed: other, commitment: await commitmentOf(other) } });
    expect(replaced).toEqual({
      code: 2,
      said: expect.stringContaining("Not checked: whether the commitment is the one that was published before"),
    });
    expect(replaced.said).not.toContain("as announced");
    expect((await verify(tickets)).code).toBe(2);
    expect(await run(["--help"])).toEqual({ code: 0, said: expect.stringContaining("base64url text of the seed") });
  });

  it("does not report a fault for a ticket of another draw, a later one or one from before the opening", async () => {
    const [{ ticketId, order }, other] = pair();
    const beforeOpening = orderOf({ lane: 0, drawSpan: SPAN, number: 0 });
    const strangers = [
      [order + 2 ** 40, "another draw"],
      [order + 1, "was not drawn"],
      [beforeOpening, "was signed before the opening"],
    ] as const;
    for (const [claimed, words] of strangers) {
      const own = await verify([], { args: ["--ticket", ticketOf({ ticketId, order: claimed })] });
      expect(own).toEqual({ code: 2, said: expect.stringContaining(words) });
      expect(own.said).not.toContain("not correct");
      expect((await verify([{ ticketId, order: claimed }])).code).toBe(2);
    }
    const wrong = { ...other, order: order + 4 };
    expect((await verify([wrong], { args: ["--ticket", ticketOf({ ticketId, order: beforeOpening })] })).code).toBe(1);
  });

  it("lists the missing arguments, and refuses a draw before its opening", async () => {
    expect(await run([])).toMatchObject({ code: 2, said: expect.stringContaining("--draw FILE") });
    expect(await verify([], { changes: { seed: null } })).toMatchObject({
      code: 2,
      said: expect.stringContaining("before the opening"),
    });
    expect(await verify([], { args: ["--ticket", "<script>"] })).toMatchObject({
      code: 2,
      said: expect.stringContaining("neither a ticket"),
    });
  });
});

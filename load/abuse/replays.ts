import { setTimeout as sleep } from "node:timers/promises";
import type { Sight } from "../crowd/read-answer.ts";
import { factsOf } from "../crowd/ticket-facts.ts";
import type { Check } from "../record/run-record.ts";
import { createOperator, OperatorRefusal } from "../target/operator.ts";
import type { Attack, AttackAnswer, AttackDesk } from "./attack-desk.ts";

const ADDRESS = "192.0.2.10";
const PLACES = 20;
const CLAIMS_AT_ONCE = 10;
/** Below `ticketsPerIp` of the run's own stack. */
const JOINS_AT_ONCE = 12;
/** The gate's promise for an ended session. */
const FORGOTTEN_MS_MAX = 2_000;
const ASK_EVERY_MS = 100;
/** A longer line is not worth an attack. */
const WAIT_MS_MAX = 120_000;
/** If no line forms while the crowd arrives, none will. */
const LINE_MS_MAX = 30_000;

/** Valid tokens, used too often: a ticket claimed many times at once, a pass from many addresses, a used ticket. */
export const replays: Attack = {
  name: "replays",
  async run(desk) {
    const ticket = await joinLine(desk);
    if (ticket === undefined)
      return [notDone("a ticket to replay", "no line formed: the crowd must be larger or the cap smaller")];
    const pass = await claim(desk, ticket);
    if (pass === undefined) return [notDone("a pass to replay", "no admission within two minutes")];
    return [
      ...(await claimAgain(desk, ticket, pass)),
      await usePassEverywhere(desk, pass),
      ...(await useAfterLeaving(desk, { ticket, pass })),
    ];
  },
};

function notDone(name: string, seen: string): Check {
  return { name, expected: "one", seen, isMet: false };
}

const ticketCookieOf = (desk: AttackDesk, ticket: string) => ({ cookie: `${desk.ticketCookie}=${ticket}` });
const passCookieOf = (desk: AttackDesk, pass: string) => ({ cookie: `${desk.passCookie}=${pass}` });

/** Only a waiting visitor has a ticket. Several joins at once make a short line; unneeded places are returned. */
async function joinLine(desk: AttackDesk): Promise<string | undefined> {
  const startedMs = performance.now();
  while (performance.now() - startedMs < LINE_MS_MAX) {
    const enter = { method: "POST", path: desk.route("enter"), address: ADDRESS } as const;
    const joined = await Promise.all(Array.from({ length: JOINS_AT_ONCE }, () => desk.ask(enter)));
    const kept = joined.find(({ sight }) => sight.state === "waiting");
    await Promise.all(joined.filter((answer) => answer !== kept).map((answer) => desk.giveBack(answer)));
    if (kept?.sight.state === "waiting") return kept.sight.ticket;
    await sleep(ASK_EVERY_MS);
  }
  return undefined;
}

async function claim(desk: AttackDesk, ticket: string): Promise<string | undefined> {
  const startedMs = performance.now();
  while (performance.now() - startedMs < WAIT_MS_MAX) {
    const { sight } = await poll(desk, ticket);
    if (sight.state === "admitted") return sight.pass;
    await sleep(pauseAfter(sight));
  }
  return undefined;
}

function poll(desk: AttackDesk, ticket: string, edge = 0): Promise<AttackAnswer> {
  return desk.ask({
    method: "POST",
    path: desk.route("heartbeat"),
    headers: ticketCookieOf(desk, ticket),
    address: ADDRESS,
    edge,
  });
}

function pauseAfter(sight: Sight): number {
  return sight.state === "waiting" ? sight.pollAfterMs : 1_000;
}

async function claimAgain(desk: AttackDesk, ticket: string, pass: string): Promise<readonly Check[]> {
  const answers = await Promise.all(Array.from({ length: CLAIMS_AT_ONCE }, (_, edge) => poll(desk, ticket, edge)));
  const sessions = answers.map(({ sight }) => (sight.state === "admitted" ? factsOf(sight.pass).id : sight.label));
  const distinct = new Set([factsOf(pass).id, ...sessions]).size;
  const name = `a ticket claimed ${CLAIMS_AT_ONCE} times more at once`;
  return [
    { name, expected: "1 session", seen: `${distinct} session${distinct === 1 ? "" : "s"}`, isMet: distinct === 1 },
  ];
}

async function usePassEverywhere(desk: AttackDesk, pass: string): Promise<Check> {
  const slotsBefore = await slotOf(desk, pass);
  const headers = passCookieOf(desk, pass);
  const asked = Array.from({ length: PLACES }, (_, place) =>
    desk.ask({ path: desk.target.path, headers, address: `198.51.100.${place + 1}`, edge: place }),
  );
  const served = (await Promise.all(asked)).filter(
    ({ sight }) => sight.state === "served" || sight.state === "admitted",
  ).length;
  const slots = await slotOf(desk, pass);
  const isMet = served === PLACES && slots === slotsBefore;
  return {
    name: `one pass used from ${PLACES} addresses`,
    expected: "one visitor in one slot, from any address",
    seen: `${served} answers, ${slots ?? "unknown"} slot`,
    isMet,
  };
}

/** How many slots the session holds, where an operator can be asked. */
async function slotOf({ target: { own, urls, queueId } }: AttackDesk, pass: string): Promise<number | undefined> {
  if (own === undefined) return undefined;
  const operator = createOperator({ url: urls[0], adminToken: own.adminToken });
  try {
    await operator.ask("GET", `/queues/${queueId}/sessions/${factsOf(pass).id}`);
    return 1;
  } catch (error) {
    if (error instanceof OperatorRefusal && error.status === 404) return 0;
    throw error;
  }
}

async function useAfterLeaving(
  desk: AttackDesk,
  { ticket, pass }: { readonly ticket: string; readonly pass: string },
): Promise<readonly Check[]> {
  await desk.ask({ method: "POST", path: desk.route("leave"), headers: passCookieOf(desk, pass), address: ADDRESS });
  const forgottenMs = await untilForgotten(desk, pass);
  const used = await poll(desk, ticket);
  const page = await desk.ask({ path: desk.target.path, headers: ticketCookieOf(desk, ticket), address: ADDRESS });
  const isNew = newIdOf(page) !== factsOf(ticket).id;
  await desk.giveBack(page);
  return [
    {
      name: "a pass after its visitor has left",
      expected: "refused everywhere within 2 s",
      seen: forgottenMs === undefined ? "still served" : "refused in time",
      isMet: forgottenMs !== undefined,
    },
    { name: "a used ticket, polled", expected: "ended", seen: used.sight.state, isMet: used.sight.state === "ended" },
    {
      name: "a used ticket, on a page",
      expected: "a newcomer",
      seen: isNew ? "a newcomer" : "the old place",
      isMet: isNew,
    },
  ];
}

function newIdOf({ sight }: AttackAnswer): string {
  if (sight.state === "waiting") return factsOf(sight.ticket).id;
  return sight.state === "admitted" ? factsOf(sight.pass).id : "";
}

/** The first round in which no edge forwards the pass; it must begin in time. */
async function untilForgotten(desk: AttackDesk, pass: string): Promise<number | undefined> {
  const startedMs = performance.now();
  let askedMs = 0;
  while (askedMs <= FORGOTTEN_MS_MAX) {
    askedMs = performance.now() - startedMs;
    const rounds = desk.target.urls.map((_, edge) =>
      desk.ask({ path: desk.target.path, headers: passCookieOf(desk, pass), address: ADDRESS, edge }),
    );
    const answers = await Promise.all(rounds);
    for (const answer of answers) if (answer.sight.state !== "served") await desk.giveBack(answer);
    if (answers.every(({ sight }) => sight.state !== "served")) return askedMs;
    await sleep(ASK_EVERY_MS);
  }
  return undefined;
}

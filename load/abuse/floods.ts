import type { Check } from "../record/run-record.ts";
import type { Attack, AttackAnswer, AttackDesk } from "./attack-desk.ts";

/** More than an isolate takes from one address at once. */
const JOINS = 3_000;
const POLLS = 300;
const FLOOD_ADDRESS = "203.0.113.7";
const POLL_ADDRESS = "203.0.113.8";
/** A gate that admits more at once has room for every visitor: there is no ticket to poll with. */
const LET_IN_MAX = 40;
/** `ticketsPerIp` of the run's own stack. */
export const PLACES_OF_ADDRESS_MAX = 20;

/**
 * Thousands of joins from one address, and one ticket that polls without a pause. At a given gate the honest crowd
 * comes from the same address, so the joins are left out there.
 */
export const floods: Attack = {
  name: "floods",
  run: async (desk) => [...(desk.target.own === undefined ? [] : await floodJoins(desk)), ...(await floodPolls(desk))],
};

async function floodJoins(desk: AttackDesk): Promise<readonly Check[]> {
  const answers = await Promise.all(
    Array.from({ length: JOINS }, (_, join) =>
      desk.ask({ method: "POST", path: desk.route("enter"), address: FLOOD_ADDRESS, edge: join }),
    ),
  );
  const given = answers.filter(({ sight }) => sight.state === "waiting" || sight.state === "admitted");
  const failed = failures(answers);
  await Promise.all(given.map((answer) => desk.giveBack(answer)));
  return [
    {
      name: `${JOINS} joins at once from one address`,
      expected: `at most ${PLACES_OF_ADDRESS_MAX} places`,
      seen: `${given.length} places, ${counted(answers)}`,
      isMet: given.length <= PLACES_OF_ADDRESS_MAX,
    },
    { name: "answers to these joins", expected: "no 5xx, none missing", seen: `${failed} failed`, isMet: failed === 0 },
  ];
}

/** A visitor who has to wait, behind others who took the free slots and return them at the end. */
async function findPlaceInLine(
  desk: AttackDesk,
): Promise<{ readonly place: AttackAnswer | undefined; readonly letIn: readonly AttackAnswer[] }> {
  const letIn: AttackAnswer[] = [];
  while (letIn.length < LET_IN_MAX) {
    const address = letIn.length === 0 ? POLL_ADDRESS : `198.51.100.${letIn.length}`;
    const answer = await desk.ask({ method: "POST", path: desk.route("enter"), address });
    if (answer.sight.state === "waiting") return { place: answer, letIn };
    letIn.push(answer);
  }
  return { place: undefined, letIn };
}

/** An early poll is answered from memory, and too many polls are refused. */
async function floodPolls(desk: AttackDesk): Promise<readonly Check[]> {
  const { place, letIn } = await findPlaceInLine(desk);
  const checks =
    place?.sight.state === "waiting" ? [await pollAtOnce(desk, { place, ticket: place.sight.ticket })] : [];
  await Promise.all(letIn.map((answer) => desk.giveBack(answer)));
  return checks;
}

async function pollAtOnce(
  desk: AttackDesk,
  { place, ticket }: { readonly place: AttackAnswer; readonly ticket: string },
): Promise<Check> {
  const headers = { cookie: `${desk.ticketCookie}=${ticket}` };
  const request = { method: "POST", path: desk.route("heartbeat"), headers, address: place.address } as const;
  const answers = await Promise.all(Array.from({ length: POLLS }, (_, edge) => desk.ask({ ...request, edge })));
  const refused = answers.filter(({ raw }) => raw?.status === 429).length;
  const failed = failures(answers);
  await desk.giveBack(answers.find(({ sight }) => sight.state === "admitted") ?? place);
  return {
    name: `${POLLS} polls of one ticket at once`,
    expected: "most are refused with 429, none fails",
    seen: `${refused} refused, ${failed} failed`,
    isMet: refused > POLLS / 2 && failed === 0,
  };
}

function failures(answers: readonly AttackAnswer[]): number {
  return answers.filter(({ raw }) => raw === undefined || raw.status >= 500).length;
}

function counted(answers: readonly AttackAnswer[]): string {
  const counts = new Map<string, number>();
  for (const { sight } of answers) counts.set(sight.label, (counts.get(sight.label) ?? 0) + 1);
  return [...counts].map(([label, count]) => `${count} × ${label}`).join(", ");
}

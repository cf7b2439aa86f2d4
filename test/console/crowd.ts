import type { Redis } from "ioredis";
import { openLine } from "../../edge/line/line.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { newId, systemRandom } from "../../shared/ids.ts";

const TICKET_LIFE_MS = 3_600_000;
/** Those so near to the front that they may go in next ask each time, and of the others some. */
const NEAR = 60;
const OTHERS_AT_ONCE = 80;
const TURN_MS = 250;

const JOINS_AT_ONCE = 100;

type Waiting = { readonly ticketId: string; readonly order: number; askedAtTurn: number };

export type Crowd = { readonly stop: () => Promise<void> };

/** People straight on the line, who come in when they may and stay. */
export async function startCrowd(redis: Redis, queueId: string, size: number): Promise<Crowd> {
  const line = openLine({ store: scriptRunner(redis), queueId, ticketLifeMs: TICKET_LIFE_MS, random: () => 0.5 });
  const waiting: Waiting[] = [];
  let turns = 0;
  while (waiting.length < size) waiting.push(...(await joinSome(Math.min(JOINS_AT_ONCE, size - waiting.length))));
  let isOver = false;

  /** In the order of the connection, which is that of the calls. Visitors who are admitted at once are replaced. */
  async function joinSome(count: number): Promise<readonly Waiting[]> {
    const ticketIds = Array.from({ length: count }, () => newId(systemRandom));
    const answers = await Promise.all(
      ticketIds.map((ticketId) => line.enter({ ticketId, lane: 0, addressHash: "crowd", ticketsPerIp: 0 })),
    );
    return answers.flatMap((answer, index) =>
      answer.state === "waiting" ? [{ ticketId: ticketIds[index] ?? "", order: answer.order, askedAtTurn: 0 }] : [],
    );
  }

  async function turn(): Promise<void> {
    // A visitor who has polled goes to the end of the list.
    const others = waiting.slice(NEAR).toSorted((left, right) => left.askedAtTurn - right.askedAtTurn);
    const asking = [...waiting.slice(0, NEAR), ...others.slice(0, OTHERS_AT_ONCE)];
    turns++;
    for (const visitor of asking) visitor.askedAtTurn = turns;
    const answers = await Promise.all(asking.map((visitor) => line.beat(visitor)));
    const inside = new Set(asking.filter((_, index) => answers[index]?.state !== "waiting"));
    waiting.splice(0, waiting.length, ...waiting.filter((visitor) => !inside.has(visitor)));
  }

  async function run(): Promise<void> {
    while (!isOver) {
      await turn();
      await new Promise((resolve) => setTimeout(resolve, TURN_MS));
    }
  }

  const running = run();
  return {
    async stop() {
      isOver = true;
      await running;
    },
  };
}

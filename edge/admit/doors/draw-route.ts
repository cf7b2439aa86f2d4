import type { Context } from "hono";
import { commitmentOf } from "../../../shared/draw.ts";
import { problemResponse } from "../../../shared/http/errors.ts";
import type { Draw, QueueRecord } from "../../line/registry.ts";
import type { EdgeEnvironment } from "../../request/env.ts";
import { queueOfRoute } from "./queue-of-route.ts";

/**
 * `GET /_sluice/queues/{id}/draw`: everything needed to check a lottery. The commitment is published as soon as the
 * draw is planned, before places can be taken; the seed from the opening on, by the store's clock, and never sooner.
 */
export async function drawRoute(c: Context<EdgeEnvironment>): Promise<Response> {
  const found = await queueOfRoute(c);
  if (!found.ok) return found.reason;
  const { queue, record } = found.value;
  const [latest, ...past] = await Promise.all(lotteriesOf(record).map((draw) => publishedDraw(draw, record)));
  if (latest === undefined) return problemResponse("draw_not_found", { requestId: c.var.visit.requestId });
  return Response.json(
    { queueId: queue.queueId, ...latest, algorithm: ALGORITHM, howToCheck: HOW_TO_CHECK, past },
    { headers: { "cache-control": "public, max-age=1" } },
  );
}

const ALGORITHM = {
  commitment: "SHA-256(seed)",
  number: "first 39 bits of HMAC-SHA-256(seed, ticketId)",
  order: "lane, number, ticketId",
};

const HOW_TO_CHECK = [
  "Before the opening, keep the commitment. After it, the SHA-256 of the seed, in hexadecimal digits, must be that commitment.",
  "The first 10 hexadecimal digits of the HMAC-SHA-256 of your ticket's id under the seed, halved and rounded down, are your number.",
  "Your ticket's id is its claim sub. From the opening on, its claim order is (3 - lane) * 2^50 + span * 2^40 + 2 * number + 1.",
  "In each lane the smallest number goes first; of two equal numbers, the id that sorts first. Later visitors stand behind.",
  "npm run verify-draw -- --draw FILE --ticket TICKET does all of this, offline, with what this address answered.",
];

/** Only lotteries are published. */
function lotteriesOf({ draws }: QueueRecord): readonly Draw[] {
  return draws.filter(({ order }) => order === "lottery");
}

async function publishedDraw({ span, seed, opensAt }: Draw, { readAtMs }: QueueRecord) {
  const isDrawn = readAtMs >= opensAt;
  return { span, commitment: await commitmentOf(seed), opensAt, isDrawn, seed: isDrawn ? seed : null };
}

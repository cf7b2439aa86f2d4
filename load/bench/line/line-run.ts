import { Redis } from "ioredis";
import type { LineAnswer } from "../../../edge/line/answer.ts";
import { queueKeys } from "../../../edge/line/keys.ts";
import { openLine } from "../../../edge/line/line.ts";
import { createAgenda } from "../../../kit/agenda.ts";
import { type PlainSettings, writeSettings } from "../../../kit/line-settings.ts";
import { seededRandom } from "../../../kit/random.ts";
import { scriptRunner } from "../../../origin/redis/script-runner.ts";
import { assert } from "../../../shared/assert.ts";
import type { ScriptRunner } from "../../../shared/store/define-script.ts";
import { keepScore, type LineScore } from "../../verdict/line-score.ts";
import { createBusiestSpan } from "./busiest-span.ts";
import { type Crowd, type CrowdVisitor, willStay } from "./line-crowd.ts";
import { watchEntries } from "./line-entries.ts";

const START_MS = 1_750_000_000_000;
const NETWORK_MS_MAX = 100;
/** The sweep interval of an edge. */
const SWEEP_EVERY_MS = 1_000;
const CLAIM_SECONDS = 20;
const TICKET_LIFE_MS = 3_600_000;

let runs = 0;

/** Sluice's line under a crowd: the real scripts on a real Redis, in simulated time. */
export async function runLine(url: string, crowd: Crowd): Promise<LineScore> {
  const { visitors, limits } = crowd;
  const queueId = `bench-${runs++}`;
  const settings = settingsFor(crowd);
  const redis = new Redis(url);
  await writeSettings(redis, { queueId, settings });
  const random = seededRandom(visitors.length);
  const agenda = createAgenda<() => Promise<void>>();
  const score = keepScore(limits);
  const entries = watchEntries({ redis, queueId, limits });
  const polls = createBusiestSpan();
  const left = new Set(visitors.filter((visitor) => willStay(visitor)));
  let nowMs = 0;
  let storeCalls = 0;
  const store = followedByLook(scriptRunner(redis), () => entries.look(START_MS + nowMs));
  const line = openLine({
    store,
    queueId,
    ticketLifeMs: TICKET_LIFE_MS,
    random: random.next,
    simulatedNowMs: () => START_MS + nowMs,
  });

  async function call<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    storeCalls++;
    const answer = await send();
    entries.judge(await store.look());
    return answer;
  }

  async function poll(visitor: CrowdVisitor, order: number): Promise<void> {
    polls.add(nowMs);
    await react(visitor, await call(() => line.beat({ ticketId: visitor.name, order })));
  }

  async function join(visitor: CrowdVisitor): Promise<void> {
    entries.joined(visitor);
    if (left.has(visitor)) score.joined(nowMs);
    await react(
      visitor,
      await call(() => line.enter({ ticketId: visitor.name, lane: 0, addressHash: "", ticketsPerIp: 0 })),
    );
  }

  async function react(visitor: CrowdVisitor, answer: LineAnswer): Promise<void> {
    if (answer.state === "waiting") {
      const pollAtMs = nowMs + answer.pollAfterMs + random.between(0, NETWORK_MS_MAX);
      if (pollAtMs < visitor.silentFromMs) agenda.add(pollAtMs, () => poll(visitor, answer.order));
      if (answer.hasMore) await call(line.sweep);
    } else if (answer.state === "admitted") {
      const enteredMs = nowMs + answer.holdMs;
      entries.entered(visitor, enteredMs);
      agenda.add(enteredMs, () => enter(visitor));
    }
  }

  async function enter(visitor: CrowdVisitor): Promise<void> {
    if (left.delete(visitor)) score.admitted(nowMs);
    else score.admittedBesides(nowMs);
    // The first request with the pass extends the slot from the claim window to the session.
    await call(() => line.touch({ sessionId: visitor.name, views: 1, how: "note", isFirst: true }));
    agenda.add(nowMs + visitor.stayMs, () => end(visitor));
  }

  async function end(visitor: CrowdVisitor): Promise<void> {
    await call(() => line.end({ sessionId: visitor.name, reason: "completed" }));
    score.ended(nowMs);
  }

  async function sweep(): Promise<void> {
    await call(line.sweep);
    if (left.size > 0) agenda.add(nowMs + SWEEP_EVERY_MS, sweep);
  }

  for (const visitor of visitors) agenda.add(visitor.joinsAtMs, () => join(visitor));
  agenda.add(SWEEP_EVERY_MS, sweep);
  for (let next = agenda.next(); next !== undefined && left.size > 0; next = agenda.next()) {
    nowMs = next.atMs;
    await next.event();
  }
  await redis.del(...Object.values(queueKeys(queueId)));
  redis.disconnect();
  return { ...score.total(nowMs), ...entries.faults(), storeCalls, pollsPerSecondMax: polls.perSecond() };
}

/** The sample is sent in the same turn as the call, so that nothing runs between them. */
function followedByLook<Look>(
  runner: ScriptRunner,
  look: () => Promise<Look>,
): ScriptRunner & { readonly look: () => Promise<Look> } {
  let last: Promise<Look> | undefined;
  const andThenLook = (reply: Promise<unknown>) => {
    last = look();
    return reply;
  };
  return {
    evalsha: (...call) => andThenLook(runner.evalsha(...call)),
    eval: (...call) => andThenLook(runner.eval(...call)),
    look: () => {
      assert(last !== undefined, "a look follows a call");
      return last;
    },
  };
}

function settingsFor({ visitors, limits }: Crowd): PlainSettings {
  const { maxActive, rate, burst } = limits;
  const times = { sessionTtlSeconds: 3_600, claimSeconds: CLAIM_SECONDS, heartbeatTtlSeconds: 60 };
  return { mode: "active", maxActive, rate, burst, ...times, maxQueueSize: visitors.length };
}

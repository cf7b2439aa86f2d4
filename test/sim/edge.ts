import { Redis } from "ioredis";
import { type Line, openLine } from "../../edge/queue/line.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { assert } from "../../shared/assert.ts";
import type { ScriptRunner } from "../../shared/define-script.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";

/** One edge: a line over a connection of its own. */
export type Edge = {
  readonly line: Line;
  /** What the last call left in Redis. */
  readonly snapshot: () => Promise<Snapshot>;
  readonly kill: () => void;
};

type EdgeOptions = {
  readonly url: string;
  readonly queueId: string;
  readonly random: () => number;
  readonly nowMs: () => number;
  /** Only for proving the auditor: changes the text of every script before it runs. */
  readonly mutate?: (source: string) => string;
};

const TICKET_LIFE_MS = 3_600_000;

export function openEdge({ url, queueId, random, nowMs, mutate }: EdgeOptions): Edge {
  const redis = new Redis(url);
  let last: Promise<Snapshot> | undefined;
  const runner = mutate === undefined ? scriptRunner(redis) : mutatedRunner(redis, mutate);
  // The reads are sent in the same turn as the call: one round trip, and nothing runs between them.
  const watched: ScriptRunner = {
    evalsha: (...call) => andThenSnapshot(runner.evalsha(...call)),
    eval: (...call) => andThenSnapshot(runner.eval(...call)),
  };

  function andThenSnapshot(reply: Promise<unknown>): Promise<unknown> {
    last = takeSnapshot(redis, queueId);
    return reply;
  }

  return {
    line: openLine({ store: watched, queueId, ticketLifeMs: TICKET_LIFE_MS, random, simulatedNowMs: nowMs }),
    snapshot: () => {
      assert(last !== undefined, "a snapshot follows a call");
      return last;
    },
    kill: () => redis.disconnect(),
  };
}

/** Pretends that Redis knows no script, so that each call brings its text along, which is then changed. */
function mutatedRunner(redis: Redis, mutate: (source: string) => string): ScriptRunner {
  const runner = scriptRunner(redis);
  return {
    evalsha: () => Promise.reject(new Error("NOSCRIPT: the text comes along")),
    eval: (source, keys, args) => runner.eval(mutate(source), keys, args),
  };
}

import { createHash } from "node:crypto";
import { Redis } from "ioredis";
import { type Line, openLine } from "../../edge/line/line.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { assert } from "../../shared/assert.ts";
import type { ScriptRunner } from "../../shared/store/define-script.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";

/** One edge: a line over its own connection. */
export type Edge = {
  readonly line: Line;
  /** The state of Redis after the last call. */
  readonly snapshot: () => Promise<Snapshot>;
  readonly kill: () => void;
};

type EdgeOptions = {
  readonly url: string;
  readonly queueId: string;
  readonly random: () => number;
  readonly nowMs: () => number;
  /** For testing the auditor: changes the text of every script. */
  readonly mutate?: (source: string) => string;
};

const TICKET_LIFE_MS = 3_600_000;

export function openEdge({ url, queueId, random, nowMs, mutate }: EdgeOptions): Edge {
  const redis = new Redis(url);
  let last: Promise<Snapshot> | undefined;
  const runner = mutate === undefined ? scriptRunner(redis) : mutatedRunner(redis, mutate);
  // The reads are sent in the same turn as the call, so that nothing runs between them.
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

/** Changes the text of each script when it is first sent; later calls use the changed one. */
function mutatedRunner(redis: Redis, mutate: (source: string) => string): ScriptRunner {
  const runner = scriptRunner(redis);
  const changed = new Map<string, string>();
  return {
    evalsha: (sha, keys, args) => {
      const wrong = changed.get(sha);
      return wrong === undefined
        ? Promise.reject(new Error("NOSCRIPT: the text follows"))
        : runner.evalsha(wrong, keys, args);
    },
    eval: (source, keys, args) => {
      const wrong = mutate(source);
      changed.set(sha1(source), sha1(wrong));
      return runner.eval(wrong, keys, args);
    },
  };
}

function sha1(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}

import type { Redis } from "ioredis";
import { assert } from "../../shared/assert.ts";
import { readJournal } from "../journal/journal.ts";
import { resultIn } from "../journal/journal-body.ts";
import { FENCE_KEY, OFFSET_KEY } from "../journal/keys.ts";
import type { HandOff, LocalCommit } from "./submit/hand-off.ts";

/**
 * Settles this process's commits whose reply was lost. It decides nothing before another epoch has begun: from then on
 * the fence refuses such a commit however late it comes, so that an entry without its commands is a proof that they
 * were not executed. They are queued again if their callers wait. True once nothing is left to settle.
 */
export async function settleCommits(redis: Redis, handOff: HandOff): Promise<boolean> {
  const commits = handOff.unsettled();
  if (commits.length === 0) return true;
  // Read first: a commit can only have been made before the next epoch began.
  const epoch = Number((await redis.hget(FENCE_KEY, "epoch")) ?? 0);
  if (commits.some((commit) => commit.epoch >= epoch)) return false;
  const reached = Number((await redis.hget(OFFSET_KEY, "sequence")) ?? 0);
  // The last one first: commands return to the head of the queue.
  for (const commit of commits.toReversed()) await settleCommit(redis, handOff, { commit, reached });
  return true;
}

type Unsettled = { readonly commit: LocalCommit; readonly reached: number };

async function settleCommit(redis: Redis, handOff: HandOff, { commit, reached }: Unsettled): Promise<void> {
  const { sequence, commands } = commit;
  if (reached < sequence) {
    handOff.settle(commit, undefined);
    return;
  }
  const [entry] = await readJournal(redis, sequence - 1, 1);
  if (entry?.sequence !== sequence) {
    // Trimmed already, which takes minutes: the callers have timed out.
    handOff.giveUp(commit);
    return;
  }
  const results = commands.map(({ number }) => resultIn(entry.body, { ...commit, node: handOff.node, number }));
  const outcomes = results.flatMap((result) => (result === undefined ? [] : [result.outcome]));
  assert(
    outcomes.length === 0 || outcomes.length === commands.length,
    "an entry has all commands of a commit, or it is another's",
  );
  handOff.settle(commit, outcomes.length === 0 ? undefined : outcomes);
}

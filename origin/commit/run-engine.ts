import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { AssertionError } from "../../shared/assert.ts";
import { storeFaults } from "../../stack/servers/check-store.ts";
import { awaitJournal } from "../journal/journal.ts";
import type { JournalFeed } from "../journal/journal-feed.ts";
import { RESTORING_KEY } from "../journal/keys.ts";
import { ACQUIRE_EVERY_MS, acquireLease, keepLease, type Lease } from "../journal/lease.ts";
import { raiseStream } from "../journal/raise-stream.ts";
import { scriptRunner } from "../redis/script-runner.ts";
import { untilReady } from "../redis/until-ready.ts";
import { faultOfLayout } from "../state/layout.ts";
import { type LocalCommands, lead } from "./lead.ts";
import type { NameBounds } from "./name-memory.ts";
import { catchUp, faultsOf, type Recovered, readOffset, recover } from "./recover.ts";
import { settleCommits } from "./settle-commits.ts";

/**
 * An engine of the shard: a hot standby that follows the journal until it gets the lead. It promises that no two
 * engines commit and that every answered command is in the journal. On a store that contradicts itself, that is not
 * durable, or that has lost entries known to PostgreSQL or to this process, it refuses to trade and reports the reason.
 * While Redis is unavailable it retries.
 */
export type RunningEngine = {
  readonly status: () => EngineStatus;
  readonly stop: () => Promise<void>;
};

export type EngineStatus =
  /** `progress` says what is being loaded; empty before and after that. */
  | { readonly role: "starting"; readonly progress: string }
  | { readonly role: "standby" | "leader"; readonly sequence: number }
  | { readonly role: "refusing"; readonly why: string };

type EngineParts = {
  readonly redis: Redis;
  /** Waits for commands and for entries. */
  readonly blocking: Redis;
  /** Unique to this process and start. */
  readonly owner: string;
  readonly commands: LocalCommands;
  readonly feed: JournalFeed;
  readonly nowMs: () => number;
  /** Whether the permanent record knows of trades. */
  readonly hasPast: () => Promise<boolean>;
  /** The last journal entry that it holds. */
  readonly recordedSequence: () => Promise<number>;
  readonly isUnsafeStoreAllowed: boolean;
  readonly nameBounds?: NameBounds | undefined;
  readonly log: Logger;
};

const RETRY_MS = 200;
/** A short start logs no progress. */
const PROGRESS_EVERY_MS = 5_000;
const READY_MS = 1_000;
/** A repair takes longer than that. */
const REFUSAL_RETRY_MS = 2_000;

export function runEngine(parts: EngineParts): RunningEngine {
  const { redis, log } = parts;
  const { handOff } = parts.commands;
  const runner = scriptRunner(redis);
  const stopping = new AbortController();
  const isStopping = () => stopping.signal.aborted;
  let status: EngineStatus = { role: "starting", progress: "" };
  let toldAtMs = parts.nowMs();
  /** The last entry that this process has seen: a store that ends before it has lost entries. */
  let seen = 0;
  let lastTrouble = "";

  function refuse(why: string): void {
    if (status.role !== "refusing" || status.why !== why) log.fatal({ why }, "the engine refuses to serve");
    status = { role: "refusing", why };
  }

  /** Why this store must not be used, found before any state is read from it. */
  async function faultOfStore(): Promise<string | undefined> {
    const faults = parts.isUnsafeStoreAllowed ? [] : await storeFaults(redis);
    if (faults.length > 0) return faults.join(" ");
    // Read first: entries committed meanwhile must not appear to be missing.
    const recorded = await parts.recordedSequence();
    const { sequence } = await readOffset(redis);
    if (sequence < seen)
      return `The venue's Redis has lost commits: it ends at entry ${sequence}, and this process has seen entry ${seen}.`;
    if (sequence === 0 && (await parts.hasPast())) {
      return "The venue's Redis is empty, and PostgreSQL holds trades: restore them with npm run sluice -- restore.";
    }
    if (sequence > 0 && sequence < recorded) {
      return `The venue's Redis ends at entry ${sequence}, and PostgreSQL at ${recorded}: Redis was set back to an older state and must not trade.`;
    }
    if ((await redis.exists(RESTORING_KEY)) === 1)
      return "A restore of the venue's Redis is under way or was interrupted: complete it with npm run sluice -- restore.";
    return faultOfLayout(redis);
  }

  /** Follows the journal until the lead is free; the epoch then, or undefined to stop. */
  async function standBy(recovered: Recovered): Promise<number | undefined> {
    let isFirst = true;
    while (!isStopping()) {
      const epoch = await acquireLease(runner, parts.owner);
      if (epoch !== undefined) return epoch;
      if (isFirst) log.info("another engine leads: standing by");
      isFirst = false;
      if (await settleCommits(redis, handOff)) parts.commands.appendQueued();
      await awaitJournal(parts.blocking, { after: recovered.position.sequence, count: 1, waitMs: ACQUIRE_EVERY_MS });
      const caughtUp = await catchUp(redis, recovered);
      if (!caughtUp.ok) throw new Refusal(caughtUp.reason);
      seen = recovered.position.sequence;
      status = { role: "standby", sequence: seen };
    }
    return undefined;
  }

  /** One life of an engine: recovery, standby, lead. */
  async function live(): Promise<void> {
    const storeFault = await faultOfStore();
    if (storeFault !== undefined) throw new Refusal(storeFault);
    await settleEarly();
    const recovered = await recover(redis, { nameBounds: parts.nameBounds, onProgress });
    if (!recovered.ok) throw new Refusal(recovered.reason);
    const epoch = await standBy(recovered.value);
    if (epoch === undefined) return;
    const lease = keepLease(runner, epoch, log);
    try {
      await leadWith(lease, recovered.value);
    } finally {
      lease.letGo();
    }
  }

  /**
   * Loading takes a while: callers of an unknown commit are answered before it. That needs a new epoch, ours or
   * another's.
   */
  async function settleEarly(): Promise<void> {
    if (handOff.unsettled().length === 0) return;
    await acquireLease(runner, parts.owner);
    await settleCommits(redis, handOff);
  }

  /** No other engine can commit under an earlier epoch, so the journal is complete now. */
  async function leadWith(lease: Lease, recovered: Recovered): Promise<void> {
    if (!(await settleCommits(redis, handOff))) throw new Error("a commit of an earlier lead is not settled");
    const caughtUp = await catchUp(redis, recovered);
    const faults = caughtUp.ok ? await faultsOf(redis, recovered) : [caughtUp.reason];
    if (faults.length > 0) throw new Refusal(`The state cannot be trusted: ${faults.join("; ")}.`);
    if (await raiseStream(runner, recovered.position.command))
      log.warn("the clock of Redis is behind the last command: new commands are numbered after it");
    onCommit(recovered.position.sequence);
    log.info({ epoch: lease.epoch, sequence: seen }, "engine leads");
    const end = await lead({ ...parts, recovered, lease, isStopping, onCommit });
    if (end === "stopped") await lease.giveBack();
    else log.warn({ epoch: lease.epoch }, "another engine leads now: loading the state again");
  }

  function onProgress(progress: string): void {
    // An engine that refuses retries; its reason stays visible meanwhile.
    if (status.role !== "refusing") status = { role: "starting", progress };
    if (parts.nowMs() - toldAtMs < PROGRESS_EVERY_MS) return;
    toldAtMs = parts.nowMs();
    log.info({ progress }, "the engine is loading");
  }

  function onCommit(sequence: number): void {
    seen = sequence;
    lastTrouble = "";
    status = { role: "leader", sequence };
  }

  /**
   * The store or the record is unavailable, or the outcome of a commit is unknown: the engine recovers from the
   * journal.
   */
  function startAnew(error: unknown): void {
    const trouble = String(error);
    if (!isStopping() && trouble !== lastTrouble) log.warn({ err: error }, "the engine restarts from the journal");
    lastTrouble = trouble;
    status = { role: "starting", progress: "" };
  }

  function judge(error: unknown): void {
    if (error instanceof Refusal) refuse(error.message);
    else if (error instanceof AssertionError) refuse(`An internal check of the engine failed: ${error.message}.`);
    else startAnew(error);
  }

  async function run(): Promise<void> {
    while (!isStopping()) {
      try {
        await Promise.all([redis, parts.blocking].map((connection) => untilReady(connection, READY_MS)));
        await live();
      } catch (error) {
        judge(error);
      }
      const pauseMs = status.role === "refusing" ? REFUSAL_RETRY_MS : RETRY_MS;
      if (!isStopping()) await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  const running = run();
  return {
    status: () => status,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** Why this store must not be traded on, in a sentence. */
class Refusal extends Error {
  override readonly name = "Refusal";
}

import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { AssertionError } from "../../shared/assert.ts";
import { raiseStream } from "../commands/raise-stream.ts";
import { scriptRunner } from "../redis/script-runner.ts";
import { untilReady } from "../redis/until-ready.ts";
import { RESTORING_KEY } from "../sync/keys.ts";
import { storeFaults } from "./check-store.ts";
import { awaitJournal } from "./journal.ts";
import type { JournalFeed } from "./journal-feed.ts";
import { faultOfLayout } from "./layout.ts";
import { type LocalCommands, lead } from "./lead.ts";
import { ACQUIRE_EVERY_MS, acquireLease, keepLease, type Lease } from "./lease.ts";
import type { NameBounds } from "./name-memory.ts";
import { catchUp, faultsOf, type Recovered, readOffset, recover } from "./recover.ts";
import { settleCommits } from "./settle-commits.ts";

/**
 * An engine of the shard: a hot standby that follows the journal, until it gets the lead. What it promises: no two engines commit; what was
 * answered is in the journal; and on a store that contradicts itself, that would not keep an order, or that has lost what PostgreSQL or
 * this process knows of, it does not trade but says what is wrong. With Redis away it waits and tries again.
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
/** A start that is over soon says nothing of its steps. */
const PROGRESS_EVERY_MS = 5_000;
const READY_MS = 1_000;
/** Whoever has to mend something needs longer than that. */
const REFUSAL_RETRY_MS = 2_000;

export function runEngine(parts: EngineParts): RunningEngine {
  const { redis, log } = parts;
  const { handOff } = parts.commands;
  const runner = scriptRunner(redis);
  const stopping = new AbortController();
  const isStopping = () => stopping.signal.aborted;
  let status: EngineStatus = { role: "starting", progress: "" };
  let toldAtMs = parts.nowMs();
  /** The furthest that this process has seen the journal: a store that is behind it has lost something. */
  let seen = 0;
  let lastTrouble = "";

  function refuse(why: string): void {
    if (status.role !== "refusing" || status.why !== why) log.fatal({ why }, "the engine refuses to serve");
    status = { role: "refusing", why };
  }

  /** What speaks against this store before anything is read from it. */
  async function faultOfStore(): Promise<string | undefined> {
    const faults = parts.isUnsafeStoreAllowed ? [] : await storeFaults(redis);
    if (faults.length > 0) return faults.join(" ");
    // Asked first: what is committed meanwhile must not look as if it were missing.
    const recorded = await parts.recordedSequence();
    const { sequence } = await readOffset(redis);
    if (sequence < seen) return `The venue's Redis has lost commits: it stands at ${sequence}, and this process has seen ${seen}.`;
    if (sequence === 0 && (await parts.hasPast())) {
      return "The venue's Redis is empty, and PostgreSQL knows of trades: npm run sluice -- restore brings them back.";
    }
    if (sequence > 0 && sequence < recorded) {
      return `The venue's Redis stands at entry ${sequence}, and PostgreSQL at ${recorded}: it was put back to an older state and must not trade.`;
    }
    if ((await redis.exists(RESTORING_KEY)) === 1)
      return "A restore of the venue's Redis is under way or was interrupted: npm run sluice -- restore ends it.";
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

  /** From nothing to the lead and out of it again. */
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

  /** Loading takes a while: callers who wait for an unknown commit are told before it. For that a new epoch must begin, be it ours or another's. */
  async function settleEarly(): Promise<void> {
    if (handOff.unsettled().length === 0) return;
    await acquireLease(runner, parts.owner);
    await settleCommits(redis, handOff);
  }

  /** Nobody else can commit under a later epoch, so what is in the journal now is all there is. */
  async function leadWith(lease: Lease, recovered: Recovered): Promise<void> {
    if (!(await settleCommits(redis, handOff))) throw new Error("a commit of an earlier lead is not settled");
    const caughtUp = await catchUp(redis, recovered);
    const faults = caughtUp.ok ? await faultsOf(redis, recovered) : [caughtUp.reason];
    if (faults.length > 0) throw new Refusal(`The state cannot be trusted: ${faults.join("; ")}.`);
    if (await raiseStream(runner, recovered.position.command))
      log.warn("the clock of Redis is behind the last command: new ones are numbered from there on");
    onCommit(recovered.position.sequence);
    log.info({ epoch: lease.epoch, sequence: seen }, "engine leads");
    const end = await lead({ ...parts, recovered, lease, isStopping, onCommit });
    if (end === "stopped") await lease.giveBack();
    else log.warn({ epoch: lease.epoch }, "another engine leads now: memory is loaded anew");
  }

  function onProgress(progress: string): void {
    // One that refuses tries again from time to time; why it refuses stays to be read.
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

  /** The store or the record is away, or nobody knows whether a commit was made: the journal is asked again. */
  function startAnew(error: unknown): void {
    const trouble = String(error);
    if (!isStopping() && trouble !== lastTrouble) log.warn({ err: error }, "the engine starts anew from the journal");
    lastTrouble = trouble;
    status = { role: "starting", progress: "" };
  }

  function judge(error: unknown): void {
    if (error instanceof Refusal) refuse(error.message);
    else if (error instanceof AssertionError) refuse(`The engine has met what cannot be: ${error.message}.`);
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

/** A sentence on why nobody should trade on this store. */
class Refusal extends Error {
  override readonly name = "Refusal";
}

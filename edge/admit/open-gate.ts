import { createStoreClock, type StoreClock, systemClock } from "../../shared/clock.ts";
import { type Drawing, drawWith } from "../../shared/draw.ts";
import { problemResponse } from "../../shared/http/errors.ts";
import { type FillRandom, systemRandom } from "../../shared/ids.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { type Line, openLine } from "../line/line.ts";
import type { Draw, QueueRecord } from "../line/registry.ts";
import { type Phase, settingsAt, surePhaseAt } from "../line/schedule.ts";
import { type QueueSettings, ticketLifeMs } from "../line/settings.ts";
import type { Later } from "../proxy/platform.ts";
import type { EdgeConfiguration } from "../request/env.ts";
import { log } from "../request/log.ts";
import type { Visit } from "../request/read-visit.ts";
import { openStore } from "../store/open-store.ts";
import { createOpenPasses, type OpenPasses } from "../tokens/open-passes.ts";
import { createSealedTexts, type SealedTexts } from "../tokens/sealed-text.ts";
import { type Tokens, tokensOfIsolate } from "../tokens/tokens.ts";
import { type KeyedHash, keyedHash } from "./keyed-hash.ts";
import { createLimits, type Limits } from "./limits.ts";
import { createLastAnswers, type LastAnswers } from "./outage/last-answers.ts";
import { type GuardedStore, guardStore, type VisitStore } from "./outage/outage.ts";
import { createDirectory, type Directory } from "./routes/directory.ts";
import { createRevocations, type Revocations } from "./sessions/revocations.ts";
import { createSessions, type Sessions } from "./sessions/sessions.ts";
import { createSweeps, type Sweeps } from "./sweeps.ts";

/**
 * The gate of one isolate: what it remembers between requests, every part of it bounded. Nothing here is needed to be
 * right, only to be fast: an isolate may begin with none of it at any time.
 */
export type Gate = {
  readonly tokens: Tokens;
  readonly store: GuardedStore;
  readonly clock: StoreClock;
  readonly directory: Directory;
  readonly limits: Limits;
  readonly openPasses: OpenPasses;
  readonly fillRandom: FillRandom;
  readonly hashAddress: KeyedHash;
  readonly hashPerson: KeyedHash;
  readonly sealedTexts: SealedTexts;
  readonly memoryOf: (queueId: QueueId) => QueueMemory;
};

/** The isolate's memory of one queue. */
type QueueMemory = {
  readonly revocations: Revocations;
  readonly sessions: Sessions;
  readonly answers: LastAnswers;
  readonly sweeps: Sweeps;
  readonly drawings: Drawings;
};

/** One queue, as one request meets it. */
export type GuardedQueue = QueueMemory & {
  readonly gate: Gate;
  readonly queueId: QueueId;
  /** Those in force now: an event's own included. */
  readonly settings: QueueSettings;
  readonly phase: Phase | "unsure";
  readonly draws: readonly Draw[];
  /** Shares out the time of this request, from its beginning on. */
  readonly store: VisitStore;
  readonly later: Later;
  readonly clientAddress: Visit["clientAddress"];
};

const QUEUES_MAX = 1_000;

function openGate(configuration: EdgeConfiguration, tokens: Tokens): Gate {
  const store = guardStore(openStore(configuration.store), systemClock, configuration.storePatience);
  const clock = createStoreClock(systemClock);
  const memories = new Map<QueueId, QueueMemory>();

  function memoryOf(queueId: QueueId): QueueMemory {
    const known = memories.get(queueId);
    if (known !== undefined) return known;
    const memory = {
      revocations: createRevocations({ queueId, store, ownClock: systemClock, storeClock: clock }),
      sessions: createSessions(clock),
      answers: createLastAnswers(systemClock),
      sweeps: createSweeps(systemClock),
      drawings: createDrawings(),
    };
    if (memories.size >= QUEUES_MAX) memories.clear();
    memories.set(queueId, memory);
    return memory;
  }

  return {
    tokens,
    store,
    clock,
    memoryOf,
    directory: createDirectory(store, systemClock),
    limits: createLimits(systemClock, configuration),
    openPasses: createOpenPasses(tokens, systemRandom),
    fillRandom: systemRandom,
    hashAddress: keyedHash(configuration.signingKeys, "address"),
    hashPerson: keyedHash(configuration.signingKeys, "person"),
    sealedTexts: createSealedTexts({ secret: configuration.signingKeys, fillRandom: systemRandom }),
  };
}

let isolateGate: { readonly configuration: EdgeConfiguration; readonly gate: Gate } | undefined;

/** The faults are those of the signing keys. At once in an isolate that has its gate. */
export function gateOfIsolate(configuration: EdgeConfiguration): OpenedGate | Promise<OpenedGate> {
  return isolateGate?.configuration === configuration ? ok(isolateGate.gate) : openForIsolate(configuration);
}

type OpenedGate = Result<Gate, readonly string[]>;

type GateOfVisit = Result<Gate, Response>;

/** The gate, or the response of an edge with invalid keys. At once in an isolate that has its gate. */
export function gateOf(visit: Visit): GateOfVisit | Promise<GateOfVisit> {
  const gate = gateOfIsolate(visit.configuration);
  return gate instanceof Promise ? gate.then((opened) => orRefused(opened, visit)) : orRefused(gate, visit);
}

function orRefused(gate: OpenedGate, { requestId }: Visit): GateOfVisit {
  if (gate.ok) return gate;
  log("error", "SLUICE_SIGNING_KEYS is invalid", { requestId, faults: gate.reason });
  return fail(problemResponse("internal_error", { requestId }));
}

async function openForIsolate(configuration: EdgeConfiguration): Promise<OpenedGate> {
  const { signingKeys, issuer, writeToken } = configuration;
  const tokens = await tokensOfIsolate({ keys: signingKeys, issuer, writeToken });
  if (!tokens.ok) return tokens;
  // Another request may have come first while the keys were read.
  if (isolateGate?.configuration !== configuration)
    isolateGate = { configuration, gate: openGate(configuration, tokens.value) };
  return ok(isolateGate.gate);
}

type QueueOfRequest = Pick<GuardedQueue, "queueId" | "store" | "later" | "clientAddress"> & {
  readonly record: QueueRecord;
};

export function guardedQueue(
  gate: Gate,
  { queueId, record, store, later, clientAddress }: QueueOfRequest,
): GuardedQueue {
  const { revocations, sessions, answers, sweeps, drawings } = gate.memoryOf(queueId);
  const nowMs = gate.clock.nowMs();
  const settings = settingsAt(record.settings, nowMs);
  const phase = surePhaseAt(settings, nowMs);
  return {
    gate,
    queueId,
    settings,
    phase,
    draws: record.draws,
    store,
    later,
    clientAddress,
    revocations,
    sessions,
    answers,
    sweeps,
    drawings,
  };
}

/** The line on this visitor's time. */
export function openLineOf({ store, queueId, settings, gate }: GuardedQueue): Line {
  return openLine({ store, queueId, ticketLifeMs: ticketLifeMs(settings), random: randomFraction(gate.fillRandom) });
}

type QueueInBackground = Pick<GuardedQueue, "queueId" | "settings"> & {
  readonly gate: Pick<Gate, "store" | "fillRandom">;
};

/** The line for what happens after the answer. */
export function backgroundLineOf({ gate, queueId, settings }: QueueInBackground): Line {
  const random = randomFraction(gate.fillRandom);
  return openLine({ store: gate.store.once, queueId, ticketLifeMs: ticketLifeMs(settings), random });
}

export function randomFraction(fillRandom: FillRandom): () => number {
  return () => new DataView(fillRandom(new Uint8Array(4)).buffer).getUint32(0) / 2 ** 32;
}

/** A queue's draws in this isolate: one imported key for each seed. */
export type Drawings = (seed: string) => Drawing;

const DRAWINGS_MAX = 8;

function createDrawings(): Drawings {
  const drawings = new Map<string, Drawing>();
  return (seed) => {
    const known = drawings.get(seed);
    if (known !== undefined) return known;
    if (drawings.size >= DRAWINGS_MAX) drawings.clear();
    const drawing = drawWith(seed);
    drawings.set(seed, drawing);
    return drawing;
  };
}

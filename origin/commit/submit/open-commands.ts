import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { assert } from "../../../shared/assert.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { CommandBody } from "../../engine/command.ts";
import { commandFields } from "../../journal/command-text.ts";
import { answersChannel } from "../../journal/keys.ts";
import { scriptRunner } from "../../redis/script-runner.ts";
import { isStoreUnavailable } from "../../redis/store-unavailable.ts";
import { type AnswerGroup, answersFrom } from "./answers.ts";
import { appendCommands, createWaitingAppends, findAppend, type Waiter, type WaitingAppend } from "./append.ts";
import { ANSWER_MS_MAX, type Commands, type RefusalCode, type Submitted, userOfCommand } from "./commands.ts";
import type { HandOff, OfferedCommand } from "./hand-off.ts";
import { createLookUp } from "./look-up.ts";

/** An answer this late may have been published while the connection was down: the journal has it. */
const MISSED_AFTER_MS = 600;
/** An append of this many is a fraction of a millisecond for Redis and half a batch for the engine. */
const APPEND_COMMANDS_MAX = 128;
/**
 * Commands that arrive while so many appends are under way wait for the next one: under load appends become larger, not
 * more.
 */
const APPENDS_AT_ONCE_MAX = 2;
/** Commands of this process whose answer is not there yet: some 200 ms of a venue at full speed. */
const IN_FLIGHT_MAX = 20_000;
/** Of one user: a batch of orders and some more, so that one user cannot use up the bound for all. */
const IN_FLIGHT_PER_USER_MAX = 1_000;
/** Texts in a command are bounded by the API; a longer one is a bug of ours. */
const COMMAND_CHARS_MAX = 2_048;

type CommandsParts = {
  readonly redis: Redis;
  /** A connection of its own, for the answers. */
  readonly subscriber: Redis;
  readonly clock: Clock;
  /** To an engine in this process, while it leads; everything else goes to the stream. */
  readonly handOff: HandOff;
  readonly untilProjected: Commands["untilProjected"];
  /** Whether the record and the store have room for the command; asked before anything is written. */
  readonly refusalOf?: (body: CommandBody) => RefusalCode | undefined;
  readonly log: Logger;
};

export type OpenCommands = Commands & {
  readonly handOff: HandOff;
  /** For an engine in the same process, without a message over Redis. */
  readonly deliver: (group: AnswerGroup) => void;
  /** Appends the commands that wait in the hand-off to the stream instead, in their order. */
  readonly appendQueued: () => void;
  /** Takes nothing new, and returns when every caller was answered. */
  readonly stop: () => Promise<void>;
};

type Turn = { readonly texts: string[]; readonly waiters: Waiter[] };

export function openCommands({
  redis,
  subscriber,
  clock,
  handOff,
  untilProjected,
  refusalOf,
  log,
}: CommandsParts): OpenCommands {
  const { node } = handOff;
  const runner = scriptRunner(redis);
  const outcomeOf = createLookUp(redis);
  const waiting = createWaitingAppends();
  const inFlightOfUser = new Map<string, number>();
  let turn: Turn = { texts: [], waiters: [] };
  let inFlight = 0;
  let appendsUnderWay = 0;
  let isLookingForMissed = false;
  let isStopping = false;
  let onIdle: (() => void) | undefined;

  listen(subscriber, { node, deliver: waiting.deliver, log });

  function submit(body: CommandBody): Promise<Submitted> {
    const user = userOfCommand(body);
    const ofUser = inFlightOfUser.get(user) ?? 0;
    if (isStopping || redis.status !== "ready") return refusal("store_unavailable");
    const refused = refusalOf?.(body);
    if (refused !== undefined) return refusal(refused);
    if (inFlight >= IN_FLIGHT_MAX || (user !== "" && ofUser >= IN_FLIGHT_PER_USER_MAX)) return refusal("venue_busy");
    inFlight++;
    inFlightOfUser.set(user, ofUser + 1);
    return new Promise((resolve) => {
      const offered = { body, at: clock.nowMs(), settle: (answer: Submitted) => settle(user, answer, resolve) };
      if (handOff.isOpen()) handOff.offer(offered);
      else append(offered);
    });
  }

  function append({ body, at, settle: answer }: OfferedCommand): void {
    const text = JSON.stringify(commandFields(body, at));
    assert(text.length <= COMMAND_CHARS_MAX, "a command is not longer than the API allows");
    if (turn.texts.length === 0) setImmediate(flush);
    turn.texts.push(text);
    turn.waiters.push({ at, settle: answer });
  }

  function settle(user: string, answer: Submitted, resolve: (answer: Submitted) => void): void {
    inFlight--;
    const left = (inFlightOfUser.get(user) ?? 1) - 1;
    if (left === 0) inFlightOfUser.delete(user);
    else inFlightOfUser.set(user, left);
    resolve(answer);
    if (inFlight === 0) onIdle?.();
  }

  function flush(): void {
    while (turn.texts.length > 0 && appendsUnderWay < APPENDS_AT_ONCE_MAX) {
      const { texts, waiters } = turn;
      turn = { texts: texts.slice(APPEND_COMMANDS_MAX), waiters: waiters.slice(APPEND_COMMANDS_MAX) };
      void send(waiters.slice(0, APPEND_COMMANDS_MAX), `[${texts.slice(0, APPEND_COMMANDS_MAX).join()}]`);
    }
  }

  async function send(waiters: readonly Waiter[], commands: string): Promise<void> {
    const append = waiting.add(waiters);
    const leftMs = leftOf(waiters);
    const missedMs = Math.min(MISSED_AFTER_MS, leftMs);
    append.timer = setTimeout(() => void lookForMissed(append, leftMs - missedMs), missedMs);
    appendsUnderWay++;
    try {
      const reply = await appendCommands(runner, { node, append: append.append, commands });
      if (reply === "busy") waiting.refuse(append, "venue_busy");
      else if (reply === "absent") waiting.refuse(append, "engine_unavailable");
      else append.entryId = reply;
    } catch (error) {
      if (!isStoreUnavailable(error)) log.error({ err: error }, "an append failed");
      if (hasSurelyFailed(error)) waiting.refuse(append, "store_unavailable");
    } finally {
      appendsUnderWay--;
      if (turn.texts.length > 0) flush();
    }
  }

  /** Commands from the hand-off have used a part of their time already. */
  function leftOf([first]: readonly Waiter[]): number {
    const waitedMs = first === undefined ? 0 : clock.nowMs() - first.at;
    return Math.min(ANSWER_MS_MAX, Math.max(0, ANSWER_MS_MAX - waitedMs));
  }

  /** One at a time: when everything is slow, no answer was missed, and more lookups would make it slower. */
  async function lookForMissed(append: WaitingAppend, leftMs: number): Promise<void> {
    append.timer = setTimeout(() => void expire(append), leftMs);
    if (isLookingForMissed) return;
    isLookingForMissed = true;
    await lookUp(append);
    isLookingForMissed = false;
  }

  async function expire(append: WaitingAppend): Promise<void> {
    append.timer = setTimeout(() => waiting.giveUp(append), MISSED_AFTER_MS);
    await lookUp(append);
    if (append.openCount > 0) waiting.giveUp(append);
    clearTimeout(append.timer);
  }

  /** In the order of the commands: if one is pending, so are the later ones. */
  async function lookUp(append: WaitingAppend): Promise<void> {
    try {
      if (append.entryId === "") append.entryId = (await findAppend(redis, { node, append: append.append })) ?? "";
      for (let index = 0; index < append.waiters.length && append.entryId !== ""; index++) {
        if (append.waiters[index] === undefined) continue;
        const known = await outcomeOf(`${append.entryId}-${index}`);
        if (known.kind !== "committed") return;
        waiting.settleCommitted(append, index, { sequence: known.sequence, outcome: known.outcome });
      }
    } catch (error) {
      log.warn({ err: error }, "outcomes cannot be looked up");
    }
  }

  return {
    handOff,
    submit,
    outcomeOf,
    untilProjected,
    deliver: waiting.deliver,
    appendQueued: () => {
      for (const queued of handOff.takeAll()) append(queued);
    },
    stop: async () => {
      isStopping = true;
      if (inFlight > 0) await new Promise<void>((resolve) => (onIdle = resolve));
    },
  };
}

const refusal = (code: RefusalCode) => Promise.resolve<Submitted>({ kind: "refused", code });

/** The command never left this process, or Redis rejected it: in every other case it may have been written. */
function hasSurelyFailed(error: unknown): boolean {
  return error instanceof Error && (error.name === "ReplyError" || error.message.startsWith("Stream isn't writeable"));
}

type Listening = { readonly node: string; readonly deliver: (group: AnswerGroup) => void; readonly log: Logger };

/** Answers published while the connection is down are found in the journal. */
function listen(subscriber: Redis, { node, deliver, log }: Listening): void {
  const channel = answersChannel(node);
  const subscribe = () => {
    subscriber
      .subscribe(channel)
      .catch((error: unknown) => log.warn({ err: error }, "cannot subscribe to the answers channel"));
  };
  subscriber.on("message", (_, text) => {
    for (const group of answersFrom(text, node)) deliver(group);
  });
  subscriber.on("ready", subscribe);
  if (subscriber.status === "ready") subscribe();
}

import { Redis } from "ioredis";
import { type Command, encodeCommands } from "../../stack/program/resp/encode-commands.ts";
import { createRedisLane, type LaneFailure } from "../../stack/program/resp/redis-lane.ts";
import { ReplyReader, ReplyTooDeepError } from "./reply-json.ts";
import { type Answer, CONNECTION_OPTIONS, errorJson, STORE_ERRORS, type Store, type Work } from "./store.ts";

/** One Redis, Valkey or Dragonfly. Commands and replies pass as bytes; nothing is kept, nothing is cached. */
export function createDirectStore({ url, requestTimeoutMs, onStateChange, onFault }: DirectStoreOptions): Store {
  const redis = new Redis(url, CONNECTION_OPTIONS);
  redis.on("ready", () => onStateChange("ready"));
  redis.on("close", () => onStateChange("lost"));
  redis.on("error", (error) => onStateChange("lost", error));
  const lane = createRedisLane(redis, requestTimeoutMs);
  redis.connect().catch(() => {
    // ioredis keeps trying; the error event has reported the reason.
  });

  function execute(work: Work, answer: Answer): void {
    const commands =
      work.refusals.size === 0 ? work.commands : work.commands.filter((_, index) => !work.refusals.has(index));
    if (commands.length === 0) answer(200, pipelineJson(work, undefined));
    else send(work, commands, answer);
  }

  function send(work: Work, commands: readonly Command[], answer: Answer): void {
    const wire = encodeCommands(commands, work.isAscii);
    const isTransaction = work.kind === "transaction";
    lane.send(isTransaction ? MULTI + wire + EXEC : wire, {
      replyCount: isTransaction ? commands.length + 2 : commands.length,
      onReplies: (bytes, from) => answerSafely(work, new ReplyReader(bytes, { from, isBase64: work.isBase64 }), answer),
      onFailure: (failure) => answerFailure(failure, answer),
    });
  }

  /** A fault in one reply must not end the process that serves all callers. */
  function answerSafely(work: Work, replies: ReplyReader, answer: Answer): void {
    try {
      answerWith(work, replies, answer);
    } catch (error) {
      if (error instanceof ReplyTooDeepError) {
        answer(400, errorJson(error.message));
      } else {
        onFault(error);
        answer(500, errorJson(STORE_ERRORS.fault));
      }
    }
  }

  function checkHealth(onHealth: (isHealthy: boolean) => void): void {
    lane.send(PING, {
      replyCount: 1,
      onReplies: (bytes, from) => onHealth(!new ReplyReader(bytes, { from, isBase64: false }).isError()),
      onFailure: () => onHealth(false),
    });
  }

  return {
    execute,
    checkHealth,
    newConnection: () => new Redis(url, CONNECTION_OPTIONS),
    close: () => redis.disconnect(),
  };
}

type DirectStoreOptions = {
  readonly url: string;
  readonly requestTimeoutMs: number;
  readonly onStateChange: (state: "ready" | "lost", error?: Error) => void;
  /** A bug in the bridge. */
  readonly onFault: (error: unknown) => void;
};

const MULTI = "*1\r\n$5\r\nMULTI\r\n";
const EXEC = "*1\r\n$4\r\nEXEC\r\n";
const PING = "*1\r\n$4\r\nPING\r\n";

function answerWith(work: Work, replies: ReplyReader, answer: Answer): void {
  if (work.kind === "command") answer(replies.isError() ? 400 : 200, replies.item());
  else if (work.kind === "pipeline") answer(200, pipelineJson(work, replies));
  else answerTransaction(work.commands.length, replies, answer);
}

/** A refused member has its error in its own place, as if Redis had given it. */
function pipelineJson(work: Work, replies: ReplyReader | undefined): string {
  let json = "[";
  for (let index = 0; index < work.commands.length; index++) {
    if (index > 0) json += ",";
    const refusal = work.refusals.size === 0 ? undefined : work.refusals.get(index);
    json += refusal === undefined ? (replies?.item() ?? "") : errorJson(refusal);
  }
  return `${json}]`;
}

/** MULTI's OK, one QUEUED or error per command, then EXEC's array, or its error when a command could not be queued. */
function answerTransaction(commandCount: number, replies: ReplyReader, answer: Answer): void {
  let cause: string | undefined;
  for (let left = commandCount + 1; left > 0; left--) {
    const isError = replies.isError();
    const line = replies.line();
    if (isError) cause ??= line;
  }
  if (replies.isError()) answer(400, errorJson(cause === undefined ? replies.line() : `${replies.line()} (${cause})`));
  else answer(200, replies.items() ?? errorJson("EXECABORT the transaction was discarded"));
}

function answerFailure(failure: LaneFailure, answer: Answer): void {
  if (failure === "too_large") answer(400, errorJson("ERR the reply is too large"));
  else answer(503, errorJson(STORE_ERRORS[failure]));
}

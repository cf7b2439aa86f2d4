import type { ServerResponse } from "node:http";
import type { Redis } from "ioredis";
import { type Command, encodeCommands } from "../stack/program/resp/encode-commands.ts";
import { createRawConnection } from "../stack/program/resp/raw-connection.ts";
import { REQUEST_TIMEOUT_MS } from "../stack/program/resp/redis-lane.ts";
import { createReplySplitter } from "../stack/program/resp/reply-splitter.ts";
import { sendJson } from "./send-json.ts";
import { ReplyReader } from "./store/reply-json.ts";
import { errorJson, STORE_ERRORS } from "./store/store.ts";

type EventStreamOptions = { readonly redis: Redis; readonly command: Command; readonly res: ServerResponse };

/** A comment line at this interval detects a disconnected caller and keeps proxies from closing the stream. */
const BEAT_MS = 15_000;
/** How long a stream waits for Redis to come back before it ends, and the caller must connect again. */
const LOST_MS_MAX = 10_000;
/** Unread bytes of a slow reader; beyond it the connection is closed, to bound the memory. */
const UNSENT_BYTES_MAX = 4 * 1024 * 1024;
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Passes what one connection to Redis receives to one caller, until either ends; returns the way to end it. After a
 * lost connection it subscribes again, and the caller sees Redis's `subscribe` line once more: messages may be missing.
 */
export function openEventStream({ redis, command, res }: EventStreamOptions): () => void {
  const wire = encodeCommands([command], false);
  const beat = setInterval(() => write(": beat\n\n"), BEAT_MS);
  let patience = setTimeout(giveUp, REQUEST_TIMEOUT_MS);
  let splitter = newSplitter();

  redis.on("error", () => {
    // The close event follows and starts the timer.
  });
  const connection = createRawConnection(redis, {
    onReady: () => {
      splitter = newSplitter();
      connection.socket()?.write(wire, "latin1");
    },
    onBytes: (chunk) => splitter.push(chunk),
    onLost: () => {
      clearTimeout(patience);
      patience = setTimeout(giveUp, LOST_MS_MAX);
    },
  });
  redis.connect().catch(() => {
    // ioredis keeps trying; the timer bounds it.
  });

  function newSplitter() {
    return createReplySplitter({
      nextCount: () => 1,
      onReplies: (bytes, from) => pass(new ReplyReader(bytes, { from, isBase64: false })),
      onTooLarge: giveUp,
      onBroken: giveUp,
      replyBytesMax: MESSAGE_BYTES_MAX,
    });
  }

  function pass(reply: ReplyReader): void {
    clearTimeout(patience);
    if (reply.isError()) {
      refuse(400, reply.line());
      return;
    }
    if (!res.headersSent) {
      res.writeHead(200, {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
      });
    }
    write(eventOf(reply.words()));
  }

  function write(text: string): void {
    if (!res.headersSent) return;
    if (res.writableLength > UNSENT_BYTES_MAX) res.destroy();
    else res.write(text);
  }

  function giveUp(): void {
    refuse(503, STORE_ERRORS.unreachable);
  }

  function refuse(status: number, message: string): void {
    close();
    if (!res.headersSent) sendJson(res, status, errorJson(message));
  }

  function close(): void {
    clearInterval(beat);
    clearTimeout(patience);
    redis.disconnect();
    if (res.headersSent) res.end();
  }

  return close;
}

/**
 * A message of several lines is several `data:` lines of one event, so that no line of it can pass for another event.
 */
function eventOf(words: readonly string[]): string {
  const text = words.length === 1 && words[0] === "OK" ? '"OK"' : words.join(",");
  return `data: ${text.replace(/\r\n|\r|\n/g, "\ndata: ")}\n\n`;
}

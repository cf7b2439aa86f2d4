import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { z } from "zod";
import type { Clock } from "../../../shared/clock.ts";
import { BOARD_KEY } from "../items/keys.ts";
import { type BoardItem, boardItemSchema } from "./board-item.ts";

/**
 * The board as this process knows it: its revision is read every 400 ms, the board only when it changed, so that no
 * reader waits for a store and a change is everywhere within a second. When Redis is unavailable or empty, the last
 * known board is served, and prices become stale by their own date.
 */
export type KnownBoard = {
  readonly current: () => ShownBoard;
  /** Reads now; for a request that wants the newest. */
  readonly refresh: () => Promise<void>;
  readonly stop: () => void;
};

export type ShownBoard = {
  readonly revision: number;
  readonly items: readonly BoardItem[];
  readonly find: (itemCode: string) => BoardItem | undefined;
  /** The body of `GET /prices` and its tag. */
  readonly body: Buffer<ArrayBuffer>;
  readonly etag: string;
};

const LOOK_EVERY_MS = 400;
const bodySchema = z.object({ items: z.array(boardItemSchema) });

type BoardParts = {
  readonly redis: Redis;
  readonly clock: Clock;
  readonly log: Logger;
  /** Another process changed the board. */
  readonly onChange?: (board: ShownBoard) => void;
};

export function openKnownBoard({ redis, clock, log, onChange = () => {} }: BoardParts): KnownBoard {
  let revision = -1;
  let items: readonly BoardItem[] = [];
  let shown: ShownBoard | undefined;
  let shownUntilMs = 0;

  async function refresh(): Promise<void> {
    const seen = await redis.hget(BOARD_KEY, "revision");
    if (seen === null || Number(seen) === revision) return;
    const [newest, body] = await redis.hmget(BOARD_KEY, "revision", "body");
    const parsed = bodySchema.safeParse(JSON.parse(body ?? "null"));
    if (!parsed.success) {
      log.error("the board in Redis cannot be read");
      return;
    }
    revision = Number(newest);
    items = parsed.data.items;
    shown = undefined;
    onChange(current());
  }

  function current(): ShownBoard {
    const nowMs = clock.nowMs();
    if (shown !== undefined && nowMs < shownUntilMs) return shown;
    const aged = items.map((item) => asOf(item, nowMs));
    shownUntilMs = Math.min(
      ...aged.map(({ dataAge, freshUntil }) => (dataAge === "fresh" ? (freshUntil ?? 0) : Infinity)),
      Infinity,
    );
    const isAged = aged.some((item, index) => item.dataAge !== items[index]?.dataAge);
    shown = showBoard(aged, { revision, isAged, shownUntilMs });
    return shown;
  }

  async function look(): Promise<void> {
    try {
      await refresh();
    } catch (error) {
      log.debug({ err: error }, "the board could not be read");
    } finally {
      timer.refresh();
    }
  }

  const timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  void look();
  return { current, refresh, stop: () => clearTimeout(timer) };
}

/** A price that no new one has replaced in time is stale, whether or not a process is left to say so. */
function asOf(item: BoardItem, nowMs: number): BoardItem {
  return item.dataAge === "fresh" && (item.freshUntil ?? 0) <= nowMs
    ? { ...item, dataAge: "stale", source: "cache" }
    : item;
}

type Version = { readonly revision: number; readonly isAged: boolean; readonly shownUntilMs: number };

/** The board with the texts that readers share. */
export function showBoard(items: readonly BoardItem[], { revision, isAged, shownUntilMs }: Version): ShownBoard {
  const byCode = new Map(items.map((item) => [item.itemCode, item]));
  return {
    revision,
    items,
    find: (itemCode) => byCode.get(itemCode),
    body: Buffer.from(JSON.stringify({ items: items.map(listed) })),
    etag: `"${revision}${isAged ? `-${shownUntilMs.toString(36)}` : ""}"`,
  };
}

/** Courses and comparisons are in the answer for one item. */
export function listed({ today: _today, yesterday: _yesterday, comparisons: _comparisons, ...item }: BoardItem) {
  return item;
}

import type { Logger } from "pino";
import type { Clock } from "../../../shared/clock.ts";
import type { Hide } from "../../accounts/identity/secrets.ts";
import type { ReadSession } from "../../accounts/identity/session-reader.ts";
import type { Database } from "../../db/database.ts";
import type { BoardItem } from "../board/board-item.ts";
import type { KnownBoard, ShownBoard } from "../board/known-board.ts";
import { type HistoryBar, type Range, readDay, readHistory } from "../history/read-history.ts";
import { demandProvider, listProviders } from "../providers/provider-queries.ts";
import { type Quota, type QuotaState, unknownQuota } from "../quota/quota.ts";

/** Everything that readers of prices ask for, for the API and the pages. */
export type PriceReads = {
  readonly board: () => ShownBoard;
  readonly readQuota: (asker: Asker) => Promise<QuotaState>;
  /** Undefined for an unknown item, which costs nothing. */
  readonly readFresh: (itemCode: string, asker: Asker) => Promise<FreshPrice | undefined>;
  readonly history: (itemCode: string, range: Range) => Promise<readonly HistoryBar[]>;
  readonly day: (itemCode: string, date: string) => Promise<HistoryBar | undefined>;
};

/** A user by the access token, anyone else by the address. */
export type Asker = { readonly token: string | undefined; readonly address: string };

export type FreshPrice = BoardItem & { readonly quota: QuotaState };

type ReadParts = {
  readonly database: Database;
  readonly board: KnownBoard;
  readonly quota: Quota;
  readonly readSession: ReadSession;
  /** Addresses are not readable in Redis. */
  readonly hide: Hide;
  readonly clock: Clock;
  readonly log: Logger;
};

/** Histories of one revision of the board: every item in a few ranges. Some hundred bars each, some megabytes in all. */
const HISTORIES_MAX = 200;

export function createPriceReads(parts: ReadParts): PriceReads {
  const { database, board, quota, readSession, hide, clock, log } = parts;
  const histories = new Map<string, { readonly revision: number; readonly bars: readonly HistoryBar[] }>();

  async function identityOf({ token, address }: Asker): Promise<string> {
    const session = token === undefined ? undefined : await readSession(token);
    return session === undefined ? `address:${hide(`prices ${address}`)}` : `user:${session.user.id}`;
  }

  async function orUnknown<State>(ask: () => Promise<State>): Promise<State | ReturnType<typeof unknownQuota>> {
    try {
      return await ask();
    } catch (error) {
      log.debug({ err: error }, "the quota could not be read: serving the last known prices");
      return unknownQuota(clock.nowMs());
    }
  }

  /** Lets the provider be asked before its due time, where its description allows it. No caller waits for it. */
  async function demand(provider: string): Promise<void> {
    const row = (await listProviders.all(database, {})).find((one) => one.provider === provider);
    const seconds = row?.description.refreshSeconds ?? null;
    if (seconds === null) return;
    const nowMs = clock.nowMs();
    const attemptedBeforeMs = String(nowMs - seconds * 1_000);
    await demandProvider.all(database, { provider, nowMs: String(nowMs), attemptedBeforeMs });
  }

  return {
    board: board.current,
    async readQuota(asker) {
      const { limit, used, remaining, windowEndsAt, retryAfterSeconds, secondsToNextWindow } = await orUnknown(
        async () => quota.read(await identityOf(asker)),
      );
      return { limit, used, remaining, windowEndsAt, retryAfterSeconds, secondsToNextWindow };
    },
    async readFresh(itemCode, asker) {
      if (board.current().find(itemCode) === undefined) return undefined;
      const { isGranted, ...state } = await orUnknown(async () => quota.take(await identityOf(asker), itemCode));
      if (isGranted) await board.refresh().catch(() => {});
      const item = board.current().find(itemCode);
      if (item === undefined) return undefined;
      if (isGranted) void demand(item.provider).catch((error: unknown) => log.debug({ err: error }, "no early fetch"));
      return isGranted ? { ...item, quota: state } : { ...item, dataAge: "stale", source: "cache", quota: state };
    },
    async history(itemCode, range) {
      const { revision } = board.current();
      const key = `${itemCode} ${range}`;
      const known = histories.get(key);
      if (known?.revision === revision) return known.bars;
      const bars = await readHistory(database, { itemCode, range, nowMs: clock.nowMs() });
      if (histories.size >= HISTORIES_MAX) histories.clear();
      histories.set(key, { revision, bars });
      return bars;
    },
    day: (itemCode, date) => readDay(database, { itemCode, date }),
  };
}

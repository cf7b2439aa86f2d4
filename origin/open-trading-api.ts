import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Audited } from "./accounts/admin/audited.ts";
import { keyFor } from "./accounts/identity/secrets.ts";
import type { UserCopies } from "./accounts/identity/user-copies.ts";
import { createAnswerCache } from "./api/market/answer-cache.ts";
import { candleOperation } from "./api/market/candle-operations.ts";
import { chartOperation } from "./api/market/chart-operation.ts";
import { summaryOperations } from "./api/market/summary-operations.ts";
import { udfOperations } from "./api/market/udf-operations.ts";
import type { VenueOperation } from "./api/operation.ts";
import { auctionOperations } from "./api/trading/auction-operations.ts";
import { batchOperation } from "./api/trading/batch-operation.ts";
import { changeOperations } from "./api/trading/change-operations.ts";
import { listOperations } from "./api/trading/list-operations.ts";
import { marketOperations } from "./api/trading/market-operations.ts";
import { orderOperations } from "./api/trading/order-operations.ts";
import { pairOperations } from "./api/trading/pair-operations.ts";
import { walletAdminOperations } from "./api/trading/wallet-admin-operations.ts";
import { walletOperations } from "./api/trading/wallet-operations.ts";
import type { Commands } from "./commit/submit/commands.ts";
import type { Database } from "./db/database.ts";
import { createChartDrawer } from "./market/charts/draw-charts.ts";
import { createKeptCharts } from "./market/charts/kept-charts.ts";
import { candleArchive, type ObjectStore } from "./market/history/candle-archive.ts";
import { openColdRows } from "./market/history/cold-rows.ts";
import { openMarketReader } from "./market/read/market-reader.ts";
import { createDepositByHand, type DepositByHand } from "./operators/deposit-by-hand.ts";
import type { AuctionRecords } from "./record/auctions/auction-records.ts";
import type { History } from "./record/history/history.ts";
import { openKnownPairs } from "./state/known-pairs.ts";
import { openAuctionStore } from "./trading/auction-store.ts";
import { createCommandSeal } from "./trading/command-seal.ts";
import { createDesk } from "./trading/desk.ts";
import { openVenueTrading } from "./trading/venue-trading.ts";

/** The trading port of our own venue, and the routes of `/api/v1` on top of it. */
export type TradingApi = {
  readonly operations: readonly VenueOperation[];
  readonly deposit: DepositByHand;
  /** Whether the pairs and currencies were read. */
  readonly isReady: () => boolean;
  readonly stop: () => void;
};

type TradingParts = {
  readonly redis: Redis;
  readonly commands: Commands;
  readonly audited: Audited;
  readonly users: UserCopies;
  readonly secret: string;
  readonly openOrdersMax: () => number;
  /** Orders, trades and movements that Redis no longer holds. */
  readonly history: History;
  readonly records: AuctionRecords;
  readonly database: Database;
  /** For candles that have left Redis. */
  readonly objects: ObjectStore;
  readonly nowMs: () => number;
  readonly log: Logger;
};

export function openTradingApi({
  redis,
  commands,
  audited,
  users,
  secret,
  openOrdersMax,
  history,
  records,
  database,
  objects,
  nowMs,
  log,
}: TradingParts): TradingApi {
  const pairs = openKnownPairs({ redis, log });
  const desk = createDesk({ commands, seal: createCommandSeal(keyFor("command-id", secret)) });
  const trading = openVenueTrading({ desk, pairs, redis, history, openOrdersMax });
  const cold = openColdRows({ database, archive: candleArchive(objects), scalesOf: pairs.findPair, nowMs });
  const drawer = createChartDrawer();
  const market = {
    market: openMarketReader({ redis, cold, nowMs }),
    cache: createAnswerCache({ nowMs }),
    findPair: pairs.findPair,
  };
  return {
    operations: [
      ...summaryOperations(market),
      candleOperation(market),
      chartOperation(market, createKeptCharts({ redis, objects, drawer })),
      ...udfOperations({ ...market, allPairs: pairs.all, nowMs }),
      ...orderOperations(trading),
      batchOperation(trading),
      ...changeOperations(trading),
      ...listOperations(trading),
      ...walletOperations(trading),
      ...walletAdminOperations({ desk, pairs, users, audited }),
      ...marketOperations(trading),
      ...auctionOperations({ pairs, auctions: openAuctionStore(redis), records }),
      ...pairOperations({ desk, pairs, audited }),
    ],
    deposit: createDepositByHand({ commands, pairs, audited }),
    isReady: pairs.areRead,
    stop: () => {
      pairs.stop();
      void drawer.stop();
    },
  };
}

import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Audited } from "./admin/audited.ts";
import type { VenueOperation } from "./api/operation.ts";
import type { Commands } from "./commands/commands.ts";
import type { History } from "./history/history.ts";
import { keyFor } from "./identity/secrets.ts";
import type { UserCopies } from "./identity/user-copies.ts";
import { batchOperation } from "./orders/batch-operation.ts";
import { commandOperation } from "./orders/command-operation.ts";
import { createCommandSeal } from "./orders/command-seal.ts";
import { createDesk } from "./orders/desk.ts";
import { orderOperations } from "./orders/order-operations.ts";
import { openOrderStore } from "./orders/order-store.ts";
import { tradeOperation } from "./orders/trade-operation.ts";
import { openTradeStore } from "./orders/trade-store.ts";
import { openKnownPairs } from "./pairs/known-pairs.ts";
import { marketOperations } from "./pairs/market-operations.ts";
import { openMarketStore } from "./pairs/market-store.ts";
import { pairOperations } from "./pairs/pair-operations.ts";
import { createDepositByHand, type DepositByHand } from "./wallets/deposit-by-hand.ts";
import { walletAdminOperations } from "./wallets/wallet-admin-operations.ts";
import { walletOperations } from "./wallets/wallet-operations.ts";
import { openWalletStore } from "./wallets/wallet-store.ts";

/** What people and programs trade through: routes on top, commands below, Redis to read from. PostgreSQL is asked for what is no longer recent, and by admins' routes. */
export type TradingApi = {
  readonly operations: readonly VenueOperation[];
  readonly deposit: DepositByHand;
  /** Whether it is known what is traded. */
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
  /** What Redis no longer has. */
  readonly history: History;
  readonly log: Logger;
};

export function openTradingApi({ redis, commands, audited, users, secret, openOrdersMax, history, log }: TradingParts): TradingApi {
  const pairs = openKnownPairs({ redis, log });
  const desk = createDesk({ commands, seal: createCommandSeal(keyFor("command-id", secret)) });
  const trades = openTradeStore({ redis, pairs, history });
  const store = openOrderStore({ redis, pairs, trades, history });
  const orderParts = { desk, pairs, store, openOrdersMax };
  return {
    operations: [
      ...orderOperations(orderParts),
      batchOperation(orderParts),
      commandOperation({ desk, store }),
      tradeOperation({ desk, store: trades }),
      ...walletOperations({ desk, pairs, store: openWalletStore({ redis, pairs, history }) }),
      ...walletAdminOperations({ desk, pairs, users, audited }),
      ...marketOperations({ desk, pairs, store: openMarketStore(redis) }),
      ...pairOperations({ desk, pairs, audited }),
    ],
    deposit: createDepositByHand({ commands, pairs, audited }),
    isReady: pairs.areRead,
    stop: pairs.stop,
  };
}

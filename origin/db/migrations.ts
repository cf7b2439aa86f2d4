import type { Migration } from "./migrate.ts";
import users from "./migrations/001-users.sql";
import auditAndSystem from "./migrations/002-audit-and-system.sql";
import apiKeys from "./migrations/003-api-keys.sql";
import ledger from "./migrations/004-ledger.sql";
import writeBehind from "./migrations/005-write-behind.sql";
import postingsByEntry from "./migrations/006-postings-by-entry.sql";
import history from "./migrations/007-history.sql";
import auditOutcomes from "./migrations/008-audit-outcomes.sql";
import auditPositions from "./migrations/009-audit-positions.sql";
import auctions from "./migrations/010-auctions.sql";
import conditionalOrders from "./migrations/011-conditional-orders.sql";
import trackedPrices from "./migrations/012-tracked-prices.sql";
import marketOhlc from "./migrations/013-market-ohlc.sql";

/** In order; new migrations are only appended. */
export const migrations: readonly Migration[] = [
  { version: 1, name: "users", sql: users },
  { version: 2, name: "audit and system", sql: auditAndSystem },
  { version: 3, name: "api keys", sql: apiKeys },
  { version: 4, name: "ledger", sql: ledger },
  { version: 5, name: "write-behind", sql: writeBehind },
  { version: 6, name: "postings by entry", sql: postingsByEntry },
  { version: 7, name: "history", sql: history },
  { version: 8, name: "audit outcomes", sql: auditOutcomes },
  { version: 9, name: "audit positions", sql: auditPositions },
  { version: 10, name: "auctions", sql: auctions },
  { version: 11, name: "conditional orders", sql: conditionalOrders },
  { version: 12, name: "tracked prices", sql: trackedPrices },
  { version: 13, name: "candles", sql: marketOhlc },
];

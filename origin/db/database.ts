import type { MessagePort } from "node:worker_threads";

/**
 * The permanent record: PostgreSQL embedded in this process by default, any server with `DATABASE_URL`. Statements are
 * `.sql` files and run through `define-query.ts`. When the database is unavailable, every call fails with
 * `DatabaseUnavailable` within a few seconds and the caller answers 503. No request on the trading path calls it.
 */
export type Database = Queries & {
  /**
   * Commits everything or nothing. After `TRANSACTION_MS_MAX`, or the caller's own limit, the transaction is rolled
   * back even if its statements succeeded: a caller that was told 503 can rely on it.
   */
  readonly transaction: <Result>(work: (tx: Transaction) => Promise<Result>, limitMs?: number) => Promise<Result>;
  /** Throws when the database does not answer. */
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
  /** Embedded database only: lets another thread of this process be a client too (`databaseOverPort`). */
  readonly port?: () => MessagePort;
};

export type Queries = { readonly query: (text: string, params: readonly SqlValue[]) => Promise<readonly unknown[]> };

export type Transaction = Queries & {
  /** Several statements without parameters, for migrations. Has no deadline of its own. */
  readonly script: (text: string) => Promise<void>;
};

/** Objects are for jsonb, lists for arrays of any type. */
export type SqlValue = string | number | boolean | null | readonly string[] | { readonly [name: string]: unknown };

/** First statement of a transaction that reads everything as of one moment. */
export const SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY";

export const QUERY_MS_MAX = 2_000;
export const TRANSACTION_MS_MAX = 4_000;

/** The database is unavailable, too slow or out of space; the same request can succeed later. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
}

/** The unique constraint is violated by a row that exists already. */
export class UniqueViolation extends Error {
  override readonly name = "UniqueViolation";
  readonly constraint: string;

  constructor(constraint: string, cause: unknown) {
    super(`${constraint} is violated`, { cause });
    this.constraint = constraint;
  }
}

import type { MessagePort } from "node:worker_threads";

/**
 * The permanent record: PostgreSQL embedded in this process by default, any server by `DATABASE_URL`. Statements stand in
 * `.sql` files and run through `define-query.ts`. While the database is away every call fails with `DatabaseUnavailable` within a
 * few seconds, so that whoever needs it answers 503; nothing on the way of an order asks it.
 */
export type Database = Queries & {
  /**
   * All of it or nothing. The work may run for `TRANSACTION_MS_MAX`, or what its caller allows; later it is rolled back, also when
   * its statements went through after all, so that what was answered with 503 does not happen behind the caller's back.
   */
  readonly transaction: <Result>(work: (tx: Transaction) => Promise<Result>, limitMs?: number) => Promise<Result>;
  /** Throws when the database does not answer. */
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
  /** Of the embedded database only: a way for another thread of this process to be its client too (`databaseOverPort`). */
  readonly port?: () => MessagePort;
};

export type Queries = { readonly query: (text: string, params: readonly SqlValue[]) => Promise<readonly unknown[]> };

export type Transaction = Queries & {
  /** Several statements without parameters, for migrations. Takes as long as it takes. */
  readonly script: (text: string) => Promise<void>;
};

/** Objects are for jsonb, lists for arrays of any type. */
export type SqlValue = string | number | boolean | null | readonly string[] | { readonly [name: string]: unknown };

export const QUERY_MS_MAX = 2_000;
export const TRANSACTION_MS_MAX = 4_000;

/** The database is away, too slow, or out of room: the same request can succeed later. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
}

/** A row of this kind is there already. */
export class UniqueViolation extends Error {
  override readonly name = "UniqueViolation";
  readonly constraint: string;

  constructor(constraint: string, cause: unknown) {
    super(`${constraint} is violated`, { cause });
    this.constraint = constraint;
  }
}

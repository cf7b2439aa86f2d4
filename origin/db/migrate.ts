import { createHash } from "node:crypto";
import { z } from "zod";
import { assert } from "../../shared/assert.ts";
import type { Database, Queries, Transaction } from "./database.ts";
import { defineQuery } from "./define-query.ts";
import findMigrations from "./find-migrations.sql";
import insertMigration from "./insert-migration.sql";
import listMigrations from "./list-migrations.sql";
import lockMigrations from "./lock-migrations.sql";

/** One step forward. A migration that has run anywhere never changes; a later one corrects it. */
export type Migration = { readonly version: number; readonly name: string; readonly sql: string };

const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version integer PRIMARY KEY CHECK (version >= 1),
  name text NOT NULL,
  sha256 text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
)`;

/** A migration may rewrite years of rows, and nothing else runs before it is done. */
const MIGRATE_MS_MAX = 30 * 60_000;

const find = defineQuery({
  name: "find-migrations",
  source: findMigrations,
  params: [],
  row: z.object({ is_there: z.boolean() }),
});
const lock = defineQuery({ name: "lock-migrations", source: lockMigrations, params: [], row: z.unknown() });
const list = defineQuery({
  name: "list-migrations",
  source: listMigrations,
  params: [],
  row: z.object({ version: z.int(), name: z.string(), sha256: z.string() }),
});
const insert = defineQuery({
  name: "insert-migration",
  source: insertMigration,
  params: ["version", "name", "sha256"],
  row: z.unknown(),
});

/**
 * Runs all missing migrations in one transaction. Processes that start together wait for each other at the lock. A
 * database that another version has changed stays unchanged, and the start fails with the reason.
 */
export async function migrate(database: Database, steps: readonly Migration[]): Promise<void> {
  steps.forEach(({ version }, index) => {
    assert(version === index + 1, "migrations are numbered without a gap");
  });
  await database.transaction(async (tx) => {
    await lock.all(tx, {});
    await tx.script(MIGRATIONS_TABLE);
    const applied = await list.all(tx, {});
    refuseForeign(applied, steps);
    for (const step of steps.slice(applied.length)) await apply(tx, step);
  }, MIGRATE_MS_MAX);
}

/**
 * The number of migrations that have run; changes nothing. Throws the reason if another program has changed the tables.
 */
export async function appliedSteps(database: Queries, steps: readonly Migration[]): Promise<number> {
  if ((await find.first(database, {}))?.is_there !== true) return 0;
  const applied = await list.all(database, {});
  refuseForeign(applied, steps);
  return applied.length;
}

async function apply(tx: Transaction, { version, name, sql }: Migration): Promise<void> {
  await tx.script(sql);
  await insert.all(tx, { version, name, sha256: digestOf(sql) });
}

type Applied = { readonly version: number; readonly name: string; readonly sha256: string };

function refuseForeign(applied: readonly Applied[], steps: readonly Migration[]): void {
  if (applied.length > steps.length) {
    throw new Error(
      `The database is at version ${applied.length}, this program knows ${steps.length}: start the newer program.`,
    );
  }
  for (const [index, { version, name, sha256 }] of applied.entries()) {
    const step = steps[index];
    if (step?.version !== version || digestOf(step.sql) !== sha256) {
      throw new Error(`Another program has migrated the database to version ${version} (${name}).`);
    }
  }
}

function digestOf(sql: string): string {
  return createHash("sha256").update(sql).digest("hex");
}

import { setImmediate as nextTurn } from "node:timers/promises";
import type { z } from "zod";
import { assert } from "../../shared/assert.ts";
import type { Queries, SqlValue } from "./database.ts";

/**
 * The only way to run a statement. Each `.sql` file lists its parameters in its header as `-- $1 name`. The definition
 * names the same parameters in the same order, so a call site cannot mix them up, and rows reach the caller only
 * through their schema.
 */
export type Query<Params extends string, Row> = {
  readonly name: string;
  readonly all: (db: Queries, params: Readonly<Record<Params, SqlValue>>) => Promise<readonly Row[]>;
  /** For statements that return at most one row. */
  readonly first: (db: Queries, params: Readonly<Record<Params, SqlValue>>) => Promise<Row | undefined>;
};

type QueryDefinition<Params extends string, Row> = {
  readonly name: string;
  readonly source: string;
  readonly params: readonly Params[];
  readonly row: z.ZodType<Row>;
};

/**
 * Parsing this many rows takes a few milliseconds; thousands in one turn would block the event loop for a tenth of a
 * second.
 */
const ROWS_PER_TURN = 200;

export function defineQuery<const Params extends string, Row>(
  definition: QueryDefinition<Params, Row>,
): Query<Params, Row> {
  const { name, source, params, row } = definition;
  assert(headerParams(source).join() === params.join(), `query ${name} and its file list different parameters`);

  async function all(db: Queries, values: Readonly<Record<Params, SqlValue>>): Promise<readonly Row[]> {
    const rows = await db.query(
      source,
      params.map((param) => values[param]),
    );
    const known: Row[] = [];
    for (const raw of rows) {
      const parsed = row.safeParse(raw);
      assert(parsed.success, `query ${name} returned a row of an unknown shape`);
      known.push(parsed.data);
      if (known.length % ROWS_PER_TURN === 0 && known.length < rows.length) await nextTurn();
    }
    return known;
  }

  async function first(db: Queries, values: Readonly<Record<Params, SqlValue>>): Promise<Row | undefined> {
    const rows = await all(db, values);
    assert(rows.length <= 1, `query ${name} returns one row at most`);
    return rows[0];
  }

  return { name, all, first };
}

function headerParams(source: string): readonly string[] {
  return [...source.matchAll(/^-- \$(\d+) (\w+)/gm)].map(([, place, param], index) => {
    assert(Number(place) === index + 1, "parameters are listed in their order");
    return param ?? "";
  });
}

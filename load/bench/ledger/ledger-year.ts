import { chmod, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import postgres from "postgres";
import { startPostgresServer } from "../../../kit/postgres-server.ts";
import { openDatabase } from "../../../origin/db/open-database.ts";
import { type BenchmarkRow, benchmarkRow } from "../benchmark.ts";

type Year = { readonly trades: number; readonly queries: number };

const MEDIAN_MS_AIM = 50;
const USERS = 10_000;
const MONTHS = 12;
/** Typical queries on the ledger, each at a random time of the year. */
const QUERIES: readonly { readonly what: string; readonly text: string }[] = [
  {
    what: "the last 100 trades of a pair before a moment",
    text: "SELECT * FROM trade_ledger WHERE symbol = $1 AND executed_at < $2 ORDER BY executed_at DESC LIMIT 100",
  },
  {
    what: "the purchases of a user in a month",
    text: "SELECT * FROM trade_ledger WHERE buy_user_id = $3 AND executed_at >= $2::timestamptz - interval '1 month' AND executed_at < $2 ORDER BY executed_at DESC LIMIT 100",
  },
  {
    what: "the sales of a user in a month",
    text: "SELECT * FROM trade_ledger WHERE sell_user_id = $3 AND executed_at >= $2::timestamptz - interval '1 month' AND executed_at < $2 ORDER BY executed_at DESC LIMIT 100",
  },
  {
    what: "a day's volume of a pair",
    text: "SELECT count(*), sum(qty), sum(value) FROM trade_ledger WHERE symbol = $1 AND executed_at >= $2::timestamptz - interval '1 day' AND executed_at < $2",
  },
];
const PAIRS = ["btcidr", "ethidr", "btcusdt", "ethusdt"];

/** A year of trades, generated in SQL; the median of each query compared with 50 ms, with its plan in the notes. */
export async function measureYear(folder: string, { trades, queries }: Year): Promise<readonly BenchmarkRow[]> {
  await mkdir(folder);
  for (const path of [dirname(folder), folder]) await chmod(path, 0o755);
  const server = await startPostgresServer(folder);
  try {
    await (await openDatabase({ url: server.url, folder: "unused" })).close();
    const sql = postgres(server.url, { max: 1, onnotice: () => {} });
    try {
      await fill(sql, trades);
      const rows: BenchmarkRow[] = [];
      for (const query of QUERIES) rows.push(await measure(sql, { ...query, queries, trades }));
      return rows;
    } finally {
      await sql.end();
    }
  } finally {
    await server.stop();
  }
}

async function fill(sql: postgres.Sql, trades: number): Promise<void> {
  const perMonth = Math.ceil(trades / MONTHS);
  for (let month = 0; month < MONTHS; month++) {
    const first = `2026-${String(month + 1).padStart(2, "0")}-01`;
    await sql.unsafe(`SELECT ledger_ensure_month('${first}')`);
    await sql.unsafe(`INSERT INTO trade_ledger (trade_id, sequence, symbol, grid, buy_user_id, sell_user_id, buy_order_id, sell_order_id, taker_side, price, qty, value, buy_fee, sell_fee, executed_at)
      SELECT g, g / 50 + 1, (ARRAY['${PAIRS.join("','")}'])[1 + g % 4], 1,
        'user-' || lpad((hashint8(g) & 2147483647) % ${USERS} || '', 8, '0') || '-0000-4000-8000-000000000000',
        'user-' || lpad((hashint8(g + 7) & 2147483647) % ${USERS} || '', 8, '0') || '-0000-4000-8000-000000000000',
        2 * g, 2 * g + 1, CASE g % 2 WHEN 0 THEN 'buy' ELSE 'sell' END, 1500000000.00, 0.00100000, 1500000.00, 0.00000200, 1500.00,
        timestamptz '${first} 00:00:00+00' + interval '27 days' * ((g - ${month * perMonth})::float8 / ${perMonth})
      FROM generate_series(${month * perMonth + 1}, ${(month + 1) * perMonth}) g`);
  }
  await sql.unsafe("VACUUM ANALYZE trade_ledger");
}

type Measured = { readonly what: string; readonly text: string; readonly queries: number; readonly trades: number };

async function measure(sql: postgres.Sql, { what, text, queries, trades }: Measured): Promise<BenchmarkRow> {
  const took: number[] = [];
  for (let index = 0; index < queries; index++) {
    const [symbol, at, user] = place(index);
    const start = performance.now();
    await sql.unsafe(bound(text, { symbol, at, user }));
    took.push(performance.now() - start);
  }
  const [symbol, at, user] = place(1);
  const plan = await sql.unsafe(
    `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) ${bound(text, { symbol, at, user })}`,
  );
  const lines = plan.map((row) => String(Object.values(row)[0]).trim()).filter((line) => !/never executed/.test(line));
  return {
    ...benchmarkRow({
      what: `${what}, among ${trades.toLocaleString("en")}, against ${MEDIAN_MS_AIM} ms`,
      unit: "1/s",
      aim: 1,
      subjectRounds: took.map((ms) => 1_000 / ms),
      baselineRounds: [1_000 / MEDIAN_MS_AIM],
    }),
    subjectRounds: [],
    notes: `EXPLAIN: ${lines.slice(0, 4).join("; ")}`,
  };
}

function place(index: number): [symbol: string, at: string, user: string] {
  const day = 1 + ((index * 7) % 27);
  const month = 2 + ((index * 5) % 11);
  const at = `2026-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}T12:00:00Z`;
  return [
    PAIRS[index % PAIRS.length] ?? "",
    at,
    `user-${String((index * 2_711) % USERS).padStart(8, "0")}-0000-4000-8000-000000000000`,
  ];
}

/** Inlines the values, so that the plan is made for them, as in a report. */
function bound(text: string, { symbol, at, user }: { symbol: string; at: string; user: string }): string {
  return text.replaceAll("$1", `'${symbol}'`).replaceAll("$2", `'${at}'`).replaceAll("$3", `'${user}'`);
}

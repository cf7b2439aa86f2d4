import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert } from "../../../shared/assert.ts";
import { startEdgeServer } from "../../../stack/servers/edge-server.ts";
import { alternate, type Benchmark, type BenchmarkRow, benchmarkRow } from "../benchmark.ts";
import { pinProcess } from "../pinned.ts";

/** Tickets and passes in workerd: Ed25519 compared with ES256, and the gain from remembering verified tokens. */
export const tokenBenchmark: Benchmark = {
  name: "token",
  run: async ({ quick }) => {
    const effort = quick ? QUICK : FULL;
    const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
    // The worker needs neither origin nor store.
    const edge = await startEdgeServer({
      folder,
      originAddress: NOWHERE,
      storeAddress: NOWHERE,
      variables: {},
      entryFile: WORKER,
    });
    pinProcess(edge.child.pid, WORKER_CORE);
    try {
      const rows: BenchmarkRow[] = [];
      for (const comparison of COMPARISONS) rows.push(await compare(comparison, { effort, url: edge.url }));
      return rows;
    } finally {
      await edge.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

const FULL = { rounds: 7, times: 5_000 };
const QUICK = { rounds: 1, times: 200 };
const NOWHERE = "127.0.0.1:9";
const WORKER = fileURLToPath(new URL("./token-worker.ts", import.meta.url));
const WORKER_CORE = 1;

type Comparison = { readonly what: string; readonly aim: number; readonly subject: string; readonly baseline: string };

const COMPARISONS: readonly Comparison[] = [
  { what: "sign with Ed25519, against ES256", aim: 1, subject: "sign-eddsa", baseline: "sign-es256" },
  { what: "verify Ed25519, against ES256", aim: 0.9, subject: "verify-eddsa", baseline: "verify-es256" },
  {
    what: "read a pass seen before, against its first reading",
    aim: 10,
    subject: "read-again",
    baseline: "read-first",
  },
  {
    what: "read a pass seen before, against a SHA-256 of it and a lookup",
    aim: 2,
    subject: "read-again",
    baseline: "digest-lookup",
  },
];

type Run = { readonly effort: typeof FULL; readonly url: string };

async function compare({ what, aim, subject, baseline }: Comparison, { effort, url }: Run): Promise<BenchmarkRow> {
  const { rounds, times } = effort;
  for (const operation of [subject, baseline]) await perSecond({ url, operation, times });
  const measured = await alternate({
    rounds,
    subject: () => perSecond({ url, operation: subject, times }),
    baseline: () => perSecond({ url, operation: baseline, times }),
  });
  return benchmarkRow({ ...measured, what, unit: "operations/s", aim });
}

async function perSecond({
  url,
  operation,
  times,
}: {
  url: string;
  operation: string;
  times: number;
}): Promise<number> {
  const startMs = performance.now();
  const response = await fetch(`${url}/${operation}?times=${times}`);
  const answer = await response.text();
  const elapsedMs = performance.now() - startMs;
  assert(response.ok && answer === "done", `${operation} failed in the worker`);
  return (times * 1000) / elapsedMs;
}

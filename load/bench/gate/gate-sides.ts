import { alternate, type BenchmarkRow, benchmarkRow, median } from "../benchmark.ts";
import { type HttpFigures, measureFaultless } from "../http/http-load.ts";
import type { Asking } from "./gate-commands.ts";
import { type Entry, OTHER_CORE } from "./gate-stack.ts";

/** How long a comparison lasts. */
export type Effort = typeof FULL;

/**
 * Fewer visitors than an isolate remembers. No visitor is counted twice within half a second, the time for which an
 * early poll is answered from memory: there are as many as counted requests, and the idle time lies before them.
 */
export const FULL = {
  rounds: 9,
  warmUpRounds: 4,
  durationMs: 500,
  warmUpMs: 200,
  crowd: { waiting: 8_000, admitted: 1_000 },
  counted: { requests: 4_000, idleMs: 4_000 },
};
export const QUICK: Effort = {
  rounds: 1,
  warmUpRounds: 0,
  durationMs: 100,
  warmUpMs: 20,
  crowd: { waiting: 100, admitted: 20 },
  counted: { requests: 100, idleMs: 700 },
};

const CONNECTIONS = 32;

const BROWSER_HEADERS = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
  "accept-language": "en-GB,en;q=0.9",
  "accept-encoding": "gzip, deflate, br, zstd",
  connection: "keep-alive",
  "sec-fetch-dest": "document",
  "sec-fetch-mode": "navigate",
  "sec-fetch-site": "same-origin",
};

/** Joins and polls come from the script of the waiting page. */
export const SCRIPT_HEADERS = {
  ...BROWSER_HEADERS,
  accept: "application/json",
  "sec-fetch-dest": "empty",
  "sec-fetch-mode": "cors",
};

type Compared = {
  readonly what: string;
  readonly aim: number;
  readonly subject: SideRequest;
  readonly baseline: SideRequest;
};

/** A request to one entry, by its path. */
export type SideRequest = Omit<Asking, "url"> & { readonly entry: Entry; readonly path: string };

/** Subject and baseline in turns. The notes have the latency and how far the ratios of single rounds lie apart. */
export async function compareSides({ what, aim, ...asked }: Compared, effort: Effort): Promise<BenchmarkRow> {
  const subject = createSide(asked.subject, effort);
  const baseline = createSide(asked.baseline, effort);
  const rounds = await alternateWarm(subject, baseline, effort);
  const notes = `${spreadOf(rounds)}; ${subject.latency()}; baseline ${baseline.latency()}`;
  return { ...benchmarkRow({ what, unit: "requests per second of core time", aim, ...rounds }), notes };
}

function spreadOf({ subjectRounds, baselineRounds }: Awaited<ReturnType<typeof alternateWarm>>): string {
  const ratios = subjectRounds.map((figure, round) => figure / (baselineRounds[round] ?? Number.NaN));
  return `single rounds ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
}

/** The runtimes compile the gate for some seconds under load, so the first rounds are left out. */
async function alternateWarm(subject: Side, baseline: Side, { rounds, warmUpRounds }: Effort) {
  if (warmUpRounds > 0) await alternate({ rounds: warmUpRounds, subject: subject.measure, baseline: baseline.measure });
  for (const side of [subject, baseline]) side.forget();
  return alternate({ rounds, subject: subject.measure, baseline: baseline.measure });
}

type Side = {
  readonly measure: () => Promise<number>;
  /** The latency of all rounds since the last `forget`. */
  readonly latency: () => string;
  readonly forget: () => void;
};

function createSide({ entry, path, method, cookies }: SideRequest, { durationMs, warmUpMs }: Effort): Side {
  const seen: HttpFigures[] = [];
  const load = {
    url: entry.url + path,
    method,
    cookies,
    headers: method === "POST" ? SCRIPT_HEADERS : BROWSER_HEADERS,
    connections: CONNECTIONS,
    durationMs,
    warmUpMs,
    core: OTHER_CORE,
  } as const;
  return {
    /** By the processor time of the server: the load of other programs on the machine does not count. */
    async measure() {
      const before = entry.cpuSeconds();
      const figures = await measureFaultless(load);
      seen.push(figures);
      return figures.answers / Math.max(entry.cpuSeconds() - before, TICK_SECONDS);
    },
    forget: () => void seen.splice(0),
    latency: () => {
      const middle = (values: readonly number[], digits: number) => median(values).toFixed(digits);
      const rate = middle(
        seen.map(({ requestsPerSecond }) => requestsPerSecond),
        0,
      );
      const [p50, p99] = [seen.map(({ p50Ms }) => p50Ms), seen.map(({ p99Ms }) => p99Ms)].map((ms) => middle(ms, 1));
      return `${rate} a second by the clock, p50 ${p50} ms, p99 ${p99} ms`;
    },
  };
}

/** The kernel's unit. */
const TICK_SECONDS = 0.01;

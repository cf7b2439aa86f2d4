import { alternate, type Benchmark, type BenchmarkRow, benchmarkRow, median } from "../benchmark.ts";
import { type HttpFigures, measureFaultless } from "../http/http-load.ts";
import { type Asking, type CommandCount, countCommands } from "./gate-commands.ts";
import { type Crowd, gatherCrowd, INSIDE_PATH, JOIN_PATH, POLL_PATH, setUpQueues } from "./gate-crowd.ts";
import { type Entry, type EntryKind, type GateStack, OTHER_CORE, startGateStack } from "./gate-stack.ts";

/**
 * The cost of the gate: admitted requests compared with the same proxy without a gate, and joins, polls and admitted
 * requests with a no-op route of the same edge, on both runtimes. The number of store commands per request is a
 * promise: a wrong one ends the benchmark.
 */
export const gateBenchmark: Benchmark = {
  name: "gate",
  run: async ({ quick }) => {
    const effort = quick ? QUICK : FULL;
    const stack = await startGateStack();
    try {
      const gate = await stack.startEntry("gate");
      await setUpQueues(stack, gate);
      const crowd = await gatherCrowd(gate, effort.crowd);
      const rows = [await compareWithProxy({ gate, proxy: await stack.startEntry("proxy"), crowd, effort })];
      for (const { kind, what, aims } of RUNTIMES) {
        const entry = await stack.startEntry(kind);
        for (const verb of VERBS)
          rows.push(await compareWithNoOp({ verb, entry, what, aim: aims[verb.name], crowd, effort, stack }));
      }
      return rows;
    } finally {
      await stack.stop();
    }
  },
};

/**
 * Fewer visitors than an isolate remembers. No visitor is counted twice within half a second, the time for which an
 * early poll is answered from memory: there are as many as counted requests, and the idle time lies before them.
 */
const FULL = {
  rounds: 9,
  warmUpRounds: 4,
  durationMs: 1_000,
  warmUpMs: 300,
  crowd: { waiting: 8_000, admitted: 1_000 },
  counted: { requests: 4_000, idleMs: 4_000 },
};
const QUICK: typeof FULL = {
  rounds: 1,
  warmUpRounds: 0,
  durationMs: 100,
  warmUpMs: 20,
  crowd: { waiting: 100, admitted: 20 },
  counted: { requests: 100, idleMs: 700 },
};

const CONNECTIONS = 32;
const PROXY_AIM = 0.9;
const NO_OP_PATH = "/_sluice/jwks.json";

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
const SCRIPT_HEADERS = {
  ...BROWSER_HEADERS,
  accept: "application/json",
  "sec-fetch-dest": "empty",
  "sec-fetch-mode": "cors",
};

type Verb = {
  readonly name: "joins" | "polls" | "admitted requests, without the forward";
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly cookiesOf: (crowd: Crowd) => readonly string[];
  readonly commands: 0 | 1;
};

const VERBS: readonly Verb[] = [
  { name: "joins", method: "POST", path: JOIN_PATH, cookiesOf: () => [], commands: 1 },
  { name: "polls", method: "POST", path: POLL_PATH, cookiesOf: ({ waiting }) => waiting, commands: 1 },
  {
    name: "admitted requests, without the forward",
    method: "GET",
    path: INSIDE_PATH,
    cookiesOf: ({ admitted }) => admitted,
    commands: 0,
  },
];

type Runtime = {
  readonly kind: EntryKind;
  readonly what: string;
  readonly aims: Readonly<Record<Verb["name"], number>>;
};

/** In workerd a store call is an HTTP request, so those rows have no aim. */
const RUNTIMES: readonly Runtime[] = [
  {
    kind: "answering workerd",
    what: "workerd + bridge",
    aims: { joins: 0, polls: 0, "admitted requests, without the forward": 0 },
  },
  {
    kind: "answering node",
    what: "Node + ioredis",
    aims: { joins: 0.5, polls: 0.5, "admitted requests, without the forward": 0.8 },
  },
];

type ProxySides = { readonly gate: Entry; readonly proxy: Entry; readonly crowd: Crowd; readonly effort: typeof FULL };

async function compareWithProxy({ gate, proxy, crowd, effort }: ProxySides): Promise<BenchmarkRow> {
  const side = ({ url }: Entry) =>
    createSide({ url: url + INSIDE_PATH, method: "GET", cookies: crowd.admitted }, effort);
  const subject = side(gate);
  const baseline = side(proxy);
  const rounds = await alternateWarm(subject, baseline, effort);
  const what = "admitted requests through the gate, against the same proxy without a gate (workerd)";
  return {
    ...benchmarkRow({ what, unit: "requests/s", aim: PROXY_AIM, ...rounds }),
    notes: `${subject.latency()}; without a gate ${baseline.latency()}`,
  };
}

type NoOpSides = {
  readonly verb: Verb;
  readonly entry: Entry;
  readonly what: string;
  readonly aim: number;
  readonly crowd: Crowd;
  readonly effort: typeof FULL;
  readonly stack: GateStack;
};

async function compareWithNoOp({ verb, entry, what, aim, crowd, effort, stack }: NoOpSides): Promise<BenchmarkRow> {
  const asking = { url: entry.url + verb.path, method: verb.method, cookies: verb.cookiesOf(crowd) };
  const noOp = { url: entry.url + NO_OP_PATH, method: "GET", cookies: asking.cookies };
  const subject = createSide(asking, effort);
  const baseline = createSide(noOp, effort);
  const rounds = await alternateWarm(subject, baseline, effort);
  const idling = { url: entry.url + INSIDE_PATH, method: "GET", cookies: crowd.admitted };
  const count = await countCommands({ redisUrl: stack.redisUrl, asking, idling, ...effort.counted });
  const { perRequest, perSecondBehind } = count;
  const isRight = keepsPromise(count, verb.commands * effort.counted.requests);
  if (!isRight)
    throw new Error(`${verb.name} on ${what} made ${perRequest.toFixed(3)} store commands each, not ${verb.commands}`);
  const commands = `${Math.abs(perRequest).toFixed(2)} store commands each and ${perSecondBehind.toFixed(1)} per second behind them`;
  return {
    ...benchmarkRow({ what: `${verb.name} on ${what}, against a no-op route`, unit: "requests/s", aim, ...rounds }),
    notes: `${subject.latency()}; ${commands}`,
  };
}

/** The runtimes compile the gate for some seconds under load, so the first rounds are left out. */
async function alternateWarm(subject: Side, baseline: Side, { rounds, warmUpRounds }: typeof FULL) {
  if (warmUpRounds > 0) await alternate({ rounds: warmUpRounds, subject: subject.measure, baseline: baseline.measure });
  for (const side of [subject, baseline]) side.forget();
  return alternate({ rounds, subject: subject.measure, baseline: baseline.measure });
}

/**
 * Calls of timers (routes, queues, feeds, sweeps), independent of the requests. Their rate varies from second to
 * second, and more on a busy machine, so the count has an upper bound instead of an exact value.
 */
const BEHIND_PER_SECOND_MAX = 12;

function keepsPromise({ calls, seconds }: CommandCount, promised: number): boolean {
  return calls >= promised && calls - promised <= BEHIND_PER_SECOND_MAX * (seconds + 1);
}

type Side = {
  readonly measure: () => Promise<number>;
  /** The latency of all rounds since the last `forget`. */
  readonly latency: () => string;
  readonly forget: () => void;
};

function createSide({ url, method, cookies }: Asking, { durationMs, warmUpMs }: typeof FULL): Side {
  const seen: HttpFigures[] = [];
  const load = {
    url,
    method,
    cookies,
    headers: method === "POST" ? SCRIPT_HEADERS : BROWSER_HEADERS,
    connections: CONNECTIONS,
    durationMs,
    warmUpMs,
    core: OTHER_CORE,
  } as const;
  return {
    async measure() {
      const figures = await measureFaultless(load);
      seen.push(figures);
      return figures.requestsPerSecond;
    },
    forget: () => void seen.splice(0),
    latency: () => {
      const ms = (values: readonly number[]) => median(values).toFixed(1);
      return `p50 ${ms(seen.map(({ p50Ms }) => p50Ms))} ms, p99 ${ms(seen.map(({ p99Ms }) => p99Ms))} ms with ${CONNECTIONS} at a time`;
    },
  };
}

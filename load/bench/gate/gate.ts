import type { Benchmark, BenchmarkRow } from "../benchmark.ts";
import { type CommandCount, countCommands } from "./gate-commands.ts";
import { type Crowd, gatherCrowd, INSIDE_PATH, JOIN_PATH, NO_OP_PATH, POLL_PATH, setUpQueues } from "./gate-crowd.ts";
import { compareWithRivals } from "./gate-rivals.ts";
import { compareSides, type Effort, FULL, QUICK } from "./gate-sides.ts";
import { type Entry, type EntryKind, type GateStack, startGateStack } from "./gate-stack.ts";

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
      rows.push(...(await compareWithRivals({ stack, crowd, effort })));
      return rows;
    } finally {
      await stack.stop();
    }
  },
};

const PROXY_AIM = 0.9;

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

const RUNTIMES: readonly Runtime[] = [
  {
    kind: "answering workerd",
    what: "workerd + bridge",
    aims: { joins: 0.45, polls: 0.45, "admitted requests, without the forward": 0 },
  },
  {
    kind: "answering node",
    what: "Node",
    aims: { joins: 0.6, polls: 0.75, "admitted requests, without the forward": 0 },
  },
];

type ProxySides = { readonly gate: Entry; readonly proxy: Entry; readonly crowd: Crowd; readonly effort: Effort };

async function compareWithProxy({ gate, proxy, crowd, effort }: ProxySides): Promise<BenchmarkRow> {
  const asking = (entry: Entry) => ({ entry, path: INSIDE_PATH, method: "GET", cookies: crowd.admitted });
  const what = "admitted requests through the gate, against the same proxy without a gate (workerd)";
  return compareSides({ what, aim: PROXY_AIM, subject: asking(gate), baseline: asking(proxy) }, effort);
}

type NoOpSides = {
  readonly verb: Verb;
  readonly entry: Entry;
  readonly what: string;
  readonly aim: number;
  readonly crowd: Crowd;
  readonly effort: Effort;
  readonly stack: GateStack;
};

async function compareWithNoOp({ verb, entry, what, aim, crowd, effort, stack }: NoOpSides): Promise<BenchmarkRow> {
  const asking = { url: entry.url + verb.path, method: verb.method, cookies: verb.cookiesOf(crowd) };
  const { method, cookies } = asking;
  const compared = await compareSides(
    {
      what: `${verb.name} on ${what}, against a no-op route`,
      aim,
      subject: { entry, path: verb.path, method, cookies },
      baseline: { entry, path: NO_OP_PATH, method: "GET", cookies },
    },
    effort,
  );
  const idling = { url: entry.url + INSIDE_PATH, method: "GET", cookies: crowd.admitted };
  const count = await countCommands({ redisUrl: stack.redisUrl, asking, idling, ...effort.counted });
  const { perRequest, perSecondBehind } = count;
  const isRight = keepsPromise(count, verb.commands * effort.counted.requests);
  if (!isRight)
    throw new Error(`${verb.name} on ${what} made ${perRequest.toFixed(3)} store commands each, not ${verb.commands}`);
  const commands = `${Math.abs(perRequest).toFixed(2)} store commands each and ${perSecondBehind.toFixed(1)} per second behind them`;
  return { ...compared, notes: `${compared.notes}; ${commands}` };
}

/**
 * Calls of timers (routes, queues, feeds, sweeps), independent of the requests. Their rate varies from second to
 * second, and more on a busy machine, so the count has an upper bound instead of an exact value.
 */
const BEHIND_PER_SECOND_MAX = 12;

function keepsPromise({ calls, seconds }: CommandCount, promised: number): boolean {
  return calls >= promised && calls - promised <= BEHIND_PER_SECOND_MAX * (seconds + 1);
}

import { setTimeout as sleep } from "node:timers/promises";
import { runCommand } from "../../../stack/program/command-line.ts";
import { gatherCrowd, INSIDE_PATH, JOIN_PATH, NO_OP_PATH, POLL_PATH, setUpQueues } from "../gate/gate-crowd.ts";
import { SCRIPT_HEADERS } from "../gate/gate-sides.ts";
import { type Entry, OTHER_CORE, startGateStack } from "../gate/gate-stack.ts";
import { measureFaultless } from "../http/http-load.ts";
import { type CpuProfile, openProfiler } from "./profiler.ts";

/**
 * `npm run profile`: where the processor time of the edge on Node goes, by part of a request, as a table of
 * microseconds. V8 samples the stacks; a sample counts for the nearest file of the project or package above it. The
 * shares are scaled to the processor time that the kernel counted, so other programs on the machine do not matter.
 */
const USAGE = `npm run profile
  Prints the microseconds of a no-op, a join, a poll and an admitted request on the edge on Node, by part.`;

const REQUESTS = 12_000;
const CONNECTIONS = 32;
const CROWD = { waiting: 8_000, admitted: 500 };
const INSPECTOR_MS = 1_000;

/** The first that matches the file of a sample. */
const PARTS: readonly (readonly [string, RegExp])[] = [
  ["garbage collection", /^gc$/],
  ["signing", /^edge\/node\/write-token/],
  ["forwarding", /^edge\/(?:proxy\/|node\/(?:forward|origin-agents))/],
  [
    "store call",
    /^(?:edge\/(?:line|store|admit\/outage\/outage|node\/lane)|stack\/program\/resp|shared\/store|zod$|ioredis$)/,
  ],
  ["path and headers", /^edge\/request\//],
  ["routing", /^(?:edge\/app|edge\/admit\/routes|hono$)/],
  ["cookies and tokens", /^(?:edge\/admit\/presented|edge\/tokens|shared\/tokens)/],
  ["answer", /^edge\/admit\/answers/],
  ["decision", /^(?:edge\/admit|shared)\//],
  ["HTTP", /./],
];

process.exitCode = await runCommand({ usage: USAGE, args: process.argv.slice(2), run: profile });

async function profile(): Promise<number> {
  const stack = await startGateStack();
  try {
    const entry = await stack.startEntry("gate on node");
    await setUpQueues(stack, entry);
    const crowd = await gatherCrowd(entry, CROWD);
    const requests = [
      { name: "no-op", method: "GET", path: NO_OP_PATH, cookies: [] },
      { name: "join", method: "POST", path: JOIN_PATH, cookies: [] },
      { name: "poll", method: "POST", path: POLL_PATH, cookies: crowd.waiting },
      { name: "admitted, with the forward", method: "GET", path: INSIDE_PATH, cookies: crowd.admitted },
    ];
    const profiler = await openProfiler(entry.pid);
    await sleep(INSPECTOR_MS);
    const columns = [];
    for (const request of requests) columns.push({ ...request, micros: await microsByPart(entry, profiler, request) });
    print(["part", ...columns.map(({ name }) => name)]);
    print(["---", ...columns.map(() => "---")]);
    for (const [part] of PARTS.toReversed())
      print([part, ...columns.map(({ micros }) => (micros.get(part) ?? 0).toFixed(1))]);
    print(["**all**", ...columns.map(({ micros }) => `**${sum(micros.values()).toFixed(1)}**`)]);
    return 0;
  } finally {
    await stack.stop();
  }
}

type Request = { readonly method: string; readonly path: string; readonly cookies: readonly string[] };
type Profiler = Awaited<ReturnType<typeof openProfiler>>;

async function microsByPart(entry: Entry, profiler: Profiler, { path, ...request }: Request) {
  const load = {
    ...request,
    url: entry.url + path,
    headers: SCRIPT_HEADERS,
    connections: CONNECTIONS,
    durationMs: 60_000,
    requestsMax: REQUESTS,
    warmUpMs: 0,
    core: OTHER_CORE,
  } as const;
  // The first run is for the compiler.
  await measureFaultless(load);
  await profiler.start();
  const before = entry.cpuSeconds();
  const { answers } = await measureFaultless(load);
  const microsEach = ((entry.cpuSeconds() - before) * 1_000_000) / answers;
  const shares = sharesByPart(await profiler.stop());
  return new Map([...shares].map(([part, share]) => [part, share * microsEach]));
}

function sharesByPart(profile: CpuProfile): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const [file, time] of profile) {
    const part = PARTS.find(([, pattern]) => pattern.test(file))?.[0] ?? "HTTP";
    times.set(part, (times.get(part) ?? 0) + time);
  }
  const all = sum(times.values());
  return new Map([...times].map(([part, time]) => [part, time / all]));
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0);
}

function print(cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
}

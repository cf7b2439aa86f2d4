import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** The busy time of each file of the project (by path), each package (by name), `gc`, and Node itself (`node`). */
export type CpuProfile = ReadonlyMap<string, number>;

type Node = {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
};
type Sampled = {
  readonly profile: {
    readonly nodes: readonly Node[];
    readonly samples: readonly number[];
    readonly timeDeltas: readonly number[];
  };
};

const SAMPLE_EVERY_MICROS = 200;
const ATTEMPTS_MAX = 50;
const ROOT = new URL("../../../", import.meta.url).href;
/** Where Node listens when it is asked to with SIGUSR1. */
const INSPECTOR = "http://127.0.0.1:9229/json";

/** Attaches to a process of Node. */
export async function openProfiler(pid: number) {
  process.kill(pid, "SIGUSR1");
  const socket = new WebSocket(await inspectorUrl());
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
  const replies = new Map<number, (result: unknown) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { readonly id: number; readonly result: unknown };
    replies.get(id)?.(result);
  });
  let calls = 0;
  const call = (method: string, params: object = {}) =>
    new Promise<unknown>((resolve) => {
      calls++;
      replies.set(calls, resolve);
      socket.send(JSON.stringify({ id: calls, method, params }));
    });
  await call("Profiler.enable");
  await call("Profiler.setSamplingInterval", { interval: SAMPLE_EVERY_MICROS });
  return {
    start: () => call("Profiler.start"),
    stop: async () => timesByFile((await call("Profiler.stop")) as Sampled),
  };
}

async function inspectorUrl(): Promise<string> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const response = await fetch(INSPECTOR).catch(() => undefined);
    const [target] = ((await response?.json()) ?? []) as { readonly webSocketDebuggerUrl: string }[];
    if (target !== undefined) return target.webSocketDebuggerUrl;
    await sleep(100);
  }
  throw new Error("the process opens no inspector");
}

function timesByFile({ profile: { nodes, samples, timeDeltas } }: Sampled): CpuProfile {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const times = new Map<string, number>();
  samples.forEach((sample, index) => {
    const file = fileOf(sample);
    if (file !== undefined) times.set(file, (times.get(file) ?? 0) + (timeDeltas[index] ?? 0));
  });
  return times;

  /** Of the nearest frame with a file; undefined while the process is idle or in the kernel. */
  function fileOf(sample: number): string | undefined {
    const leaf = byId.get(sample)?.callFrame.functionName;
    if (leaf === "(idle)" || leaf === "(program)") return undefined;
    if (leaf === "(garbage collector)") return "gc";
    for (let at: number | undefined = sample; at !== undefined; at = parents.get(at)) {
      const url = byId.get(at)?.callFrame.url ?? "";
      const [, pack] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
      if (pack !== undefined) return pack;
      if (url.startsWith(ROOT)) return fileURLToPath(url).slice(fileURLToPath(ROOT).length);
    }
    return "node";
  }
}

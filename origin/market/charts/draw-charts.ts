import { Worker } from "node:worker_threads";
import { fail, ok, type Result } from "../../../shared/result.ts";
import type { ChartOrder, DrawnChart } from "./chart-thread.ts";

/**
 * Draws charts in a worker thread, so that no request waits behind one. The thread starts with the first chart. A queue
 * that is full refuses at once; a thread that dies fails its charts and is replaced with the next one.
 */
export type ChartDrawer = {
  readonly draw: (svg: string) => Promise<Result<Buffer, "busy">>;
  readonly stop: () => Promise<void>;
};

/** Under a second of drawing. */
const WAITING_MAX = 32;
const THREAD = new URL("./chart-thread.ts", import.meta.url);
const LOADER = new URL("../../../stack/program/lua-loader.ts", import.meta.url).href;

type Waiting = { readonly resolve: (png: Buffer) => void; readonly reject: (error: Error) => void };

export function createChartDrawer(): ChartDrawer {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let lastId = 0;

  function failAll(reason: string): void {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(new Error(reason));
    waiting.clear();
  }

  function start(): Worker {
    const started = new Worker(THREAD, { execArgv: ["--import", LOADER], name: "charts" });
    // A stopping process does not wait for charts.
    started.unref();
    started.on("message", (drawn: DrawnChart) => {
      const one = waiting.get(drawn.id);
      waiting.delete(drawn.id);
      if ("png" in drawn) one?.resolve(Buffer.from(drawn.png));
      else one?.reject(new Error(`a chart cannot be drawn: ${drawn.failure}`));
    });
    started.on("error", (error) => failAll(error.message));
    started.on("exit", () => worker === started && failAll("the thread of charts has ended"));
    return started;
  }

  return {
    async draw(svg) {
      if (waiting.size >= WAITING_MAX) return fail("busy");
      worker ??= start();
      const thread = worker;
      const order: ChartOrder = { id: ++lastId, svg };
      const png = new Promise<Buffer>((resolve, reject) => waiting.set(order.id, { resolve, reject }));
      thread.postMessage(order);
      return ok(await png);
    },
    stop: async () => {
      const last = worker;
      worker = undefined;
      await last?.terminate();
    },
  };
}

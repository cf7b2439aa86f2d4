import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { pinProcess } from "../pinned.ts";

/** A process of the benchmark that answers messages. */
export type Part = {
  readonly ask: <Answer>(message: object) => Promise<Answer>;
  readonly stop: () => Promise<void>;
};

const LOADER = new URL("../../../stack/program/lua-loader.ts", import.meta.url).href;

type PartOptions = {
  readonly file: URL;
  readonly core: 0 | 1;
  readonly environment?: Readonly<Record<string, string>>;
};

export function startPart({ file, core, environment = {} }: PartOptions): Part & { readonly child: ChildProcess } {
  const child = fork(fileURLToPath(file), [], {
    execArgv: ["--import", LOADER],
    env: { ...process.env, ...environment },
  });
  if (child.pid !== undefined) pinProcess(child.pid, core);
  return {
    child,
    async ask<Answer>(message: object) {
      const answered = once(child, "message");
      child.send(message);
      return (await answered)[0] as Answer;
    },
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}

export async function startServing(options: PartOptions): Promise<Part & { readonly port: number }> {
  const part = startPart(options);
  const [{ port }] = (await once(part.child, "message")) as [{ readonly port: number }];
  return { ...part, port };
}

export const READERS = new URL("./readers-process.ts", import.meta.url);
export const LIVE = new URL("./live-process.ts", import.meta.url);

type Readers = {
  readonly port: number;
  readonly sockets: number;
  readonly subscribe: string;
  readonly core: 0 | 1;
  readonly yields?: boolean;
};

export async function openReaders({ core, yields = false, ...order }: Readers): Promise<Part> {
  const readers = startPart({ file: READERS, core, environment: { YIELDS: yields ? "1" : "0" } });
  await readers.ask({ kind: "open", stalled: 0, ...order });
  return readers;
}

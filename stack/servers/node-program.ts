import { fileURLToPath } from "node:url";
import { type Child, startChild } from "./child.ts";
import { answersOk, waitUntilReady } from "./wait-until-ready.ts";

type NodePart = {
  readonly name: string;
  readonly file: string;
  /** Of V8. */
  readonly flags: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly logFile: string;
  readonly readyUrl: string;
  readonly onProgress?: ((progress: string) => void) | undefined;
};

/** A part of the stack that is a program of ours, on this very Node. */
export async function startNode({
  name,
  file,
  flags,
  environment,
  logFile,
  readyUrl,
  onProgress,
}: NodePart): Promise<Child> {
  const luaLoader = new URL("../program/lua-loader.ts", import.meta.url).href;
  const script = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  const child = startChild({
    name,
    command: process.execPath,
    args: [...flags, "--import", luaLoader, script],
    environment,
    logFile,
  });
  await waitUntilReady({ child, probe: () => answersOk(readyUrl), onProgress });
  return child;
}

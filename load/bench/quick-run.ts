import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { BenchmarkRow } from "./benchmark.ts";

const LUA_LOADER = new URL("../../stack/program/lua-loader.ts", import.meta.url).href;

/**
 * Runs a benchmark quickly in its own process, as `npm run bench` does: for tests of benchmarks that start workerd or
 * the stack.
 */
export async function quickRun(file: URL, exported: string): Promise<readonly BenchmarkRow[]> {
  const script = `
    const { ${exported} } = await import(${JSON.stringify(file.href)});
    process.stdout.write(JSON.stringify(await ${exported}.run({ quick: true })));
  `;
  const args = ["--import", LUA_LOADER, "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as readonly BenchmarkRow[];
}

import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

type PinnedOptions = {
  /** The core that the process may use, by default all. Ignored without a second core or taskset. */
  readonly core?: 0 | 1;
  readonly command: string;
  readonly args: readonly string[];
  readonly spawnOptions?: SpawnOptions;
};

/** Keeps load and subject on different cores; otherwise the scheduler would be measured. */
export function spawnPinned({ core, command, args, spawnOptions = {} }: PinnedOptions): ChildProcess {
  if (core === undefined || !canPin()) return spawn(command, [...args], spawnOptions);
  return spawn("taskset", ["-c", String(core), command, ...args], spawnOptions);
}

/** Pins a running process, for servers that another module starts. */
export function pinProcess(pid: number, core: 0 | 1): void {
  if (canPin()) spawnSync("taskset", ["-a", "-p", "-c", String(core), String(pid)], { stdio: "ignore" });
}

let pinnable: boolean | undefined;

function canPin(): boolean {
  pinnable ??= availableParallelism() >= 2 && spawnSync("taskset", ["--version"], { stdio: "ignore" }).status === 0;
  return pinnable;
}

import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";

type PinnedOptions = {
  /** Which core the process may use; left out, all. Ignored where there is no second core or no taskset. */
  readonly core?: 0 | 1;
  readonly command: string;
  readonly args: readonly string[];
  readonly spawnOptions?: SpawnOptions;
};

/** Keeps load and subject from taking each other's core, which would measure the scheduler instead. */
export function spawnPinned({ core, command, args, spawnOptions = {} }: PinnedOptions): ChildProcess {
  if (core === undefined || !canPin()) return spawn(command, [...args], spawnOptions);
  return spawn("taskset", ["-c", String(core), command, ...args], spawnOptions);
}

/** Pins a process that runs already: for servers whose start is another module's business. */
export function pinProcess(pid: number, core: 0 | 1): void {
  if (canPin()) spawnSync("taskset", ["-a", "-p", "-c", String(core), String(pid)], { stdio: "ignore" });
}

let pinnable: boolean | undefined;

function canPin(): boolean {
  pinnable ??= availableParallelism() >= 2 && spawnSync("taskset", ["--version"], { stdio: "ignore" }).status === 0;
  return pinnable;
}

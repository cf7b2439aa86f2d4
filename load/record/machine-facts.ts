import { cpus, release, totalmem, type } from "node:os";

/** What this machine is, for whoever compares two runs. */
export function machineFacts(): string {
  const cores = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${cores[0]?.model.trim() ?? "unknown processor"}, ${cores.length} cores, ${gigabytes} GB; ${type()} ${release()}; Node ${process.versions.node}`;
}

import { getPriority, setPriority } from "node:os";

/**
 * Lowers the priority of the calling thread: the record may be a few seconds late, an order may not. On Linux each
 * thread has its own priority; elsewhere this would slow the whole process, so it does nothing.
 */
export function yieldToTrading(niceness: number): void {
  if (process.platform === "linux") setPriority(Math.max(niceness, getPriority()));
}

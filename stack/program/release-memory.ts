import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Gives the memory of a start back to the machine. V8 collects when it needs room, and a program that is idle from then
 * on never does: it would keep what it read and compiled for its start.
 */
export function releaseMemory(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  collect();
}

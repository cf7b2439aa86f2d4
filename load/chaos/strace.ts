import { spawn } from "node:child_process";
import { once } from "node:events";

/** Does this to the system calls of a running process until it is called off. Throws if the process may not be traced. */
export async function tamperWith(pid: number, rules: readonly string[]): Promise<() => Promise<void>> {
  const strace = spawn("strace", ["-f", "-o", "/dev/null", ...rules, "-p", String(pid)], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(strace, "exit");
  const attached = once(strace.stderr, "data");
  const [words] = await Promise.race([attached, ended]);
  if (!String(words).includes("attached")) throw new Error(`strace could not be attached: ${String(words).trim()}`);
  strace.stderr.resume();
  return async () => {
    strace.kill("SIGINT");
    await ended;
  };
}

import { systemRandom } from "../../shared/ids.ts";
import { runDemo } from "../demo/run-demo.ts";
import { createAdmin } from "./create-admin.ts";

/** `npm run sluice`: `admin` and `demo` are about the venue and are answered here; everything else is the gate's configuration, whose command stands at the edge. */
const [first, ...rest] = process.argv.slice(2);
const say = (line: string) => void process.stdout.write(`${line}\n`);

if (first === "demo") {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort());
  const surroundings = { environment: process.env, say, fillRandom: systemRandom, random: Math.random, signal: stopping.signal };
  process.exitCode = await runDemo(rest, surroundings);
} else if (first === "admin") {
  process.exitCode = await createAdmin(rest, {
    environment: process.env,
    stdin: process.stdin,
    say,
    random: systemRandom,
    nowMs: Date.now(),
  });
} else {
  await import(new URL("../../edge/cli/main.ts", import.meta.url).href);
}

import { systemRandom } from "../../shared/ids.ts";
import { runRecordCommand } from "../backup/record-commands.ts";
import { runDemo } from "../demo/run-demo.ts";
import { createAdmin } from "./create-admin.ts";

/** `npm run sluice`: `admin`, `demo`, `backup` and `restore` are about the venue and are answered here; everything else is the gate's configuration, whose command stands at the edge. */
const [first, ...rest] = process.argv.slice(2);
const say = (line: string) => void process.stdout.write(`${line}\n`);

if (first === "backup" || first === "restore") {
  process.exitCode = await runRecordCommand(first, rest, { environment: process.env, say, nowMs: Date.now });
} else if (first === "demo") {
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

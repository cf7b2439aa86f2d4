import { systemRandom } from "../../shared/ids.ts";
import { createAdmin } from "./create-admin.ts";

/** `npm run sluice`: `admin` is about the venue and is answered here; everything else is the gate's configuration, whose command stands at the edge. */
const [first, ...rest] = process.argv.slice(2);

if (first === "admin") {
  const say = (line: string) => void process.stdout.write(`${line}\n`);
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

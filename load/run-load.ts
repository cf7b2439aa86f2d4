import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));

/** `npm run load` with these arguments, for its tests. */
export async function runLoad(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  onOutput: (text: string, stop: () => void) => void = () => {},
) {
  const child = spawn(process.execPath, ["stack/prepare.mjs", "load/main.ts", ...args], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const take = (chunk: Buffer) => {
    output += chunk.toString();
    onOutput(output, () => child.kill("SIGINT"));
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

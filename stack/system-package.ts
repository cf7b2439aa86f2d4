import { spawn } from "node:child_process";
import { once } from "node:events";
import { findProgram } from "./servers/find-program.ts";

type WantedProgram = {
  /** Any of these on the PATH will do. */
  readonly programs: readonly string[];
  readonly aptPackages: readonly string[];
  readonly mayInstall: boolean;
  readonly say: (line: string) => void;
};

/** The program's path: found, or installed through apt when allowed. Otherwise throws a sentence on what to install. */
export async function ensureProgram({ programs, aptPackages, mayInstall, say }: WantedProgram): Promise<string> {
  const found = findProgram(...programs);
  if (found !== undefined) return found;
  const apt = mayInstall ? aptCommand() : undefined;
  if (apt === undefined)
    throw new Error(
      `Sluice needs ${programs.join(" or ")} on the PATH: install it (Debian: apt-get install ${aptPackages.join(" ")}) and start again.`,
    );
  say(`installing ${aptPackages.join(", ")} with apt-get`);
  const options = ["-y", "-qq", "--no-install-recommends"];
  if ((await run([...apt, "install", ...options, ...aptPackages])).code !== 0) {
    // A machine with old or missing package lists does not know the name yet.
    await run([...apt, "update", "-qq"]);
    const { code, output } = await run([...apt, "install", ...options, ...aptPackages]);
    if (code !== 0)
      throw new Error(
        `apt-get could not install ${aptPackages.join(", ")}: ${output.trim().split("\n").at(-1) ?? "it did not say why"}`,
      );
  }
  const installed = findProgram(...programs);
  if (installed === undefined)
    throw new Error(`apt-get installed ${aptPackages.join(", ")}, yet ${programs.join(" or ")} is not on the PATH.`);
  return installed;
}

/** apt-get when we are root, or through sudo where it asks for no password. */
function aptCommand(): readonly string[] | undefined {
  const apt = findProgram("apt-get");
  if (apt === undefined) return undefined;
  if (process.getuid?.() === 0) return [apt];
  const sudo = findProgram("sudo");
  return sudo === undefined ? undefined : [sudo, "-n", apt];
}

async function run([command = "", ...args]: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(command, args, {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

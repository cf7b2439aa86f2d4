import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { IS_FULL_RUN } from "../../kit/full-run.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** No stack runs on it, and no command here may make one. */
const dataFolder = join(await temporaryFolder(), "data");
const brokenFile = join(await temporaryFolder(), "broken.json");
await writeFile(brokenFile, "{");
/** Below a file there can be no folder. */
const noFolder = join(brokenFile, "folder");
const ENVIRONMENT = {
  ...process.env,
  SLUICE_DATA_DIR: dataFolder,
  SLUICE_PORT: "1",
  SLUICE_ADMIN_TOKEN: "0123456789abcdef",
  INIT_CWD: root,
};

/** Many times what each needs; one that hangs does not outlive the test. */
const ENDS_WITHIN_MS = 60_000;

type Ran = { readonly code: number | null; readonly out: string; readonly err: string };

async function run(file: string, ...args: readonly string[]): Promise<Ran> {
  const child = spawn(process.execPath, ["--import", "./stack/program/lua-loader.ts", file, ...args], {
    cwd: root,
    env: ENVIRONMENT,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: ENDS_WITHIN_MS,
    killSignal: "SIGKILL",
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: code as number | null, out, err };
}

const SLUICE = "origin/operators/main.ts";
const LOAD = "load/main.ts";

const COMMANDS: [string, ...string[]][] = [
  [SLUICE],
  [SLUICE, "demo"],
  [SLUICE, "admin"],
  [SLUICE, "admin", "create"],
  [SLUICE, "queues"],
  [SLUICE, "queues", "export"],
  [SLUICE, "queues", "apply"],
  [SLUICE, "audit"],
  [SLUICE, "backup"],
  [SLUICE, "restore"],
  [LOAD],
  [LOAD, "crowd"],
  [LOAD, "trade"],
  [LOAD, "opening"],
  [LOAD, "abuse"],
  [LOAD, "merge"],
  ["load/bench/main.ts"],
  ["load/chaos/main.ts"],
  ["test/sim/main.ts"],
  ["test/sim/main.ts", "engine"],
  ["origin/operators/audit-main.ts"],
  ["bridge/main.ts"],
  ["deploy/cluster/main.ts"],
  ["origin/operators/draw/main.ts"],
  ["stack/main.ts"],
];

/** One parser knows both; each start of a command costs a fifth of a second of processor time. */
const HELP_FLAGS = IS_FULL_RUN ? ["--help", "-h"] : ["--help"];

describe("every command", () => {
  it.concurrent.each(COMMANDS)("tells how it is used and ends with 0: %s %s %s", async (file, ...args) => {
    for (const flag of HELP_FLAGS) {
      const { code, out, err } = await run(file, ...args, flag);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out).toMatch(/npm (run|start)/);
    }
  });

  it.concurrent.each(COMMANDS)(
    "refuses an option that it does not know in one sentence: %s %s %s",
    async (file, ...args) => {
      const { code, out, err } = await run(file, ...args, "--no-such-option");
      expect({ isRefused: code !== 0 && code !== null, out }).toEqual({ isRefused: true, out: "" });
      expect(err).toContain("no-such-option");
      expectSentences(err);
    },
  );
});

/** A few lines for a person, without stack traces. */
function expectSentences(said: string): void {
  expect(said).not.toMatch(/^\s+at /m);
  expect(said).not.toMatch(/Error:|ERR_|ENOENT|EISDIR|EACCES|node:internal/);
  expect(said.trim().split("\n").length).toBeLessThanOrEqual(2);
}

describe("a file or folder that does not exist", () => {
  it.concurrent.each<[string, ...string[]]>([
    [SLUICE, "queues", "apply", "/nowhere/queues.yaml"],
    [SLUICE, "queues", "apply", root],
    [SLUICE, "queues", "export", "--url", "http://127.0.0.1:1"],
    [SLUICE, "queues", "export", "--url", "nonsense"],
    [SLUICE, "backup", noFolder],
    [SLUICE, "restore", "/nowhere"],
    [SLUICE, "demo"],
    [SLUICE, "demo", "--seconds", "soon"],
    [LOAD, "merge", "/nowhere/a.json", "/nowhere/b.json"],
    [LOAD, "merge", brokenFile, brokenFile],
    [LOAD, "crowd", "--visitors", "1", "--out", noFolder],
    [LOAD, "crowd", "--out"],
    [LOAD, "nonsense"],
    ["load/bench/main.ts", "nonsense"],
    ["load/chaos/main.ts", "--seed", "x"],
    ["test/sim/main.ts", "--seeds", "x"],
    ["deploy/cluster/main.ts", noFolder],
    ["origin/operators/draw/main.ts"],
    ["origin/operators/draw/main.ts", "--draw", "/nowhere/draw.json"],
    ["origin/operators/draw/main.ts", "--draw", root],
    ["origin/operators/draw/main.ts", "--draw", brokenFile],
  ])("is told in one sentence: %s %s %s %s %s", async (file, ...args) => {
    const { code, out, err } = await run(file, ...args);
    expect({ isRefused: code !== 0 && code !== null, out }).toEqual({ isRefused: true, out: "" });
    expectSentences(err);
  });

  it("is not created by an invalid command", async () => {
    await run("deploy/cluster/main.ts", "--no-such-option");
    expect(await readdir(root)).not.toContain("--no-such-option");
  });
});

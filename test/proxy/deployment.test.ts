import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../kit/temporary-folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

it.each([
  ["no environment", [], "https://origin.example.com"],
  ["staging", ["--env", "staging"], "https://origin.staging.example.com"],
  ["production", ["--env", "production"], "https://origin.example.com"],
])(
  "builds for Cloudflare with wrangler.toml as it stands, for %s, without an account or a network",
  async (_name, which, originUrl) => {
    const outputFolder = await temporaryFolder();
    const wrangler = join(dirname(createRequire(import.meta.url).resolve("wrangler/package.json")), "bin/wrangler.js");
    const environment = {
      ...process.env,
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_HIDE_BANNER: "true",
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      HOME: outputFolder,
    };
    const args = [wrangler, "deploy", "--dry-run", "--outdir", outputFolder, ...which];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env: environment });
    expect(stdout).toContain("ORIGIN_URL");
    expect(stdout).toContain(originUrl);
    const worker = await readFile(join(outputFolder, "worker.js"), "utf8");
    expect(worker).toContain("path_not_plain");
    expect(worker, "a Lua script with all that it includes").toContain("local function stand_at(");
    expect(worker).not.toContain("@include");
  },
);

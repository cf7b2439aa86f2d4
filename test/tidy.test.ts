import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { compatibilityDate } from "workerd";
import { errorCatalogue } from "../shared/errors.ts";

/** The rules of the house that a machine can see. Each failure lists the places, so that it reads like a to-do list. */
const root = fileURLToPath(new URL("../", import.meta.url));
const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" });
const files = listed.split("\n").filter((file) => file !== "" && existsSync(join(root, file)));
const sources = files.filter((file) => /\.(tsx?|mjs)$/.test(file) && !file.endsWith(".d.ts"));
const production = sources.filter((file) => /^(edge|origin|shared)\//.test(file) && !file.endsWith(".test.ts"));
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** Every line of these files that matches, as `file:line: text`. */
function linesMatching(among: readonly string[], pattern: RegExp): readonly string[] {
  return among.flatMap((file) =>
    read(file)
      .split("\n")
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
}

describe("the tree", () => {
  it("has no folder that names a layer instead of a step or a feature", () => {
    const layers = new Set(["utils", "util", "helpers", "services", "types", "common", "lib", "misc"]);
    expect(
      files.filter((file) =>
        dirname(file)
          .split("/")
          .some((folder) => layers.has(folder)),
      ),
    ).toEqual([]);
  });

  it("has no source file past 300 lines", () => {
    const long = [...sources, ...files.filter((file) => file.endsWith(".lua"))].filter((file) => !file.endsWith(".test.ts"));
    expect(long.filter((file) => read(file).split("\n").length > 301)).toEqual([]);
  });

  it("lets dependencies point one way: edge -> shared <- origin", () => {
    const allowed: Readonly<Record<string, readonly string[]>> = {
      edge: ["edge", "shared"],
      origin: ["origin", "shared"],
      shared: ["shared"],
    };
    const wrong = production.flatMap((file) => {
      const side = file.split("/")[0] ?? "";
      const imports = [...read(file).matchAll(/from "(\.[^"]+)"/g)].map((match) => join(dirname(file), match[1] ?? ""));
      return imports.filter((target) => !allowed[side]?.includes(target.split("/")[0] ?? "")).map((target) => `${file} imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  it("keeps the engine to itself: it imports shared/ and its own folder, and nothing of Node's", () => {
    const engine = production.filter((file) => file.startsWith("origin/engine/"));
    expect(engine.length).toBeGreaterThan(0);
    const wrong = engine.flatMap((file) => {
      const targets = [...read(file).matchAll(/(?:from|import) "([^"]+)"/g)].map((match) => match[1] ?? "");
      return targets.filter((target) => !/^(\.\/|\.\.\/\.\.\/shared\/)/.test(target)).map((target) => `${file} imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  it("imports TypeScript by its real name", () => {
    expect(linesMatching(sources, /from "\.[^"]*\.js"/)).toEqual([]);
  });
});

describe("the code", () => {
  it("asks the machine for time and randomness in the clock, the ids and the entry files only", () => {
    const elsewhere = production.filter((file) => !["clock.ts", "ids.ts", "main.ts", "worker.ts"].includes(basename(file)));
    expect(linesMatching(elsewhere, /Date\.now\(|Math\.random\(|new Date\(\)/)).toEqual([]);
  });

  it("keeps no promise between requests in the worker: they share values, never pending I/O", () => {
    const ofWorker = production.filter((file) => /^(edge|shared)\//.test(file) && !/^edge\/(?:node|cli|built|\w+\/client)\//.test(file));
    // In a collection, in a variable of the module, or in a record that a variable keeps.
    const kept =
      /(?:Map|Set)<[^;]*Promise<|let \w+: \{[^}]*Promise<|^(?:let|const) [^=]*: [^=]*(?<!=> )Promise<|\?\?= (?!await\b)\w*(?:[lL]oad|[rR]ead|import|fetch)\w*\(/;
    expect(linesMatching(ofWorker, kept)).toEqual([]);
  });

  it("leaves nothing for later and switches no check off", () => {
    const self = "test/tidy.test.ts";
    const checked = [...sources, ...files.filter((file) => /\.(lua|sql)$/.test(file))].filter((file) => file !== self);
    expect(linesMatching(checked, /\b(TODO|FIXME|XXX|HACK)\b|@ts-ignore|@ts-nocheck|(?::|as) any(?=\s*(?:[;,)=|&>{\]]|$))/)).toEqual([]);
    expect(linesMatching(checked, /\b(it|test|describe)\.(skip|only|todo)\b|\bxit\(/)).toEqual([]);
  });

  it("builds no key name inside a Lua script, and each script lists its KEYS, ARGV and what it returns", () => {
    const scripts = files.filter((file) => file.endsWith(".lua"));
    expect(scripts.length).toBeGreaterThan(0);
    expect(linesMatching(scripts, /redis\.(call|pcall)\([^)]*\.\./)).toEqual([]);
    for (const script of scripts) expect(read(script), script).toMatch(/^--[\s\S]*-- KEYS[\s\S]*-- ARGV[\s\S]*-- Returns/);
  });

  it("cannot import a Node module at the edge: the compiler says so", () => {
    // Where nobody else looks: the check runs beside the tests.
    const cache = join(root, "node_modules", ".cache");
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(cache, "intruder-"));
    try {
      writeFileSync(join(folder, "tsconfig.json"), '{ "extends": "../../../edge/tsconfig.json", "include": ["*.ts"], "exclude": [] }');
      writeFileSync(join(folder, "native.ts"), 'export const answer = await fetch("https://sluice.test");\n');
      writeFileSync(join(folder, "intruder.ts"), 'import { readFileSync } from "node:fs";\nexport const text = readFileSync("x");\n');
      const { status, stdout } = spawnSync("npx", ["--no-install", "tsc", "-p", folder], { cwd: root, encoding: "utf8" });
      const faults = stdout.split("\n").filter((line) => line.includes(": error "));
      expect(status).not.toBe(0);
      expect(faults).toEqual([expect.stringMatching(/intruder\.ts\(1,.*'node:fs'/)]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("what the project says of itself", () => {
  it("lists every error code in docs/errors.md with its status, and no other", () => {
    const rows = [...read("docs/errors.md").matchAll(/^\| `([a-z_]+)` \| (\d{3}) \| (never|later) \|/gm)];
    const documented = rows.map(([, code, status, retry]) => `${code} ${status} ${retry}`);
    const catalogue = Object.entries(errorCatalogue).map(([code, { status, retry }]) => `${code} ${status} ${retry}`);
    expect(documented.toSorted()).toEqual(catalogue.toSorted());
  });

  it("describes every environment variable that the code reads in docs/operations.md", () => {
    const named = new Set(
      production.flatMap((file) =>
        [...read(file).matchAll(/\b((?:SLUICE|UPSTASH)_[A-Z_]+|(?:VENUE_)?REDIS_URL|DATABASE_URL)\b/g)].map((match) => match[1] ?? ""),
      ),
    );
    const documented = read("docs/operations.md");
    expect([...named].filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
  });

  it("deploys the worker with the compatibility date that it is tested with", () => {
    expect(read("wrangler.toml")).toContain(`compatibility_date = "${compatibilityDate}"`);
  });

  it("names no download address in the lockfile", () => {
    expect(read("package-lock.json")).not.toContain('"resolved": "http');
  });

  it("links to no file that is not there", () => {
    const broken = files
      .filter((file) => file.endsWith(".md"))
      .flatMap((file) =>
        [...read(file).matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)]
          .map((match) => join(dirname(file), match[1] ?? ""))
          .filter((target) => !existsSync(join(root, target))),
      );
    expect(broken).toEqual([]);
  });
});

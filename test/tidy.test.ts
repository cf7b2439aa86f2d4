import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { compatibilityDate } from "workerd";
import { fileImports, folderGroups, folderMatrix, listFiles } from "../kit/folder-imports.ts";
import { headingAnchors } from "../kit/heading-anchors.ts";
import { errorCatalogue } from "../shared/http/errors.ts";
import { includesOf, sourceText } from "../stack/program/source-text.ts";

/** The rules of the house that a machine can see. Each failure lists the places, so that it reads like a to-do list. */
const root = fileURLToPath(new URL("../", import.meta.url));
const files = listFiles(root);
const sources = files.filter((file) => /\.(tsx?|mjs)$/.test(file) && !file.endsWith(".d.ts"));
const production = sources.filter(
  (file) => /^(edge|bridge|origin|shared|stack)\//.test(file) && !file.endsWith(".test.ts"),
);
const imports = fileImports(root, files);
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
    const long = [...sources, ...files.filter((file) => file.endsWith(".lua"))].filter(
      (file) => !file.endsWith(".test.ts"),
    );
    expect(long.filter((file) => read(file).split("\n").length > 301)).toEqual([]);
  });

  it("has no import cycle between folders: npm run tree prints who imports whom", () => {
    const groups = folderGroups(folderMatrix(imports.filter(({ from }) => !from.endsWith(".test.ts"))));
    expect(groups.length).toBeGreaterThan(20);
    expect(groups.filter((group) => group.length > 1)).toEqual([]);
  });

  it("lets dependencies point one way: edge -> shared <- origin, and both programs on what stack/ gives every program", () => {
    const allowed: Readonly<Record<string, RegExp>> = {
      shared: /^shared\//,
      stack: /^(stack|shared)\//,
      edge: /^(edge|shared)\//,
      "edge/node": /^(edge|shared|stack\/program)\//,
      bridge: /^(bridge|shared|stack\/program)\//,
      origin: /^(origin|shared|stack\/program|stack\/servers)\//,
    };
    const allowedFor = (from: string) => allowed[from.split("/", 2).join("/")] ?? allowed[from.split("/", 1).join()];
    // The command line of operators starts the edge's part of it as a program.
    const program = "origin/operators/main.ts imports edge/operators/cli/main.ts";
    const wrong = imports
      .filter(({ from, to }) => !from.endsWith(".test.ts") && allowedFor(from)?.test(to) === false)
      .map(({ from, to }) => `${from} imports ${to}`);
    expect(wrong).toEqual([program]);
  });

  it("imports nothing of test/ outside test/, and nothing of kit/ and load/ in the product, its tests beside it aside", () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        (to.startsWith("test/") && !from.startsWith("test/")) ||
        (to.startsWith("load/") && /^kit\//.test(from)) ||
        (/^(kit|load)\//.test(to) && production.includes(from)),
    );
    expect(wrong).toEqual([]);
  });

  it("keeps the engine to itself: it imports shared/ and its own folder, and nothing of Node's", () => {
    const engine = production.filter((file) => file.startsWith("origin/engine/"));
    expect(engine.length).toBeGreaterThan(0);
    const within = imports.filter(({ from, to }) => engine.includes(from) && !/^(origin\/engine|shared)\//.test(to));
    expect(within).toEqual([]);
    expect(linesMatching(engine, /(?:from|import) "[^."]/)).toEqual([]);
  });

  it("keeps the trading port free of protocols: it imports no route, no Hono and no server of Node's", () => {
    const trading = production.filter((file) => file.startsWith("origin/trading/"));
    expect(trading.length).toBeGreaterThan(0);
    expect(
      imports.filter(({ from, to }) => trading.includes(from) && /^origin\/(api|accounts|live|web)\//.test(to)),
    ).toEqual([]);
    expect(linesMatching(trading, /from "(hono|@hono|ws|node:(http|https|net))/)).toEqual([]);
  });

  it("imports TypeScript by its real name", () => {
    expect(linesMatching(sources, /from "\.[^"]*\.js"/)).toEqual([]);
  });
});

describe("the code", () => {
  it("asks the machine for time and randomness in the clock, the ids and the entry files only", () => {
    const elsewhere = production.filter(
      (file) => !["clock.ts", "ids.ts", "main.ts", "worker.ts"].includes(basename(file)),
    );
    expect(linesMatching(elsewhere, /Date\.now\(|Math\.random\(|new Date\(\)/)).toEqual([]);
  });

  it("keeps no promise between requests in the worker: they share values, never pending I/O", () => {
    const ofWorker = production.filter(
      (file) =>
        /^(edge|shared)\//.test(file) &&
        !/^edge\/(?:node\/|bare\/node|built\/|operators\/cli\/|.*\/client\/)/.test(file),
    );
    // In a collection, in a variable of the module, or in a record that a variable keeps.
    const kept =
      /(?:Map|Set)<[^;]*Promise<|let \w+: \{[^}]*Promise<|^(?:let|const) [^=]*: [^=]*(?<!=> )Promise<|\?\?= (?!await\b)\w*(?:[lL]oad|[rR]ead|import|fetch)\w*\(/;
    expect(linesMatching(ofWorker, kept)).toEqual([]);
  });

  it("leaves nothing for later and switches no check off", () => {
    const self = "test/tidy.test.ts";
    const checked = [...sources, ...files.filter((file) => /\.(lua|sql)$/.test(file))].filter((file) => file !== self);
    expect(
      linesMatching(
        checked,
        /\b(TODO|FIXME|XXX|HACK)\b|@ts-ignore|@ts-nocheck|(?::|\bas) any(?=\s*(?:[;,)=|&>{\]]|$))/,
      ),
    ).toEqual([]);
    expect(linesMatching(checked, /\b(it|test|describe)\.(skip|only|todo)\b|\bxit\(/)).toEqual([]);
  });

  it("cannot import a Node module at the edge: the compiler says so", () => {
    // In a folder that `npm run check`, which runs beside the tests, does not read.
    const cache = join(root, "node_modules", ".cache");
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(cache, "intruder-"));
    try {
      writeFileSync(
        join(folder, "tsconfig.json"),
        '{ "extends": "../../../edge/tsconfig.json", "include": ["*.ts"], "exclude": [] }',
      );
      writeFileSync(join(folder, "native.ts"), 'export const answer = await fetch("https://sluice.test");\n');
      writeFileSync(
        join(folder, "intruder.ts"),
        'import { readFileSync } from "node:fs";\nexport const text = readFileSync("x");\n',
      );
      const { status, stdout } = spawnSync("npx", ["--no-install", "tsc", "-p", folder], {
        cwd: root,
        encoding: "utf8",
      });
      const faults = stdout.split("\n").filter((line) => line.includes(": error "));
      expect(status).not.toBe(0);
      expect(faults).toEqual([expect.stringMatching(/intruder\.ts\(1,.*'node:fs'/)]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("the Lua scripts", () => {
  const scripts = files.filter((file) => file.endsWith(".lua"));
  const namesOf = (file: string) => includesOf(join(root, file)).map((piece) => relative(root, piece));
  const included = new Set(scripts.flatMap(namesOf));
  const callers = sources.filter((file) => !file.endsWith(".test.ts"));
  const imported = imports.filter(({ from, to }) => scripts.includes(to) && callers.includes(from));

  it("build no key name, and list their KEYS, ARGV and what they return", () => {
    expect(scripts.length).toBeGreaterThan(0);
    expect(linesMatching(scripts, /redis\.(call|pcall)\([^)]*\.\./)).toEqual([]);
    for (const script of scripts)
      expect(read(script), script).toMatch(/^--[\s\S]*-- KEYS[\s\S]*-- ARGV[\s\S]*-- Returns/);
  });

  it("are either imported by one file or included by others", () => {
    expect(included.size).toBeGreaterThan(5);
    for (const script of scripts) {
      const importers = imported.filter(({ to }) => to === script).length;
      expect(included.has(script) ? importers === 0 : importers === 1, `${script} has ${importers} importers`).toBe(
        true,
      );
    }
  });

  it("include only pieces that exist, each once, and use what they include", () => {
    for (const script of scripts) {
      const includes = namesOf(script);
      expect(includes.filter((piece) => !scripts.includes(piece))).toEqual([]);
      expect(new Set(includes).size, script).toBe(includes.length);
      const whole = sourceText(join(root, script));
      expect(whole, script).not.toContain("@include");
      for (const piece of includes) {
        const [firstLine = ""] = read(piece).split("\n");
        expect(whole.split(firstLine).length, `${piece} in ${script}`).toBe(2);
        const names = [...read(piece).matchAll(/^local (?:function )?([\w, ]+)/gm)].flatMap(([, list = ""]) =>
          list.split(", "),
        );
        const isUsed = names.some((name) =>
          new RegExp(`\\b${name.trim()}\\b`).test(read(script).replaceAll(/--.*/g, "")),
        );
        expect(isUsed, `${script} uses ${piece}`).toBe(true);
      }
    }
  });

  it("reach defineScript as they are: no program assembles their text", () => {
    for (const { from, to } of imported) {
      const name = new RegExp(`import (\\w+) from "[^"]*${basename(to)}"`).exec(read(from))?.[1] ?? "";
      const uses = [...read(from).matchAll(new RegExp(`^.*\\b${name}\\b.*$`, "gm"))].map(([line]) => line.trim());
      expect(uses.slice(1), `${name} in ${from}`).toEqual([name === "source" ? "source," : `source: ${name},`]);
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
        [...read(file).matchAll(/\b((?:SLUICE|UPSTASH)_[A-Z_]+|(?:VENUE_)?REDIS_URL|DATABASE_URL)\b/g)].map(
          (match) => match[1] ?? "",
        ),
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

  it("links to no file or heading that is not there", () => {
    const pages = files.filter((file) => file.endsWith(".md"));
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)]
        .filter(([, path = "", anchor]) => {
          const target = path === "" ? page : join(dirname(page), path);
          if (!existsSync(join(root, target))) return true;
          return anchor !== undefined && !headingAnchors(read(target)).has(anchor);
        })
        .map(([link]) => `${page}: ${link}`),
    );
    expect(broken).toEqual([]);
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { startAdminGate } from "../admin/admin-gate.ts";

const gate = await startAdminGate();
const folder = await temporaryFolder();
const root = fileURLToPath(new URL("../../", import.meta.url));

type Outcome = { readonly code: number | null; readonly out: string; readonly complaints: string };

/** As `npm run sluice -- queues …` runs it, from a folder of the operator's own. */
async function sluice(args: readonly string[], { input = "", environment = {} }: RunOptions = {}): Promise<Outcome> {
  const child = spawn(
    process.execPath,
    ["--import", "./stack/program/lua-loader.ts", "edge/operators/cli/main.ts", "queues", ...args],
    {
      cwd: root,
      env: { ...process.env, INIT_CWD: folder, SLUICE_URL: gate.url, SLUICE_ADMIN_TOKEN: gate.token, ...environment },
    },
  );
  child.stdin.end(input);
  const [out, complaints, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: code as number | null, out, complaints };
}

type RunOptions = { readonly input?: string; readonly environment?: NodeJS.ProcessEnv };

const FIRST = `
queues:
  launch:
    name: Launch
    maxActive: 500
    admissionRate: 10
  sale: { name: Sale, maxActive: 50, admissionRate: 2.5, mode: paused }
routes:
  - { path: /launch/*, queueId: launch }
  - { host: shop.example.com, path: /*, queueId: sale }
bypass:
  - { path: /launch/assets/*, note: pictures }
  - { header: { secret: a-secret-of-sixteen-letters } }
`;

async function write(name: string, content: string): Promise<string> {
  await writeFile(join(folder, name), content);
  return name;
}

const settingsOf = async (queueId: string) => (await gate.call("GET", `/admin/queues/${queueId}`)).body;

describe("npm run sluice -- queues", () => {
  it("shows what it would do, does it, and then finds nothing more to do", async () => {
    const file = await write("first.yaml", FIRST);
    const dry = await sluice(["apply", file, "--dry-run"]);
    expect(dry).toMatchObject({ code: 3, complaints: "" });
    expect(dry.out).toContain('+ queue launch\n    name: "Launch"\n    maxActive: 500\n');
    expect(dry.out).toContain("    + * /launch/* -> launch\n    + shop.example.com /* -> sale\n");
    expect(dry.out).toContain("2 to create, 0 to change, 0 to delete, routes to replace.");
    expect(dry.out).not.toContain("a-secret-of-sixteen-letters");
    expect((await gate.call("GET", "/admin/queues")).body["queues"]).toEqual([]);

    const applied = await sluice(["apply", file]);
    expect(applied).toMatchObject({ code: 0, complaints: "" });
    expect(applied.out).toContain("created launch\ncreated sale\nreplaced the routes\n");
    expect(await settingsOf("sale")).toMatchObject({ name: "Sale", mode: "paused", admissionRate: 2.5, version: 1 });

    expect(await sluice(["apply", file])).toEqual({ code: 0, out: "No difference.\n", complaints: "" });
    expect(await settingsOf("launch")).toMatchObject({ version: 1 });
  });

  it("exports into a pipe: the document and nothing else, also when its reader ends early", async () => {
    const environment = { ...process.env, SLUICE_URL: gate.url, SLUICE_ADMIN_TOKEN: gate.token };
    const command = [process.execPath, "stack/prepare.mjs", "origin/operators/main.ts", "queues", "export"]
      .map((word) => `'${word}'`)
      .join(" ");
    const piped = async (reader: string) => {
      const child = spawn("bash", ["-c", `set -o pipefail; ${command} | ${reader}`], { cwd: root, env: environment });
      const [out, complaints, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "close"),
      ]);
      return { code: code as number | null, out, complaints };
    };
    const whole = await piped("cat");
    expect([whole.code, whole.complaints]).toEqual([0, ""]);
    expect(parse(whole.out)).toMatchObject({ queues: { launch: { maxActive: 500 } } });
    expect(await piped("true")).toEqual({ code: 0, out: "", complaints: "" });
  });

  it.each(["yaml", "json"])("writes a %s file that applies without a difference", async (ending) => {
    expect(await sluice(["export", `all.${ending}`])).toEqual({ code: 0, out: "", complaints: "" });
    const written = await readFile(join(folder, `all.${ending}`), "utf8");
    if (ending === "json") expect(JSON.parse(written)).toMatchObject({ queues: { launch: { maxActive: 500 } } });
    expect(await sluice(["apply", `all.${ending}`, "--prune"])).toEqual({
      code: 0,
      out: "No difference.\n",
      complaints: "",
    });
  });

  it("changes what the document names, and nothing else", async () => {
    const input = "queues:\n  sale:\n    admissionRate: 4\n    mode: paused\n";
    const { code, out } = await sluice(["apply", "-"], { input });
    expect([code, out]).toEqual([
      0,
      "~ queue sale\n    admissionRate: 2.5 -> 4\n\n0 to create, 1 to change, 0 to delete.\n\nchanged sale\n",
    ]);
    expect(await settingsOf("sale")).toMatchObject({ name: "Sale", admissionRate: 4, maxActive: 50, version: 2 });
    expect(((await gate.call("GET", "/admin/routes")).body["routes"] as unknown[]).length).toBe(2);
  });

  it("deletes only with --prune, routes first, and queues with visitors only with --force", async () => {
    await gate.redis.zadd("queue:{sale}:active", Date.now() + 600_000, "AAAAAAAAAAAAAAAAAAAAAA");
    const input = "queues: { launch: {} }\nroutes: [{ path: /launch/*, queueId: launch }]\n";
    expect((await sluice(["apply", "-", "--dry-run"], { input })).out).not.toContain("- queue");
    const refused = await sluice(["apply", "-", "--prune"], { input });
    expect(refused.code).toBe(1);
    expect(refused.out).toContain("- queue sale (0 waiting, 1 inside)");
    expect(refused.complaints).toContain("queue_occupied");
    expect((await sluice(["apply", "-", "--prune", "--force"], { input })).out).toContain("deleted sale\n");
    expect((await settingsOf("sale"))["code"]).toBe("queue_not_found");
  });

  it("says every fault of a document at once, with its place, and changes nothing", async () => {
    const before = await gate.call("GET", "/admin/queues");
    const input = [
      "queues:",
      "  launch: { maxActive: 0, colour: red }",
      "  new: { name: New }",
      "  Bad: { name: x }",
      "routes: [{ path: no-path, queueId: launch }]",
    ].join("\n");
    const inputs = [
      input,
      input.replace("  Bad: { name: x }\n", ""),
      "routes: [{ path: /x/*, queueId: nowhere }]",
      "queues: {a: {}, a: {}}",
    ];
    const [shape, values, leadsNowhere, twice] = await Promise.all(
      inputs.map((each) => sluice(["apply", "-"], { input: each })),
    );
    expect(shape).toMatchObject({ code: 2, complaints: expect.stringContaining("queues.Bad:") });
    expect(leadsNowhere).toMatchObject({ code: 2, complaints: expect.stringContaining("no queue nowhere") });
    expect(twice).toMatchObject({ code: 2, complaints: expect.stringContaining("unique") });
    const { code, complaints = "", out } = values ?? {};
    expect([code, out]).toEqual([2, ""]);
    for (const place of [
      "queues.launch.maxActive:",
      "queues.launch.colour: is not known",
      "queues.new.admissionRate:",
      "routes.0.path:",
    ])
      expect(complaints).toContain(place);
    expect((await gate.call("GET", "/admin/queues")).text).toBe(before.text);
  });

  it("ends with 1 when the edge refuses or is not there, and with 2 when it is used wrongly", async () => {
    const inFolder = { SLUICE_ADMIN_TOKEN: undefined, SLUICE_DATA_DIR: folder };
    const [wrongToken, noEdge, noToken] = await Promise.all([
      sluice(["export"], { environment: { SLUICE_ADMIN_TOKEN: "not-the-operator-token" } }),
      sluice(["export", "--url", "http://127.0.0.1:1"]),
      sluice(["export"], { environment: inFolder }),
    ]);
    expect(wrongToken).toMatchObject({ code: 1, complaints: expect.stringContaining("operator_token_invalid") });
    expect([noEdge.code, noEdge.complaints]).toEqual([1, "The edge at http://127.0.0.1:1 cannot be reached.\n"]);
    expect(noToken.code).toBe(2);
    const misuses = [
      [],
      ["apply"],
      ["import", "x"],
      ["export", "x", "--prune"],
      ["apply", "x", "--all"],
      ["apply", "missing.yaml"],
    ];
    const outcomes = await Promise.all(misuses.map((args) => sluice(args)));
    expect(outcomes.map(({ code }) => code)).toEqual(misuses.map(() => 2));
    await write("secrets.json", JSON.stringify({ adminToken: gate.token }));
    expect((await sluice(["export"], { environment: inFolder })).code).toBe(0);
  });
});

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchmarkRow } from "../benchmark.ts";
import { type Crowd, INSIDE_PATH, inTurns, JOIN_PATH, NO_OP_PATH, POLL_PATH } from "./gate-crowd.ts";
import { compareSides, type Effort } from "./gate-sides.ts";
import type { Entry, GateStack } from "./gate-stack.ts";

type Rivals = { readonly stack: GateStack; readonly crowd: Crowd; readonly effort: Effort };

/**
 * The gate on Node against the least that can do the same: a bare server with the same answer, a bare reverse proxy,
 * and a minimal waiting room on Bun.
 */
export async function compareWithRivals(rivals: Rivals): Promise<readonly BenchmarkRow[]> {
  const gate = await rivals.stack.startEntry("gate on node");
  const bun = findBun();
  return [
    await compareNoOp(rivals, gate),
    await compareForwarding(rivals, gate),
    ...(bun === undefined ? [] : await compareWithBun(rivals, gate, bun)),
  ];
}

const NO_OP_AIM = 0.8;
const FORWARD_AIM = 0.8;
const BUN_AIM = 1;

async function compareNoOp({ stack, effort }: Rivals, gate: Entry): Promise<BenchmarkRow> {
  const response = await fetch(gate.url + NO_OP_PATH);
  const bare = await stack.startRival({
    file: fileURLToPath(new URL("../http/bare-http-server.ts", import.meta.url)),
    environment: { ANSWER: await response.text() },
    readyPath: "/",
  });
  const what = "a no-op route on Node, against a bare node:http server with the same answer";
  const asking = (entry: Entry) => ({ entry, path: NO_OP_PATH, method: "GET", cookies: [] });
  return compareSides({ what, aim: NO_OP_AIM, subject: asking(gate), baseline: asking(bare) }, effort);
}

async function compareForwarding({ stack, crowd, effort }: Rivals, gate: Entry): Promise<BenchmarkRow> {
  const proxy = await stack.startRival({
    file: fileURLToPath(new URL("../http/bare-proxy-server.ts", import.meta.url)),
    environment: { ORIGIN_URL: stack.originUrl },
    readyPath: "/",
  });
  const what = "admitted requests through the gate on Node, against a bare Node reverse proxy";
  const asking = (entry: Entry) => ({ entry, path: INSIDE_PATH, method: "GET", cookies: crowd.admitted });
  return compareSides({ what, aim: FORWARD_AIM, subject: asking(gate), baseline: asking(proxy) }, effort);
}

async function compareWithBun({ stack, crowd, effort }: Rivals, gate: Entry, program: string) {
  const room = await stack.startRival({
    file: fileURLToPath(new URL("./bun-room.mjs", import.meta.url)),
    environment: { REDIS_URL: stack.redisUrl },
    readyPath: "/",
    program,
  });
  const waiting = await inTurns(crowd.waiting.length, async () => {
    const response = await fetch(`${room.url}/enter`, { method: "POST" });
    await response.arrayBuffer();
    return response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  });
  const rows = [
    { name: "joins", ours: { path: JOIN_PATH, cookies: [] }, theirs: { path: "/enter", cookies: [] } },
    { name: "polls", ours: { path: POLL_PATH, cookies: crowd.waiting }, theirs: { path: "/poll", cookies: waiting } },
  ];
  const compared: BenchmarkRow[] = [];
  for (const { name, ours, theirs } of rows) {
    const subject = { entry: gate, method: "POST", ...ours };
    const baseline = { entry: room, method: "POST", ...theirs };
    const what = `${name} on Node, against a minimal waiting room on Bun`;
    compared.push(await compareSides({ what, aim: BUN_AIM, subject, baseline }, effort));
  }
  return compared;
}

const BUN = "bun@1.4.4";
const CACHE = fileURLToPath(new URL("../../../node_modules/.cache/bun", import.meta.url));
const PROGRAM = join(CACHE, "node_modules/@oven/bun-linux-x64/bin/bun");

/**
 * Installed for this benchmark only: 100 MB that the product does not need. Undefined where npm has none for this
 * machine.
 */
function findBun(): string | undefined {
  if (!existsSync(PROGRAM))
    spawnSync("npm", ["install", "--prefix", CACHE, "--no-save", "--ignore-scripts", BUN], { stdio: "ignore" });
  return existsSync(PROGRAM) ? PROGRAM : undefined;
}

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { freePort } from "../../../stack/servers/free-port.ts";
import { pinProcess } from "../pinned.ts";

/** 107 MB, and only this benchmark needs it: it is installed beside the packages when it is first used. */
const PACKAGE = "@oven/bun-linux-x64@1.4.4";
const FOLDER = fileURLToPath(new URL("../../../node_modules/.cache/sluice-bench-bun", import.meta.url));
const PROGRAM = join(FOLDER, "node_modules/@oven/bun-linux-x64/bin/bun");

/** Bun's WebSocket server with `publish`, which answers like `fan-out-process.ts`. Undefined where it cannot be installed. */
export type BunServer = {
  readonly port: number;
  readonly measure: (
    flushes: number,
    everyMs: number,
  ) => Promise<{ readonly micros: number; readonly deliveries: number }>;
  readonly stop: () => void;
};

export async function startBunServer({
  messages,
  core,
}: {
  readonly messages: number;
  readonly core: 0 | 1;
}): Promise<BunServer | undefined> {
  if (!existsSync(PROGRAM) && !(await install())) return undefined;
  const port = await freePort();
  const file = join(FOLDER, "server.js");
  await writeFile(file, SERVER);
  const child: ChildProcess = spawn(PROGRAM, [file], {
    env: { ...process.env, PORT: String(port), MESSAGES: String(messages) },
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (child.pid !== undefined) pinProcess(child.pid, core);
  const lines = createInterface({ input: child.stdout ?? process.stdin })[Symbol.asyncIterator]();
  await lines.next();
  return {
    port,
    async measure(flushes, everyMs) {
      child.stdin?.write(`${flushes} ${everyMs}\n`);
      return JSON.parse((await lines.next()).value as string) as { micros: number; deliveries: number };
    },
    stop: () => void child.kill("SIGKILL"),
  };
}

async function install(): Promise<boolean> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, "package.json"), "{}");
  const { status } = spawnSync("npm", ["install", "--no-save", "--ignore-scripts", "--no-audit", PACKAGE], {
    cwd: FOLDER,
  });
  return status === 0;
}

const SERVER = `
const messages = Number(process.env.MESSAGES);
let sequence = 1;
let clients = 0;
const data = JSON.stringify({ bids: [["1500000000", "0.25"], ["1499990000", "1.5"]], asks: [["1500010000", "0"]], at: 1760000000000 });
const server = Bun.serve({
  port: Number(process.env.PORT), hostname: "127.0.0.1",
  fetch: (request, server) => server.upgrade(request) ? undefined : new Response("", { status: 426 }),
  websocket: { perMessageDeflate: false, message() {}, open(ws) { clients++; for (let i = 0; i < messages; i++) ws.subscribe("book:pair" + i); } },
});
console.log("listening");
for await (const line of console) {
  const [flushes, everyMs] = line.split(" ").map(Number);
  const before = process.cpuUsage();
  for (let count = 0; count < flushes; count++) {
    sequence++;
    for (let i = 0; i < messages; i++)
      server.publish("book:pair" + i, '{"channel":"book:pair' + i + '","epoch":"bench","seq":' + sequence + ',"prev":' + (sequence - 1) + ',"type":"update","data":' + data + "}");
    await Bun.sleep(everyMs);
  }
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify({ micros: user + system, deliveries: flushes * messages * clients }));
}
`;

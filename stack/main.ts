import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemRandom } from "../shared/ids.ts";
import { createFirstQueues } from "./first-queues.ts";
import { listenForStop } from "./listen-for-stop.ts";
import { planStack } from "./plan-stack.ts";
import { asksForHelp, complain } from "./program/command-line.ts";
import { releaseMemory } from "./program/release-memory.ts";
import { reloadOnChange } from "./reload-on-change.ts";
import { runStack } from "./run-stack.ts";
import { loadOrCreateSecrets } from "./secrets.ts";
import { ownServerFaults } from "./servers/check-store.ts";
import { lockFolder } from "./servers/folder-lock.ts";
import { REDIS_PROGRAMS } from "./servers/redis-server.ts";
import { waitUntilHealthy } from "./servers/wait-until-ready.ts";
import { parseStackSettings, type StackSettings } from "./settings.ts";
import { ensureProgram } from "./system-package.ts";
import { shownFolder, whereToLook } from "./where-to-look.ts";

/**
 * `npm start` and `npm run dev`: the whole product on this machine. Starts every part in order, prints its address, and
 * stops all of them in reverse on Ctrl-C, or as soon as one of them dies.
 */
const USAGE = `npm start, npm run dev
  Runs the whole product on this machine until Ctrl-C; npm run dev also reloads changed sources. Settings are variables:

  SLUICE_PORT      the edge (8787)
  SLUICE_DATA_DIR  the data folder (.sluice)
  SLUICE_EDGE      worker or node
  all others: see docs/operations.md`;

const args = process.argv.slice(2);
if (asksForHelp(args)) {
  say(USAGE);
  process.exit(0);
}
const stray = args.find((argument) => argument !== "--watch");
if (stray !== undefined) process.exit(complain(`Unknown option ${stray}; --help lists the options.`));

const startedAt = performance.now();
const PROGRESS_EVERY_MS = 3_000;
const watch = args.includes("--watch");
const stopAsked = listenForStop();
// With a closed terminal, or `| head`, a failed write must not keep the parts from being stopped in order.
process.stdout.on("error", () => {});

try {
  process.exitCode = await main();
} catch (error) {
  say(stopAsked.aborted ? "Stopped." : errorMessage(error));
  process.exitCode = stopAsked.aborted ? 0 : 1;
}
// Open handles (file watchers, the channel to the parent) would keep the process alive after the stack has stopped.
process.exit();

async function main(): Promise<number> {
  // 1. Settings, all faults at once.
  const parsed = parseStackSettings(process.env);
  if (!parsed.ok)
    throw new Error(`These settings are invalid:\n${parsed.reason.map((fault) => `  ${fault}`).join("\n")}`);
  const settings = parsed.value;

  // 2. The data folder, locked while the stack runs.
  const folder = resolve(settings.SLUICE_DATA_DIR);
  await mkdir(join(folder, "logs"), { recursive: true, mode: 0o700 });
  const lock = await lockFolder(folder);
  try {
    return await runUntilStopped(settings, folder);
  } finally {
    await lock.release();
  }
}

async function runUntilStopped(settings: StackSettings, folder: string): Promise<number> {
  // 3. The user's own stores, this machine's secrets, and redis-server unless the user brings every store.
  const { REDIS_URL, VENUE_REDIS_URL, SLUICE_UNSAFE_STORE: isUnsafeStoreAllowed } = settings;
  const faults = await ownServerFaults({ REDIS_URL, VENUE_REDIS_URL, isUnsafeStoreAllowed });
  if (faults.length > 0) throw new Error(faults.join("\n"));
  const secrets = await loadOrCreateSecrets(folder, systemRandom);
  if (needsRedis(settings)) {
    await ensureProgram({
      programs: REDIS_PROGRAMS,
      aptPackages: ["redis-server"],
      mayInstall: !settings.SLUICE_NO_INSTALL,
      say,
    });
  }

  // 4. Every part in order, then the edge's health report on all of them.
  say(`Starting Sluice in ${shownFolder(folder)}`);
  const { parts, edgeUrl } = await planStack({ settings, secrets, environment: process.env, folder, watch });
  const stack = await runStack(parts, {
    stopAsked,
    onReady: (part, tookMs) => say(`  ✓ ${part.name.padEnd(12)} ${(tookMs / 1000).toFixed(1)} s`),
    onProgress: sayNowAndThen(),
  });
  try {
    const died = stack.died.then((reason) => `${reason}\nStopping the other parts.`);
    const stopped = new Promise<undefined>((resolved) =>
      stopAsked.addEventListener("abort", () => resolved(undefined), { once: true }),
    );
    const adminToken = settings.SLUICE_ADMIN_TOKEN ?? secrets.adminToken;
    const healthy = waitUntilHealthy(edgeUrl, undefined, adminToken).then(() => "healthy" as const);
    const early = await Promise.race([healthy, died, stopped]);
    if (early !== "healthy") return report(early);
    if (await createFirstQueues({ edgeUrl, adminToken })) say("  ✓ created the queues venue (/*) and demo (/demo/*)");
    if (watch) reloadOnChange({ parts, stack, say });
    say(whereToLook({ settings, parts, edgeUrl, folder, watch, tookMs: performance.now() - startedAt }));

    releaseMemory();

    // 5. Until a stop is requested or a part dies.
    return report(await Promise.race([died, stopped]));
  } finally {
    await stack.stop();
    say("Stopped.");
  }
}

/** A quick start prints no progress. */
function sayNowAndThen(): (part: { readonly name: string }, progress: string) => void {
  let saidAt = performance.now();
  return ({ name }, progress) => {
    if (performance.now() - saidAt < PROGRESS_EVERY_MS) return;
    saidAt = performance.now();
    say(`  … ${name.padEnd(12)} ${progress}`);
  };
}

function report(death: string | undefined): number {
  say(death === undefined ? "\nStopping" : `\n${death}`);
  return death === undefined ? 0 : 1;
}

function needsRedis(settings: StackSettings): boolean {
  const lineIsElsewhere = settings.REDIS_URL !== undefined || settings.UPSTASH_REDIS_REST_URL !== undefined;
  return !lineIsElsewhere || settings.VENUE_REDIS_URL === undefined;
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants, setPriority } from "node:os";
import { text } from "node:stream/consumers";
import { startVitest } from "vitest/node";
import { CHROMIUM_PROGRAMS } from "../kit/browser.ts";
import { NGINX_PROGRAMS, OPENSSL_PROGRAMS } from "../kit/programs.ts";
import { buildFaces } from "../stack/servers/build-faces.ts";
import { REDIS_PROGRAMS } from "../stack/servers/redis-server.ts";
import { ensureProgram } from "../stack/system-package.ts";

/**
 * `npm test`: installs what the tests need, then runs the tests and `npm run check` at the same time. The last line
 * sums up all projects as `N passed, N failed`, for people and for scripts. `npm run test:full` adds `--full`: every
 * test in every runtime. Other arguments are paths of test files.
 */
const mayInstall = process.env["SLUICE_NO_INSTALL"] !== "1";
const [isFull, filters] = [
  process.argv.includes("--full"),
  process.argv.slice(2).filter((argument) => argument !== "--full"),
];
// vitest.config.ts and the processes of the tests read it.
if (isFull) process.env["SLUICE_TESTS"] = "full";

try {
  await ensureProgram({ programs: REDIS_PROGRAMS, aptPackages: ["redis-server"], mayInstall, say });
  await ensureProgram({ programs: CHROMIUM_PROGRAMS, aptPackages: ["chromium", "fonts-liberation"], mayInstall, say });
  await ensureProgram({ programs: NGINX_PROGRAMS, aptPackages: ["nginx-light"], mayInstall, say });
  await ensureProgram({ programs: OPENSSL_PROGRAMS, aptPackages: ["openssl"], mayInstall, say });
  // Before both: the check reads what is built, and so do the tests.
  await buildFaces();
  const checking = runCheck();
  const { passed, failed } = await runTests(filters);
  const check = await checking;
  say(`\nnpm run check ${check.hasPassed ? "passed" : "failed"}`);
  if (!check.hasPassed) say(check.findings);
  // A failed check counts as one failure, so that the sum can never read like success.
  finish({ passed, failed: failed + (check.hasPassed ? 0 : 1) });
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  finish({ passed: 0, failed: 1 });
}

/** Takes what the tests leave of the processor, and says nothing into their report. */
async function runCheck(): Promise<{ readonly hasPassed: boolean; readonly findings: string }> {
  const child = spawn("npm", ["run", "--silent", "check"], { stdio: ["ignore", "pipe", "pipe"] });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { hasPassed: code === 0, findings: (output + errors).trim() };
}

/** A file that could not be run, an error outside any test, a skipped test or no test at all: each is a failure. */
async function runTests(filters: string[]): Promise<{ passed: number; failed: number }> {
  const vitest = await startVitest("test", filters, { run: true, watch: false });
  const modules = vitest.state.getTestModules();
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const passed = tests.filter((test) => test.result().state === "passed").length;
  const brokenModules = modules.filter((module) => module.state() === "failed" && module.errors().length > 0).length;
  const strayErrors = vitest.state.getUnhandledErrors().length;
  await vitest.close();
  const failed = tests.length - passed + brokenModules + strayErrors + (tests.length === 0 ? 1 : 0);
  return { passed, failed };
}

function finish({ passed, failed }: { passed: number; failed: number }): never {
  say(`\n${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

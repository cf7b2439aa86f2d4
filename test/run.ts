import { spawn } from "node:child_process";
import { once } from "node:events";
import { startVitest } from "vitest/node";
import { REDIS_PROGRAMS } from "../origin/stack/redis-server.ts";
import { ensureProgram } from "../origin/stack/system-package.ts";
import { CHROMIUM_PROGRAMS } from "./parts/browser.ts";

/**
 * `npm test`: installs what the tests need, then runs `npm run check` and every test. The last line sums up all
 * projects as `N passed, N failed`, so that a person or a machine can read the verdict off it.
 */
const mayInstall = process.env["SLUICE_NO_INSTALL"] !== "1";

try {
  await ensureProgram({ programs: REDIS_PROGRAMS, aptPackages: ["redis-server"], mayInstall, say });
  await ensureProgram({ programs: CHROMIUM_PROGRAMS, aptPackages: ["chromium", "fonts-liberation"], mayInstall, say });
  const checkPassed = await runCheck();
  const { passed, failed } = await runTests(process.argv.slice(2));
  if (!checkPassed) say("npm run check failed: its findings stand above the tests.");
  // A failed check counts as one failure, so that the sum can never read like success.
  finish({ passed, failed: failed + (checkPassed ? 0 : 1) });
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  finish({ passed: 0, failed: 1 });
}

async function runCheck(): Promise<boolean> {
  say("npm run check");
  const [code] = (await once(spawn("npm", ["run", "--silent", "check"], { stdio: "inherit" }), "close")) as [number | null];
  return code === 0;
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

import type { Reporter, TestCase, TestModule } from "vitest/node";

/**
 * Prints how many tests passed or failed only at a second attempt, and which: a test that needs one is a defect. Zero
 * is printed too, so that a run without the line is a run that did not count.
 */
export class SecondAttempts implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const repeated = modules
      .flatMap((module) => [...module.children.allTests()])
      .filter((test) => attemptsAfterFirst(test) > 0);
    const lines = repeated.map((test) => `  ${test.project.name} ${test.module.relativeModuleId} > ${test.fullName}\n`);
    process.stdout.write(`\n${repeated.length} needed a second attempt\n${lines.join("")}`);
  }
}

function attemptsAfterFirst(test: TestCase): number {
  return test.diagnostic()?.retryCount ?? 0;
}

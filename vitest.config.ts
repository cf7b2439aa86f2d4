import { fileURLToPath } from "node:url";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** `.lua` and `.sql` as text, the same as `origin/lua-loader.ts` gives Node and, for Lua, esbuild gives the worker. */
const sourceAsText = {
  name: "source-as-text",
  transform(code: string, id: string) {
    return /\.(lua|sql)$/.test(id) ? { code: `export default ${JSON.stringify(code)};`, map: null } : undefined;
  },
};

/** More than there are cores here: most test files wait for processes of their own more than they compute. */
const TEST_FILES_AT_ONCE = 3;
const TEST_TIMEOUT_MS = 120_000;
/** What has to come about in the end may take its time on a machine that is shared; nothing is gained by a hurry. */
const PATIENCE = { testTimeout: TEST_TIMEOUT_MS, hookTimeout: TEST_TIMEOUT_MS, expect: { poll: { timeout: 40_000 } } };
/**
 * Tests that are about time still depend on a machine that is shared and can stand still. What fails every time is wrong; what fails once
 * is reported as such.
 */
const TRIES_AGAIN = 2;

/** Each takes half a minute or more; begun last, one of them would keep a single core busy while the others have nothing left to do. */
const LONGEST_FILES =
  /(load\/(bench\/gate|chaos\/chaos|crowd\/crowd|trade\/run-trade)|test\/(sim\/sim|ledger\/outage|stack\/npm-start))\.test\.ts$/;

/** What is known of an earlier run decides, by default; on a fresh checkout there is none, and small files can take long. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONGEST_FILES.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** The tests start hundreds of Node processes; with their code compiled once each is up in a third of the time. */
const COMPILE_CACHE = { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/node-compile", import.meta.url)) };

/** The project "node" runs these against the worker in workerd, "node-edge" against the edge on Node. */
const SUITES_OF_BOTH_EDGES = [
  "test/proxy/**/*.test.ts",
  "test/gate/**/*.test.ts",
  "test/console/access.test.ts",
  "test/admin/{access,access-off,audit,bad-input,invites,metrics,outage,queues,routes,sessions}.test.ts",
];

/** One project per runtime. What stands in `shared/` must hold in both, so its tests run twice; so do those of the edge. */
export default defineConfig({
  test: {
    reporters: ["default"],
    maxWorkers: TEST_FILES_AT_ONCE,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        plugins: [
          sourceAsText,
          cloudflareTest({
            main: "./edge/worker.ts",
            miniflare: { compatibilityDate: "2026-09-18", compatibilityFlags: ["nodejs_compat"] },
          }),
        ],
        test: {
          name: "edge",
          include: ["edge/**/*.test.ts", "shared/**/*.test.ts"],
          // A workerd for each file would take ten times as long to start as most of these files take.
          isolate: false,
          ...PATIENCE,
        },
      },
      {
        plugins: [sourceAsText],
        test: {
          name: "node",
          include: ["origin/**/*.test.ts", "shared/**/*.test.ts", "load/**/*.test.ts", "test/**/*.test.ts"],
          env: COMPILE_CACHE,
          pool: "forks",
          retry: TRIES_AGAIN,
          ...PATIENCE,
        },
      },
      {
        plugins: [sourceAsText],
        test: {
          name: "node-edge",
          include: SUITES_OF_BOTH_EDGES,
          // What only a worker has: its own faults of configuration, and a deployment.
          exclude: ["test/proxy/{configuration,deployment}.test.ts"],
          env: { ...COMPILE_CACHE, SLUICE_EDGE: "node" },
          pool: "forks",
          retry: TRIES_AGAIN,
          ...PATIENCE,
        },
      },
    ],
  },
});

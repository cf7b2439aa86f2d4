import { fileURLToPath } from "node:url";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { SecondAttempts } from "./kit/second-attempts.ts";
import { SOURCE_TEXT_FILE, sourceModule } from "./stack/program/source-text.ts";

/**
 * `.lua` and `.sql` as text, the same as `stack/program/lua-loader.ts` gives Node and, for Lua, esbuild gives the
 * worker.
 */
const sourceAsText = {
  name: "source-as-text",
  transform(_code: string, id: string) {
    return SOURCE_TEXT_FILE.test(id) ? { code: sourceModule(id), map: null } : undefined;
  },
};

/** `npm run test:full` runs every test in every runtime; `npm test` leaves out what is named here. */
const RUNS_ALL = process.env["SLUICE_TESTS"] === "full";
/** Whole variant matrices, all seeds, chaos and crowds. */
const LONG_TESTS = "**/*.full.test.ts";

/**
 * On two cores: a test file waits for other processes and for time to pass for about 60 % of its run, so four keep both
 * cores busy.
 */
const TEST_FILES_AT_ONCE = 4;
const TEST_TIMEOUT_MS = 120_000;
/**
 * A shared machine can take long over what must happen in the end; a shorter limit would fail tests without finding a
 * fault.
 */
const PATIENCE = { testTimeout: TEST_TIMEOUT_MS, hookTimeout: TEST_TIMEOUT_MS, expect: { poll: { timeout: 40_000 } } };

/**
 * No test is retried, with one exception: a file that carries `@module-tag timing` asserts that an answer comes within
 * a second or two, as the product promises, and a shared machine can stand still for longer. `N needed a second
 * attempt` at the end of a run counts them.
 */
const TAGS = [{ name: "timing", description: "asserts an upper bound on real time", retry: 1 }];

/** Each takes 20 seconds or more: started last, one of them would run alone at the end. */
const LONGEST_FILES = new RegExp(
  [
    "load/(bench/gate/gate|chaos/chaos|crowd/crowd|main|trade/run-trade)",
    "test/(core/crash|console/console|deploy/cluster-failover|ledger/(outage|reading)|room/leave-on-close|sim/sim)",
    "test/(gate/(outage|session-times|slow-store)|stack/(front-pages|npm-start|own-servers)|upgrade/(process|upgrade))",
    "test/venue/(audit-outcomes|large-bodies|outage)",
  ]
    .map((files) => `(${files}\\.test\\.ts$)`)
    .join("|"),
);

/**
 * The longest files first. vitest's own order needs the durations of an earlier run, which a fresh checkout does not
 * have. The files of the project "edge" stay together, because they share a workerd as long as no file of another
 * project comes between them.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) =>
      LONGEST_FILES.test(moduleId) ? 0 : project.name === "edge" ? 1 : 2;
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

/** The tests start hundreds of Node processes; with their code compiled once each is up in a third of the time. */
const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/node-compile", import.meta.url)),
};

/** The project "node" runs these against the worker in workerd, "node-edge" against the edge on Node. */
const SUITES_OF_BOTH_EDGES = [
  "test/proxy/**/*.test.ts",
  "test/gate/**/*.test.ts",
  "test/console/access.test.ts",
  "test/admin/{access,access-off,audit,bad-input,invites,metrics,outage,queues,routes,sessions}.test.ts",
];

/**
 * Both edges run the same code on the same scripts, so `npm test` repeats on Node only the files that can differ by
 * runtime: streams, headers, framing and sockets (proxy), signatures (attacks), the other store client and its timeouts
 * (cold-edge, revocation, admin/outage), addresses and DNS (target-url), static files (console), and one whole visit
 * (visitor-life).
 */
const CONTRACT_OF_BOTH_EDGES = [
  "test/proxy/**/*.test.ts",
  "test/gate/{attacks,cold-edge,revocation,target-url,visitor-life}.test.ts",
  "test/console/access.test.ts",
  "test/admin/{access,outage}.test.ts",
];

/** One project per runtime. `shared/` must hold in both, so its tests run twice. */
export default defineConfig({
  test: {
    reporters: ["default", new SecondAttempts()],
    maxWorkers: TEST_FILES_AT_ONCE,
    sequence: { sequencer: LongestFirst },
    tags: TAGS,
    globalSetup: "./kit/server-pool.ts",
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
          exclude: RUNS_ALL ? [] : [LONG_TESTS],
          // A workerd for each file would take ten times as long to start as most of these files take.
          isolate: false,
          ...PATIENCE,
        },
      },
      {
        plugins: [sourceAsText],
        test: {
          name: "node",
          include: [
            "bridge/**/*.test.ts",
            "origin/**/*.test.ts",
            "stack/**/*.test.ts",
            "shared/**/*.test.ts",
            "load/**/*.test.ts",
            "test/**/*.test.ts",
          ],
          exclude: RUNS_ALL ? [] : [LONG_TESTS],
          env: COMPILE_CACHE,
          pool: "forks",
          ...PATIENCE,
        },
      },
      {
        plugins: [sourceAsText],
        test: {
          name: "node-edge",
          include: RUNS_ALL ? SUITES_OF_BOTH_EDGES : CONTRACT_OF_BOTH_EDGES,
          // Only a worker can be misconfigured or deployed in these ways.
          exclude: ["test/proxy/{configuration,deployment}.test.ts", ...(RUNS_ALL ? [] : [LONG_TESTS])],
          env: { ...COMPILE_CACHE, SLUICE_EDGE: "node" },
          pool: "forks",
          ...PATIENCE,
        },
      },
    ],
  },
});

import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** `.lua` as text, the same as `origin/lua-loader.ts` gives Node and esbuild gives the worker. */
const luaAsText = {
  name: "lua-as-text",
  transform(code: string, id: string) {
    return id.endsWith(".lua") ? { code: `export default ${JSON.stringify(code)};`, map: null } : undefined;
  },
};

const TEST_FILES_AT_ONCE = 2;
const TEST_TIMEOUT_MS = 60_000;

/** The project "node" runs these against the worker in workerd, "node-edge" against the edge on Node. */
const SUITES_OF_BOTH_EDGES = [
  "test/proxy/**/*.test.ts",
  "test/gate/**/*.test.ts",
  "test/admin/{access,access-off,bad-input,outage,queues,routes,sessions}.test.ts",
];

/** One project per runtime. What stands in `shared/` must hold in both, so its tests run twice; so do those of the edge. */
export default defineConfig({
  test: {
    reporters: ["default"],
    // Most test files wait for processes of their own more than they compute.
    maxWorkers: TEST_FILES_AT_ONCE,
    projects: [
      {
        plugins: [
          luaAsText,
          cloudflareTest({
            main: "./edge/worker.ts",
            miniflare: { compatibilityDate: "2026-09-18", compatibilityFlags: ["nodejs_compat"] },
          }),
        ],
        test: { name: "edge", include: ["edge/**/*.test.ts", "shared/**/*.test.ts"], testTimeout: TEST_TIMEOUT_MS },
      },
      {
        plugins: [luaAsText],
        test: {
          name: "node",
          include: ["origin/**/*.test.ts", "shared/**/*.test.ts", "load/**/*.test.ts", "test/**/*.test.ts"],
          pool: "forks",
          testTimeout: TEST_TIMEOUT_MS,
          hookTimeout: TEST_TIMEOUT_MS,
        },
      },
      {
        plugins: [luaAsText],
        test: {
          name: "node-edge",
          include: SUITES_OF_BOTH_EDGES,
          // What only a worker has: its own faults of configuration, and a deployment.
          exclude: ["test/proxy/{configuration,deployment}.test.ts"],
          env: { SLUICE_EDGE: "node" },
          pool: "forks",
          testTimeout: TEST_TIMEOUT_MS,
          hookTimeout: TEST_TIMEOUT_MS,
        },
      },
    ],
  },
});

import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** `.lua` as text, the same as `origin/lua-loader.ts` gives Node and esbuild gives the worker. */
const luaAsText = {
  name: "lua-as-text",
  transform(code: string, id: string) {
    return id.endsWith(".lua") ? { code: `export default ${JSON.stringify(code)};`, map: null } : undefined;
  },
};

const TEST_TIMEOUT_MS = 30_000;

/** One project per runtime. What stands in `shared/` must hold in both, so its tests run twice. */
export default defineConfig({
  test: {
    reporters: ["default"],
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
    ],
  },
});

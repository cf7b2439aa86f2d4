import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

/**
 * Lets Node import `.lua` and `.sql` files as text, as esbuild and wrangler do with Lua at the edge. Preloaded by
 * `node --import`, so that one line `import source from "./x.lua"` means the same in both runtimes.
 */
registerHooks({
  load(url, context, nextLoad) {
    if (!/\.(lua|sql)$/.test(url)) return nextLoad(url, context);
    const source = readFileSync(fileURLToPath(url), "utf8");
    return { format: "module", shortCircuit: true, source: `export default ${JSON.stringify(source)};` };
  },
});

import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { SOURCE_TEXT_FILE, sourceModule } from "./source-text.ts";

/**
 * Lets Node import `.lua` and `.sql` files as text. Preloaded by `node --import`, so that `import source from
 * "./x.lua"` means the same on Node as in the worker.
 */
registerHooks({
  load(url, context, nextLoad) {
    if (!SOURCE_TEXT_FILE.test(url)) return nextLoad(url, context);
    return { format: "module", shortCircuit: true, source: sourceModule(fileURLToPath(url)) };
  },
});

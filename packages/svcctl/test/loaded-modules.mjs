// Preloaded into svcctl by process.test.ts: prints, when the process ends, which files were loaded as modules.
import { writeSync } from "node:fs";
import { registerHooks } from "node:module";

const loaded = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});
process.on("exit", () => writeSync(2, `${JSON.stringify(loaded)}\n`));

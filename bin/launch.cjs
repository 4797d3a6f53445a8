"use strict";

const { existsSync } = require("node:fs");
const { enableCompileCache } = require("node:module");
const { homedir } = require("node:os");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");

/** Start-up is quicker from compiled code; a folder that cannot be written only means no cache. */
function useCompileCache() {
  try {
    // Below the home folder, not in the shared temporary one: whoever could write there first would run as us.
    enableCompileCache(join(homedir(), ".cache", "svc-authorizer", "compile"));
  } catch {
    // A user without a home folder has no cache.
  }
}

/**
 * Runs an entry below `src`: the built one in an installed package, the source itself in a clone.
 * @param {string} entry path below `src` without ending, such as "main"
 */
module.exports = function launch(entry) {
  useCompileCache();
  const built = join(__dirname, "..", "src", `${entry}.js`);
  const file = existsSync(built) ? built : join(__dirname, "..", "src", `${entry}.ts`);
  return import(pathToFileURL(file).href);
};

"use strict";

const { existsSync } = require("node:fs");
const { enableCompileCache } = require("node:module");
const { homedir } = require("node:os");
const { join, sep } = require("node:path");
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
 * A service beside others should be small. Short-lived garbage gets 8 MiB instead of 16 or more, and the heap is
 * collected when it has doubled since the last time, instead of grown by up to three times what then lived.
 */
const NODE_FLAGS = ["--max-semi-space-size=8", "--heap-growing-percent=100"];

/** Puts this process on our flags, keeping its id, so that signals reach it. Flags of the user's own win. */
function useFlags(flags) {
  const given = process.execArgv.concat((process.env.NODE_OPTIONS || "").split(/\s+/));
  const missing = flags.filter((flag) => !given.some((one) => one.split("=")[0] === flag.split("=")[0]));
  // Windows has no execve: there the defaults must do.
  if (missing.length === 0 || process.platform === "win32" || process.execve === undefined) return;
  const args = [process.execPath, ...missing, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, args, process.env);
}

/**
 * Ends with one sentence where the sources of the repository were installed as a package: Node does not strip types
 * below node_modules.
 */
function refuseSourcesInPackages() {
  if (!__dirname.split(sep).includes("node_modules")) return;
  process.stderr.write(
    "This is the source of svc-authorizer, which cannot run as an installed package: install @svc-authorizer/server " +
      "or @svc-authorizer/svcctl, or clone the repository and run npm ci there.\n",
  );
  process.exit(1);
}

/**
 * Runs an entry: the built one in an installed package, the source itself in a clone.
 * @param {string} entry path below this package without ending, such as "src/main"
 * @param {readonly string[]} flags of Node; those of a service unless a program wants others
 */
module.exports = function launch(entry, flags = NODE_FLAGS) {
  const built = join(__dirname, "..", `${entry}.js`);
  const isBuilt = existsSync(built);
  if (!isBuilt) refuseSourcesInPackages();
  useFlags(flags);
  useCompileCache();
  const file = isBuilt ? built : join(__dirname, "..", `${entry}.ts`);
  return import(pathToFileURL(file).href);
};

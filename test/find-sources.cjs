/**
 * Loaded before everything else in each process of the tests (`NODE_OPTIONS`, see quick-starts.ts): says where a source of the
 * clone is that another one imports, without the look at folders and manifests by which Node finds it. An import that has
 * no file fails when it is loaded.
 */
"use strict";

const { registerHooks } = require("node:module");
const { dirname, join } = require("node:path");
const { pathToFileURL } = require("node:url");

const ROOT = pathToFileURL(join(__dirname, "..", "/")).href;
/** Files of a package, as its `exports` name them. */
const OF_PACKAGE = /^@svc-authorizer\/([\w-]+)\/(.+\.ts)$/;

/** The address of the source, or undefined for what Node has to find. */
function sourceOf(specifier, parent) {
  if (!specifier.endsWith(".ts")) return undefined;
  if (specifier.startsWith(".")) return new URL(specifier, parent).href;
  const [, name, path] = OF_PACKAGE.exec(specifier) ?? [];
  return name === undefined ? undefined : `${ROOT}packages/${name}/src/${path}`;
}

/** The folder of the built service, whose files need no search, and would take a start a tenth longer with the hook. */
const BUILT = process.env["SERVICE_MAIN"] && join(dirname(process.env["SERVICE_MAIN"]), "/");
const isBuilt = BUILT !== undefined && process.argv[1]?.startsWith(BUILT);

// An old Node, for which the launchers have a sentence, has no hooks.
if (registerHooks !== undefined && !isBuilt) {
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL: parent, conditions } = context;
      const isOurs = parent?.startsWith(ROOT) && conditions?.includes("import");
      const url = isOurs ? sourceOf(specifier, parent) : undefined;
      return url === undefined
        ? next(specifier, context)
        : { url, format: "module-typescript", shortCircuit: true };
    },
  });
}

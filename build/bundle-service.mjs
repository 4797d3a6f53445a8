// Makes few files of the compiled service: its start reads and links eighty of them in place of a thousand, which was
// a third of its CPU time until it is ready.

import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { isBuiltin } from "node:module";
import { dirname, join, posix, relative, resolve } from "node:path";
import { rolldown } from "rolldown";
import { removeUnreached, writeNotices } from "./bundle.mjs";
import { BUNDLED } from "./bundled.ts";
import { fail, root } from "./compile.mjs";

/** Programs that start as a process. */
const PROCESSES = ["main.js", "worker-main.js"];

const HTTP = "node:http";

/** Whether a file is the entry of a thread. */
const isThread = (file) => /\bfrom\s*["']node:worker_threads["']/.test(file) && /\bparentPort\b/.test(file);

/**
 * The entries of threads below a folder. They are started by their places, and no import reaches them.
 * @param {string} folder
 * @param {".js" | ".ts"} ending
 * @returns {readonly string[]} paths below the folder
 */
export function threadsBelow(folder, ending) {
  return filesBelow(folder, ending).filter((name) => isThread(readFileSync(join(folder, name), "utf8")));
}

/** The files below a folder whose names end so. */
const filesBelow = (folder, ending) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(ending));

/** Whether an import is of a package that is bundled. */
const isBundled = (id) => BUNDLED.some((name) => id === name || id.startsWith(`${name}/`));

/**
 * Bundles the service in place: the entries below `src`, the files that they share, and some packages, in one folder.
 * Other packages stay imports, and so do files that a package does not have.
 * @param {string} folder of the package
 */
export async function bundleService(folder) {
  const out = resolve(folder);
  const isOwn = (path) => path.startsWith(`${out}/`);
  const source = join(out, "src");
  const names = filesBelow(source, ".js");
  const threads = threadsBelow(source, ".js");
  const entries = [...PROCESSES, ...threads];
  const build = await rolldown({
    input: Object.fromEntries(entries.map((name) => [entryOf(name), join(source, name)])),
    external: (id, importer) => {
      // A plugin has another one in its place.
      if (id === HTTP) return false;
      if (isBuiltin(id)) return true;
      if (isBundled(id)) return false;
      if (!id.startsWith(".")) return !id.startsWith("/") && !id.startsWith("\0");
      // A package names its files without their endings, too.
      return isOwn(importer) && !existsSync(resolve(dirname(importer), id));
    },
    platform: "node",
    // The packages as modules where they have both: the other form of some is put together while it runs.
    resolve: { modules: [join(root, "node_modules")], mainFields: ["module", "main"] },
    plugins: [places(isOwn, source), quickHttp],
    onLog: (_, { message }) => fail(message),
  });
  const bundled = `${source}-bundled`;
  const { output } = await build.write({
    dir: bundled,
    format: "esm",
    comments: { legal: true, annotation: true, jsdoc: false },
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
  });
  await build.close();
  writeNotices(out, output);
  const slow = output.find(({ imports = [] }) => imports.includes(HTTP));
  if (slow !== undefined) fail(`${slow.fileName} imports ${HTTP}, and with it all that fetch needs`);
  for (const name of names) rmSync(join(source, name));
  for (const name of readdirSync(bundled)) renameSync(join(bundled, name), join(source, name));
  // The service starts a thread by the place of its source.
  for (const name of threads) {
    const path = posix.relative(posix.dirname(name), `${entryOf(name)}.js`);
    writeFileSync(join(source, name), `import ${JSON.stringify(path)};\n`);
  }
  rmSync(bundled, { recursive: true });
  removeUnreached(
    out,
    [...PROCESSES, ...threads].map((name) => join("src", name)),
  );
}

/** Name of a bundled entry. */
const entryOf = (name) => name.replace(/\.js$/, "").replaceAll("/", "-");

/** Sources go on finding their own place, and what lies beside it: all bundled files lie in one folder, as do packages. */
function places(isOwn, folder) {
  return {
    name: "places",
    transform(code, id) {
      if (!code.includes("import.meta.") || !isOwn(id)) return null;
      const url = `new URL(${JSON.stringify(`./${relative(folder, id)}`)}, import.meta.url)`;
      const path = `process.getBuiltinModule("node:url").fileURLToPath(${url})`;
      const replaced = {
        url: `${url}.href`,
        filename: path,
        dirname: `process.getBuiltinModule("node:path").dirname(${path})`,
      };
      return code.replace(
        /(?<!createRequire\()\bimport\.meta\.(url|filename|dirname)\b/g,
        (_, name) => replaced[name],
      );
    },
  };
}

/**
 * `import … from "node:http"` reads each member, and with WebSocket all of undici (30 ms of CPU). The members that are
 * plain values are what a service needs.
 */
const quickHttp = {
  name: "quick-http",
  resolveId: (id) => (id === HTTP ? "\0http" : null),
  load(id) {
    if (id !== "\0http") return null;
    const members = Object.entries(Object.getOwnPropertyDescriptors(http));
    const plain = members.filter(([, { value }]) => value !== undefined).map(([name]) => name);
    return `const http = process.getBuiltinModule("node:http");
export const { ${plain.join(", ")} } = http;
export default http;`;
  },
};

// Makes one file of a compiled entry and the rooms behind it, and removes what nothing needs any more: the package of
// the client carries the engine, and no dependency.

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { fail, root } from "./compile.mjs";

const IMPORTED = /(?:\bfrom|\bimport)\s*\(?\s*["'](?<path>\.[^"']*)["']/g;

/**
 * Bundles an entry in place.
 * @param {string} out folder of the package
 * @param {string} entry path below `out`, with the ending `.ts`
 * @param {string} kept folder below `out` whose files outside of the entry's folder stay files of their own
 */
export async function bundle(out, entry, kept) {
  const file = join(out, entry.replace(/\.ts$/, ".js"));
  const [own, shared] = [`${dirname(file)}/`, `${join(out, kept)}/`];
  const external = (id, importer) => {
    if (id.startsWith("node:")) return true;
    if (!id.startsWith(".") || importer === undefined) return false;
    const target = resolve(dirname(importer), id);
    return target.startsWith(shared) && !target.startsWith(own);
  };
  const build = await rolldown({
    input: file,
    external,
    platform: "node",
    resolve: { modules: [join(root, "node_modules")] },
    onLog: (_, { message }) => fail(message),
  });
  // Doc comments are for editors, which read those of the types.
  await build.write({ file, format: "esm", comments: { legal: true, annotation: true, jsdoc: false } });
  await build.close();
}

/** Removes compiled files that no entry reaches: JavaScript by its imports, types by theirs. */
export function removeUnreached(out, entries) {
  const reached = new Set();
  const visit = (file) => {
    if (reached.has(file) || !existsSync(file)) return;
    reached.add(file);
    for (const { groups } of readFileSync(file, "utf8").matchAll(IMPORTED)) {
      const target = resolve(dirname(file), groups.path);
      visit(file.endsWith(".d.ts") ? target.replace(/\.(?:js|ts)$/, ".d.ts") : target);
    }
  };
  for (const entry of entries) {
    const base = join(out, entry.replace(/\.ts$/, ""));
    visit(`${base}.js`);
    visit(`${base}.d.ts`);
  }
  for (const name of readdirSync(out, { recursive: true, encoding: "utf8" })) {
    const file = join(out, name);
    if (/\.(?:js|ts)$/.test(name) && !reached.has(file)) rmSync(file);
  }
}

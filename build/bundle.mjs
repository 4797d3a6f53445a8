// Makes one file of a compiled entry and the rooms behind it, and removes what nothing needs any more: the package of
// the client carries the engine, and no dependency.

import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { rolldown } from "rolldown";
import { fail, root } from "./compile.mjs";

const IMPORTED = /(?:\bfrom|\bimport)\s*\(?\s*["'](?<path>\.[^"']*)["']/g;

/** File of a package with the licenses of what is bundled into it. */
export const NOTICES = "THIRD-PARTY-NOTICES.md";

/**
 * Bundles an entry in place, and writes the licenses of the packages that it carries.
 * @param {string} out folder of the package
 * @param {string} entry path below `out`, with the ending `.ts`
 * @param {{client: string, policy: string}} places folders below `out`: files of the client outside of the entry's folder
 *   stay files of their own, those of policies come in
 */
export async function bundle(out, entry, places) {
  const file = join(out, entry.replace(/\.ts$/, ".js"));
  const shared = `${join(out, places.client)}/`;
  const bundled = [`${dirname(file)}/`, `${join(out, places.policy)}/`];
  const external = (id, importer) => {
    if (id.startsWith("node:")) return true;
    if (!id.startsWith(".") || importer === undefined) return false;
    const target = resolve(dirname(importer), id);
    return target.startsWith(shared) && !bundled.some((folder) => target.startsWith(folder));
  };
  const build = await rolldown({
    input: file,
    external,
    platform: "node",
    resolve: { modules: [join(root, "node_modules")] },
    onLog: (_, { message }) => fail(message),
  });
  // Doc comments are for editors, which read those of the types.
  const { output } = await build.write({
    file,
    format: "esm",
    comments: { legal: true, annotation: true, jsdoc: false },
  });
  await build.close();
  writeNotices(out, output);
}

const NOTICE = /^## (\S+) \S+ \(.+\)$/gm;

/** The names of the packages that are bundled into a package, as its notices have them. */
export function bundledInto(out) {
  if (!existsSync(join(out, NOTICES))) return [];
  return [...readFileSync(join(out, NOTICES), "utf8").matchAll(NOTICE)].map(([, name]) => name);
}

/** Writes the licenses of the packages that bundled files come from; a package without the text of its license ends the build. */
export function writeNotices(out, output) {
  writeFileSync(join(out, NOTICES), noticesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)));
}

function noticesOf(files) {
  const folders = files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/.][^/]*/.exec(file)?.[0] ?? []);
  const parts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const text = readdirSync(folder).find((one) => /^(?:licen[cs]e|copying)(?:\.(?:md|txt))?$/i.test(one));
    if (text === undefined) fail(`${relative(root, folder)} is bundled, and has no text of its license`);
    return `## ${name} ${version} (${license})\n\n${readFileSync(join(folder, text), "utf8").trim()}\n`;
  });
  return `# Licenses of bundled packages\n\n${parts.join("\n")}`;
}

/** Removes compiled files that no entry reaches, JavaScript by its imports, types by theirs, and empty folders. */
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
    const base = join(out, entry.replace(/\.[tj]s$/, ""));
    visit(`${base}.js`);
    visit(`${base}.d.ts`);
  }
  // The deepest first, so that a folder is empty by then.
  for (const name of readdirSync(out, { recursive: true, encoding: "utf8" }).sort().reverse()) {
    const path = join(out, name);
    const isUnreached = /\.(?:js|ts)$/.test(name) && !reached.has(path);
    if (isUnreached || (statSync(path).isDirectory() && readdirSync(path).length === 0)) {
      rmSync(path, { recursive: true });
    }
  }
}

// Adds to package-lock.json the optional packages that npm left out because the registry it asked does not have
// them. npm writes such a lock file without a word, and npm ci then refuses it on every machine. Run it after each
// npm install that changed the lock file; test/house/lock.test.ts fails where it was forgotten.
//
// usage: node build/complete-lock.mjs [lock file, default package-lock.json]

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const file = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), "..", "package-lock.json");
const lock = JSON.parse(readFileSync(file, "utf8"));

/** Reads the platform from the name of a platform package: without it npm would install the package anywhere. */
const PLATFORM =
  /\b(?<os>android|darwin|freebsd|linux|win32)-(?<cpu>arm64|arm|ia32|x64)(?:-(?<libc>musl|gnu|glibc))?$/;

function platformOf(name) {
  // Another version of the package says it.
  const known = Object.entries(lock.packages).find(([path]) => path.endsWith(`node_modules/${name}`))?.[1];
  if (known?.cpu !== undefined || known?.os !== undefined) {
    const { cpu, libc, os } = known;
    return { ...(cpu && { cpu }), ...(libc && { libc }), ...(os && { os }) };
  }
  const groups = PLATFORM.exec(name)?.groups;
  if (groups === undefined) throw new Error(`${name}: its name does not tell its platform; add it by hand`);
  const libc = groups.libc && { libc: [groups.libc === "musl" ? "musl" : "glibc"] };
  return { cpu: [groups.cpu], ...libc, os: [groups.os] };
}

/** Returns the places where Node looks for a package that one below `path` asks for, the nearest first. */
function placesFrom(path, name) {
  const parts = path.split("/node_modules/");
  const above = parts.map(
    (_, index) => `${parts.slice(0, parts.length - index).join("/node_modules/")}/node_modules/${name}`,
  );
  return [...above, `node_modules/${name}`];
}

/** True for an entry that the wanted version accepts: an exact version asks for no other. */
function serves(entry, wanted) {
  return !/^\d/.test(wanted) || entry.version === wanted;
}

for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const places = placesFrom(path, name);
    const found = places.find((place) => place in lock.packages);
    if (path === "" || (found !== undefined && serves(lock.packages[found], version))) continue;
    const place = found === undefined ? places.at(-1) : places[0];
    const dev = entry.dev && { dev: true };
    lock.packages[place] = { version, ...dev, optional: true, ...platformOf(name) };
    process.stdout.write(`added ${place} ${version}\n`);
  }
}

const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);

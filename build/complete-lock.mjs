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
  const groups = PLATFORM.exec(name)?.groups;
  if (groups === undefined) throw new Error(`${name}: its name does not tell its platform; add it by hand`);
  const libc = groups.libc && { libc: [groups.libc === "musl" ? "musl" : "glibc"] };
  return { cpu: [groups.cpu], ...libc, os: [groups.os] };
}

for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const places = [`${path}/node_modules/${name}`, `node_modules/${name}`];
    if (path === "" || places.some((place) => place in lock.packages)) continue;
    const dev = entry.dev && { dev: true };
    lock.packages[`node_modules/${name}`] = { version, ...dev, optional: true, ...platformOf(name) };
    process.stdout.write(`added ${name} ${version}\n`);
  }
}

const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);

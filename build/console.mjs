// Builds the console of packages/console into a folder, from which the user listener serves it: files of `assets` are named
// by digest, and stand beside their compressed forms. A build whose sources did not change is kept.
//
// usage: node build/console.mjs [--if-possible] [output folder, default console/ of the clone]

import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const SOURCES = join(root, "packages", "console", "src");
/** The build that the clone itself serves. */
const OWN = join(root, "console");
/** The digest of what a build was made from; express never serves files that begin with a dot. */
const STAMP = ".digest";
const COMPRESSED = /\.(?:js|css|svg)$/;
/** Above this, brotli takes seconds for one per cent. */
const BROTLI_QUALITY = 9;
const LOCK_TRIES = 100;
const LOCK_PAUSE_MS = 50;

/** Digest of everything that a build depends on. */
function digestOfSources() {
  const hash = createHash("sha256");
  const files = readdirSync(SOURCES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of [...files, join(root, "package-lock.json"), fileURLToPath(import.meta.url)]) {
    hash.update(file.slice(root.length)).update("\0").update(readFileSync(file)).update("\0");
  }
  return hash.digest("hex");
}

function isCurrent(folder, digest) {
  const stamp = join(folder, STAMP);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === digest;
}

/**
 * Builds the console unless the folder has this very build; several processes may do so at once.
 * @param {string} folder
 * @returns {Promise<string>} the folder
 */
export async function buildConsole(folder = OWN) {
  const digest = digestOfSources();
  if (isCurrent(folder, digest)) return folder;
  if (folder !== OWN && isCurrent(OWN, digest)) {
    cpSync(OWN, folder, { recursive: true });
    return folder;
  }
  const work = mkdtempSync(`${folder}-build-`);
  try {
    const { build } = await import("vite");
    await build(settings(work));
    compress(join(work, "assets"));
    writeFileSync(join(work, STAMP), digest);
    chmodSync(work, 0o755);
    await alone(`${folder}-build-lock`, () => {
      // Another process may serve the build that it finished meanwhile: it stays where it is.
      if (isCurrent(folder, digest)) return;
      rmSync(folder, { recursive: true, force: true });
      renameSync(work, folder);
    });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

/** Runs `work` while no other process does; one that was killed meanwhile is waited for a few seconds. */
async function alone(lock, work) {
  for (let tries = 0; tries < LOCK_TRIES; tries++) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      await setTimeout(LOCK_PAUSE_MS);
    }
  }
  try {
    work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function settings(outDir) {
  return {
    configFile: false,
    root: SOURCES,
    base: "/",
    logLevel: "warn",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2022",
      // The content policy of the pages refuses data: and scripts within the page.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      license: { fileName: "LICENSES.md" },
      // `npm start` shows what the build prints: no advice about its speed.
      rolldownOptions: { checks: { bundlerTimings: false, pluginTimings: false } },
    },
  };
}

/** Writes the compressed forms of files beside them. */
function compress(folder) {
  for (const name of readdirSync(folder).filter((file) => COMPRESSED.test(file))) {
    const bytes = readFileSync(join(folder, name));
    const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params }));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  }
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [given] = process.argv.slice(2).filter((word) => !word.startsWith("--"));
  try {
    await buildConsole(given && resolve(given));
  } catch (error) {
    process.stderr.write(`console: not built: ${error.message}\n`);
    // The service runs without it.
    if (!process.argv.includes("--if-possible")) process.exitCode = 1;
  }
}

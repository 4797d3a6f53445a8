// The published packages, and how each is built from the sources of the clone.

import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle, removeUnreached } from "./bundle.mjs";
import { bundleService, threadsBelow } from "./bundle-service.mjs";
import { compile, importsOf, root, SCOPE } from "./compile.mjs";
import { buildConsole } from "./console.mjs";
import { writeContract } from "./contract.mjs";
import { copy } from "./copy.mjs";
import { dependenciesOf, exportsOf, manifestOf, source, writeManifest } from "./manifest.mjs";
import { RENDERING, writeManual } from "./manual.ts";

/** Libraries that all runtimes have. */
const WEB = ["es2023", "dom", "dom.iterable", "dom.asynciterable"];

/** The modules that a package exports, by the name that people import. */
function entriesOf(folder) {
  const named = Object.entries(manifestOf(folder).exports).filter(([name]) => !name.includes("*"));
  return Object.fromEntries(named.map(([name, path]) => [name, path.replace("./", `${folder}/`)]));
}

/** The modules of a package that compiled sources of another name, as its exports. */
function exportsFor(out, name) {
  const paths = [...(importsOf(out).get(SCOPE + name) ?? [])].sort();
  return Object.fromEntries(paths.map((path) => [`.${path}`, `packages/${name}/src${path}.ts`]));
}

/** Compiles the commands of the metastore below a folder, which its own package and that of svcctl ask for their exports. */
function compileMetastore(out) {
  compile(out, { include: ["packages/svcctl-metastore/src"], beside: ["svcctl"] });
}

/** Compiles the service or what carries it, without the code that stays in the clone. */
function compileService(out, options) {
  compile(out, options);
  rmSync(join(out, RENDERING), { recursive: true });
}

const SVCCTL = "packages/svcctl/src/main.ts";
/** Compiles svcctl below a folder. */
function compileSvcctl(out, files = [SVCCTL]) {
  const ofThrift = "packages/svcctl-metastore/src/thrift.d.ts";
  compile(out, { files: [...files, ofThrift], beside: ["svcctl-metastore"] });
}

/**
 * The published packages by short name, in the order in which a registry gets them. `sources` are the folders that are
 * compiled into one, the package itself first; `build` writes everything but the manifest and returns what belongs in it.
 */
export const PACKAGES = {
  client: {
    sources: ["packages/client", "packages/policy"],
    keywords: ["authorization", "authzen", "pdp", "client", "middleware", "express", "fastify", "hono"],
    build: async (out) => {
      // Nothing of Node but in the embedded decision point: the rest also runs in browsers.
      const sources = entriesOf("packages/client");
      const { "./embedded": embedded, ...anywhere } = sources;
      const places = { client: "dist", policy: "dist/policy", contract: "dist/contract" };
      compile(out, { files: Object.values(anywhere), types: [], lib: WEB, places });
      compile(out, { files: [embedded], lib: [...WEB, "es2024.string"], places });
      const entries = Object.fromEntries(
        Object.entries(sources).map(([name, path]) => [name, path.replace("packages/client/src", "dist")]),
      );
      await bundle(out, entries["./embedded"], places);
      removeUnreached(out, Object.values(entries));
      copy(out, ["LICENSE", ["docs/client.md", "README.md"]]);
      return { engines: { node: ">=20" }, sideEffects: false, exports: exportsOf(entries) };
    },
  },
  server: {
    sources: [".", "packages/policy", "packages/commands"],
    keywords: source.keywords,
    build: async (out) => {
      compileService(out, { include: ["src"], declaration: false });
      await bundleService(out);
      copy(out, ["bin", "docs", "src/help/assets", "policies", "fixtures/datasets"]);
      copy(out, ["README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md"]);
      await buildConsole(join(out, "console"));
      writeManual(out);
      return { bin: source.bin, exports: exportsOf({}) };
    },
  },
  svcctl: {
    sources: ["packages/svcctl", "packages/policy", "packages/commands"],
    keywords: ["authorization", "svc-authorizer", "lakefs", "command-line", "policy"],
    build: (out) => {
      const entries = aside(compileMetastore, (plugin) => exportsFor(plugin, "svcctl"));
      compileSvcctl(out, [SVCCTL, ...Object.values(entries)]);
      removeUnreached(out, [SVCCTL, ...Object.values(entries)]);
      copy(out, ["bin/launch.cjs", "bin/node-version.cjs", "packages/svcctl/bin", "policies", "LICENSE"]);
      copy(out, [["docs/svcctl.md", "README.md"]]);
      return { bin: { svcctl: "./packages/svcctl/bin/svcctl.cjs" }, exports: exportsOf(entries) };
    },
  },
  "svcctl-metastore": {
    sources: ["packages/svcctl-metastore", "packages/commands"],
    keywords: ["svcctl", "hive", "glue", "metastore"],
    build: (out) => {
      const entries = aside(compileSvcctl, (svcctl) => exportsFor(svcctl, "svcctl-metastore"));
      compileMetastore(out);
      removeUnreached(out, Object.values(entries));
      copy(out, ["LICENSE", ["packages/svcctl-metastore/README.md", "README.md"]]);
      return { exports: exportsOf(entries) };
    },
  },
  testing: {
    sources: ["packages/testing", ".", "packages/policy", "packages/commands", "packages/client"],
    keywords: ["authorization", "authzen", "testing", "vitest"],
    build: (out) => {
      const entries = entriesOf("packages/testing");
      const threads = threadsBelow(join(root, "src"), ".ts").map((name) => join("src", name));
      const files = [...Object.values(entries), ...threads];
      compileService(out, { files });
      // Types of the service that no type of the kit names are nobody's, and npm writes each file three times.
      removeUnreached(out, files);
      copy(out, ["policies", "LICENSE", ["docs/testing.md", "README.md"]]);
      return { exports: exportsOf(entries) };
    },
  },
};

/** Compiles into a folder that exists only meanwhile, and returns what is found there. */
function aside(compileInto, find) {
  const folder = mkdtempSync(join(tmpdir(), "svc-authorizer-aside-"));
  try {
    compileInto(folder);
    return find(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Builds a package.
 * @param {keyof PACKAGES} name
 * @param {string} out its folder, which is emptied before
 */
export async function buildPackage(name, out) {
  const { sources, keywords, build } = PACKAGES[name];
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const { description, engines = source.engines } = manifestOf(sources[0]);
  // Where types are checked already, those of the APIs were written before.
  if (process.env["TYPES_ARE_CHECKED"] !== "1") await writeContract();
  const facts = await build(out);
  const dependencies = dependenciesOf(out, sources);
  writeManifest(out, { name: SCOPE + name, description, keywords, engines, ...facts, ...dependencies });
  for (const path of Object.values(facts.bin ?? {})) chmodSync(join(out, path), 0o755);
}

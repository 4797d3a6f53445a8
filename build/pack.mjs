// Writes dist/packages/{server,client,testing}.tgz and a bill of materials of the server (CycloneDX).
//
// usage: npm run pack [-- output folder [server] [client] [testing]]

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { bundle, NOTICES, removeUnreached } from "./bundle.mjs";
import { compile, DEPENDENCIES, fail, packagesOf, root } from "./compile.mjs";
import { copy } from "./copy.mjs";
import { entryOf, source, writeManifest } from "./manifest.mjs";

const [, , folderGiven, ...namesGiven] = process.argv;
const out = resolve(folderGiven ?? join(root, "dist", "packages"));

/** Entries of the client, by the name that people import. */
const CLIENT = Object.fromEntries(
  Object.entries(JSON.parse(readFileSync(join(root, "packages", "client", "package.json"), "utf8")).exports)
    .filter(([name]) => !name.includes("*"))
    .map(([name, path]) => [name, path.replace("./", "packages/client/")]),
);

/** Libraries that all runtimes have. */
const WEB = ["es2023", "dom", "dom.iterable", "dom.asynciterable"];

const exportsOf = (entries) => ({
  ...Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, entryOf(path)])),
  "./package.json": "./package.json",
});

function run(program, args, cwd = root) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8", maxBuffer: 1 << 28 });
  if (status !== 0) fail(`${program} ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

/**
 * The packages that the lock file installs with the server, with versions and licenses. Development packages are left
 * out here: npm's own option for that also leaves out packages that both need.
 */
function billOfMaterials() {
  const bill = JSON.parse(run("npm", ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"]));
  const isDevelopment = ({ properties = [] }) =>
    properties.some(({ name, value }) => name === "cdx:npm:package:development" && value === "true");
  const components = bill.components.filter((component) => !isDevelopment(component));
  const kept = new Set([bill.metadata.component, ...components].map((component) => component["bom-ref"]));
  const dependencies = bill.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }));
  return `${JSON.stringify({ ...bill, components, dependencies }, null, 2)}\n`;
}

const BUILDERS = {
  server: (folder) => run(process.execPath, [join(root, "build", "build.mjs"), folder]),
  client: async (folder) => {
    // Nothing of Node but in the embedded decision point: the rest also runs in browsers.
    const { "./embedded": embedded, ...anywhere } = CLIENT;
    compile(folder, { files: Object.values(anywhere), types: [], lib: WEB });
    compile(folder, { files: [embedded], lib: [...WEB, "es2024.string"] });
    await bundle(folder, embedded, "packages/client/src");
    removeUnreached(folder, Object.values(CLIENT));
    copy(folder, ["LICENSE", ["docs/client.md", "README.md"]]);
    writeManifest(folder, {
      name: "@svc-authorizer/client",
      description:
        "Client, middleware, query conditions and embedded decisions for svc-authorizer, without dependencies",
      keywords: ["authorization", "authzen", "pdp", "client", "middleware", "express", "fastify", "hono"],
      engines: { node: ">=20" },
      sideEffects: false,
      exports: exportsOf(CLIENT),
      files: ["packages", "README.md", "LICENSE", NOTICES],
    });
  },
  testing: (folder) => {
    const entries = { ".": "packages/testing/src/start-authorizer.ts" };
    compile(folder, { files: Object.values(entries) });
    copy(folder, ["policies", "LICENSE", ["docs/testing.md", "README.md"]]);
    const names = packagesOf(folder);
    writeManifest(folder, {
      name: "@svc-authorizer/testing",
      description: "svc-authorizer inside a test: the real service, with its store in memory",
      keywords: ["authorization", "authzen", "testing", "vitest"],
      engines: source.engines,
      exports: exportsOf(entries),
      files: ["src", "packages", "policies", "README.md", "LICENSE"],
      dependencies: Object.fromEntries(names.map((name) => [name, DEPENDENCIES[name]])),
    });
  },
};

const names = namesGiven.length === 0 ? Object.keys(BUILDERS) : namesGiven;
for (const name of names) if (!(name in BUILDERS)) fail(`there is no package ${name}`);

const work = mkdtempSync(join(tmpdir(), "svc-authorizer-pack-"));
try {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  for (const name of names) {
    const folder = join(work, name);
    mkdirSync(folder);
    await BUILDERS[name](folder);
    const [{ filename, size }] = JSON.parse(
      run("npm", ["pack", "--json", "--pack-destination", work], folder),
    );
    renameSync(join(work, filename), join(out, `${name}.tgz`));
    process.stdout.write(`${join(out, `${name}.tgz`)}  ${Math.ceil(size / 1024)} KB\n`);
  }
  if (names.includes("server")) writeFileSync(join(out, "server.cdx.json"), billOfMaterials());
} finally {
  rmSync(work, { recursive: true, force: true });
}

// The bill of materials of a published package (CycloneDX), from package-lock.json.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bundledInto } from "./bundle.mjs";
import { fail, LOCK, root, SCOPE } from "./compile.mjs";

/** Everything that the lock file has, as npm writes it down. */
function everything() {
  const args = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"];
  // The build of the console leaves "production" in NODE_ENV, with which npm omits what development needs, too.
  const { NODE_ENV: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync("npm", args, {
    cwd: root,
    env,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0) fail(`npm ${args.join(" ")}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}

/** All that the packages of `refs` depend on, themselves among it. */
function reachedFrom(refs, dependencies) {
  const below = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const reached = new Set(refs);
  for (const ref of reached) for (const next of below.get(ref) ?? []) reached.add(next);
  return reached;
}

/**
 * Returns the bill of a built package: what it carries and what an installation brings, with versions, licenses and
 * checksums, and beside it as `optional` what people install where they need it.
 * @param {string} folder of the built package
 */
export function billOfMaterials(folder) {
  const { name, version, license, dependencies = {}, peerDependencies = {} } = manifestIn(folder);
  const bill = everything();
  const direct = [...Object.keys(dependencies), ...bundledInto(folder)].map(refOf);
  // Packages of this clone have bills of their own.
  const beside = Object.keys(peerDependencies)
    .filter((one) => !one.startsWith(SCOPE))
    .map(refOf);
  const required = reachedFrom(direct, bill.dependencies);
  const all = reachedFrom([...direct, ...beside], bill.dependencies);
  const known = new Set(bill.components.map((component) => component["bom-ref"]));
  for (const one of all) if (!known.has(one)) fail(`the bill of materials of npm lacks ${one}`);
  const ref = `${name}@${version}`;
  const components = bill.components
    .filter((component) => all.has(component["bom-ref"]))
    .map((component) => ({
      ...component,
      scope: required.has(component["bom-ref"]) ? component.scope : "optional",
    }));
  const edges = bill.dependencies
    .filter((one) => all.has(one.ref))
    .map((one) => ({ ref: one.ref, dependsOn: one.dependsOn.filter((next) => all.has(next)) }));
  return {
    ...bill,
    metadata: { ...bill.metadata, component: { ...aboutPackage(name, version, license), "bom-ref": ref } },
    components,
    dependencies: [{ ref, dependsOn: [...direct, ...beside] }, ...edges],
  };
}

const manifestIn = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

function aboutPackage(name, version, license) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return { type: "library", name, version, purl, licenses: [{ license: { id: license } }] };
}

/** The component that code of the clone gets under a name. */
function refOf(name) {
  const { version } = LOCK[`node_modules/${name}`] ?? fail(`package-lock.json has no ${name}`);
  return `${name}@${version}`;
}

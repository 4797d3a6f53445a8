// Writes the tarballs of the published packages, each with its bill of materials (CycloneDX).
//
// usage: npm run pack [-- output folder, default dist/packages [client] [server] …]

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { billOfMaterials } from "./bill-of-materials.mjs";
import { fail, root } from "./compile.mjs";
import { buildPackage, PACKAGES } from "./packages.mjs";

const [, , folderGiven, ...namesGiven] = process.argv;
const out = resolve(folderGiven ?? join(root, "dist", "packages"));
const names = namesGiven.length === 0 ? Object.keys(PACKAGES) : namesGiven;
for (const name of names) if (!(name in PACKAGES)) fail(`there is no package ${name}`);

/** Packs a folder and returns the name and size of the tarball in `target`. */
function pack(folder, target) {
  const args = ["pack", "--json", "--pack-destination", target];
  const { status, stdout, stderr } = spawnSync("npm", args, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0) fail(`npm ${args.join(" ")}: ${stdout}${stderr}`);
  return JSON.parse(stdout)[0];
}

const work = mkdtempSync(join(tmpdir(), "svc-authorizer-pack-"));
try {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  for (const name of names) {
    const folder = join(work, name);
    await buildPackage(name, folder);
    const { filename, size } = pack(folder, work);
    renameSync(join(work, filename), join(out, `${name}.tgz`));
    writeFileSync(join(out, `${name}.cdx.json`), `${JSON.stringify(billOfMaterials(folder), null, 2)}\n`);
    process.stdout.write(`${join(out, `${name}.tgz`)}  ${Math.ceil(size / 1024)} KB\n`);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Shared by the tests of the bootstrap: changed catalogs, a first administrator, a folder for files. */

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { buildManifest } from "../../packages/policy/test/catalog/build-manifest.ts";
import { type BootstrapOptions, type BootstrapReport, bootstrap } from "../../src/bootstrap/bootstrap.ts";
import type { Directory } from "../../src/directory/directory.ts";

const SHIPPED = new URL("../../policies/", import.meta.url);

const folders: string[] = [];

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "bootstrap-test-"));
  folders.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

type Documents = {
  policies: { name: string; description: string; source: string; statement: { action: string[] }[] }[];
  groups: { name: string; description: string; policies: string[] }[];
};

/** The shipped policy data as a later version, changed. */
export async function changedCatalog(
  version: string,
  change: (documents: Documents) => void,
  partition = "svc",
): Promise<Catalog> {
  const folder = newFolder();
  cpSync(SHIPPED, folder, { recursive: true });
  const path = (kind: string): string => join(folder, "preconfigured", `${kind}.json`);
  const read = (kind: string) => JSON.parse(readFileSync(path(kind), "utf8"));
  const files = { policies: read("policies"), groups: read("groups") };
  change({ policies: files.policies.policies, groups: files.groups.groups });
  for (const [kind, document] of Object.entries(files)) writeFileSync(path(kind), JSON.stringify(document));
  const directory = pathToFileURL(`${folder}/`);
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(buildManifest(directory, version)));
  return openCatalog({ partition, directory });
}

export const ADMIN = {
  username: "root",
  access_key_id: "AKIAJROOTROOTROOTROQ",
  secret_access_key: "the secret of root",
};

/** Bootstraps in mode external with a named administrator unless told otherwise. */
export async function bootstrapOn(
  directory: Directory,
  options: Partial<BootstrapOptions> = {},
): Promise<BootstrapReport> {
  return bootstrap({
    directory,
    catalog: options.catalog ?? (await openCatalog({ partition: "svc" })),
    mode: "external",
    defaultUserGroup: "Viewers",
    admin: ADMIN,
    adminFile: join(newFolder(), "svc-authorizer-admin.json"),
    ...options,
  });
}

/** Groups with their policies, by name. */
export async function groupsOf(directory: Directory): Promise<Record<string, string[]>> {
  const { groups } = await directory.batches.state({ secrets: false });
  return Object.fromEntries([...groups].map(([name, { policies }]) => [name, [...policies.keys()]]));
}

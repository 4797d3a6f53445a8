import { readdirSync, readFileSync } from "node:fs";
import { digestOf } from "@svc-authorizer/policy/catalog/digest.ts";
import {
  type FileKind,
  MANIFEST_FORMAT,
  type Manifest,
  type ManifestFile,
  setDigest,
} from "@svc-authorizer/policy/catalog/manifest.ts";

const KINDS: readonly (readonly [RegExp, FileKind])[] = [
  [/^actions\.json$/, "actions"],
  [/^resource-types\.json$/, "resource-types"],
  [/^preconfigured\/policies\.json$/, "preconfigured-policies"],
  [/^preconfigured\/groups\.json$/, "preconfigured-groups"],
  [/^templates\/.+\.json$/, "policy-template"],
  [/^endpoints\/.+\.json$/, "endpoints"],
  [/^schema\/.+\.schema\.json$/, "schema"],
];

function kindOf(path: string): FileKind {
  const found = KINDS.find(([pattern]) => pattern.test(path));
  if (found === undefined) throw new Error(`policies/${path} is of no kind that the manifest knows`);
  return found[1];
}

/** The manifest that fits the files of a folder as they are now. */
export function buildManifest(directory: URL, version: string): Manifest {
  const files: ManifestFile[] = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".json") && path !== "manifest.json")
    .sort()
    .map((path) => {
      const document: unknown = JSON.parse(readFileSync(new URL(path, directory), "utf8"));
      return { path, kind: kindOf(path), sha256: digestOf(document) };
    });
  return { format: MANIFEST_FORMAT, version, digest: setDigest(version, files), files };
}

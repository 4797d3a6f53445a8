/** `policies/manifest.json`: the files of the policy data, and their digests. */

import type { Problem } from "../errors.ts";
import { digestOf } from "./digest.ts";

/** The format of the policy data that this version reads. */
export const MANIFEST_FORMAT = 1;

/** The kind of a file of the policy data. */
export type FileKind =
  | "actions"
  | "resource-types"
  | "preconfigured-policies"
  | "preconfigured-groups"
  | "policy-template"
  | "endpoints"
  | "schema";

/** A file of the policy data. */
export interface ManifestFile {
  /** Relative to `policies/`, with `/`. */
  readonly path: string;
  readonly kind: FileKind;
  /** As {@link digestOf} says. */
  readonly sha256: string;
}

/** The manifest. */
export interface Manifest {
  readonly format: typeof MANIFEST_FORMAT;
  /** Version of the set: year, month, count. */
  readonly version: string;
  /** Over version and files. */
  readonly digest: string;
  /** In the order of their paths. */
  readonly files: readonly ManifestFile[];
}

/** The digest of a whole set. */
export function setDigest(version: string, files: readonly ManifestFile[]): string {
  return digestOf({ version, files: files.map(({ path, kind, sha256 }) => ({ path, kind, sha256 })) });
}

/** Differences between a manifest and the files that it names. Each problem names its file. */
export function manifestProblems(manifest: Manifest, documents: ReadonlyMap<string, unknown>): Problem[] {
  const problems: Problem[] = [];
  for (const { path, sha256 } of manifest.files) {
    if (digestOf(documents.get(path)) === sha256) continue;
    problems.push({ pointer: "", file: path, message: "is not the file that the manifest describes" });
  }
  if (setDigest(manifest.version, manifest.files) !== manifest.digest) {
    const message = "does not fit the version and the files that the manifest lists";
    problems.push({ pointer: "/digest", file: "manifest.json", message });
  }
  return problems;
}

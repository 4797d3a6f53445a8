/** Reads the files of `policies/`, checks their digests and each against its schema. */

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { AuthorizerError, type Problem } from "../errors.ts";
import type { Schema, SchemaName } from "./catalog.ts";
import { digestOf } from "./digest.ts";
import {
  type FileKind,
  MANIFEST_FORMAT,
  type Manifest,
  type ManifestFile,
  manifestProblems,
} from "./manifest.ts";
import { openSchemas } from "./schemas.ts";
import { SHIPPED_MANIFEST } from "./shipped-manifest.ts";

/** The validated policy data, as it is on disk. */
export interface PolicyFiles {
  readonly manifest: Manifest;
  readonly schema: (name: SchemaName) => Schema;
  /** The documents of a kind, in the order of their paths. */
  readonly documents: (kind: Exclude<FileKind, "schema">) => readonly PolicyFile[];
}

/** A file that is valid for its schema. */
export interface PolicyFile {
  readonly path: string;
  readonly document: unknown;
}

const MANIFEST = "manifest.json";

/** The error for unusable policy data. Each problem names its file. */
export function policyDataError(directory: URL, problems: readonly Problem[]): AuthorizerError {
  const shown = problems.map(
    ({ file, pointer, message }) => `${file}${pointer && ` at ${pointer}`}: ${message}`,
  );
  const where = fileURLToPath(directory);
  return new AuthorizerError(
    "invalid_request",
    `policy data in ${where} cannot be used: ${shown.join("; ")}`,
    {
      problems,
    },
  );
}

async function readJson(directory: URL, path: string): Promise<unknown> {
  const fail = (message: string, cause: unknown): AuthorizerError =>
    new AuthorizerError("invalid_request", `policy data in ${fileURLToPath(directory)}: ${path} ${message}`, {
      problems: [{ pointer: "", file: path, message }],
      cause,
    });
  const text = await readFile(new URL(path, directory), "utf8").catch((error: unknown) => {
    throw fail("cannot be read", error);
  });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw fail("is no JSON", error);
  }
}

/** Checks the minimum that is needed to find the manifest's own schema through it. */
function asManifest(document: unknown, directory: URL): Manifest {
  const manifest = document as Partial<Manifest> | null;
  const problem = (pointer: string, message: string): AuthorizerError =>
    policyDataError(directory, [{ pointer, file: MANIFEST, message }]);
  if (typeof manifest !== "object" || manifest === null) throw problem("", "must be an object");
  if (manifest.format !== MANIFEST_FORMAT) {
    throw problem("/format", `must be ${MANIFEST_FORMAT}, the format this version reads`);
  }
  const isFile = (file: Partial<ManifestFile> | null): boolean =>
    typeof file === "object" && file !== null && typeof file.path === "string" && !file.path.includes("..");
  if (!Array.isArray(manifest.files) || !manifest.files.every(isFile)) {
    throw problem("/files", "must be a list of files with paths below the folder");
  }
  return manifest as Manifest;
}

function schemaProblems(
  schema: (name: SchemaName) => Schema,
  name: SchemaName,
  file: string,
  document: unknown,
): Problem[] {
  return schema(name)
    .problems(document)
    .map((problem) => ({ ...problem, file }));
}

/**
 * Reads and checks the policy data.
 * @throws AuthorizerError("invalid_request") with a problem for each file that is missing, changed or malformed
 */
export async function readPolicyFiles(directory: URL): Promise<PolicyFiles> {
  const manifest = asManifest(await readJson(directory, MANIFEST), directory);
  const paths = manifest.files.map(({ path }) => path);
  const documents = new Map(
    await Promise.all(paths.map(async (path) => [path, await readJson(directory, path)] as const)),
  );
  const tampered = manifestProblems(manifest, documents);
  if (tampered.length > 0) throw policyDataError(directory, tampered);
  const ofKind = (kind: FileKind): PolicyFile[] =>
    manifest.files
      .filter((file) => file.kind === kind)
      .map(({ path }) => ({ path, document: documents.get(path) }));
  const schema = openSchemas(ofKind("schema").map(({ document }) => document as object));
  // A test has done it for what ships. Compiling the schemas would be an eighth of the CPU time of a start.
  if (digestOf(manifest) !== SHIPPED_MANIFEST) {
    const problems = schemaProblems(schema, "manifest", MANIFEST, manifest);
    for (const { path, kind } of manifest.files) {
      if (kind !== "schema") problems.push(...schemaProblems(schema, kind, path, documents.get(path)));
    }
    if (problems.length > 0) throw policyDataError(directory, problems);
  }
  return { manifest, schema, documents: ofKind };
}

/** The files of a shadow candidate: data sets and policies. */

import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { type PolicyDocument, readPolicies } from "@svc-authorizer/policy/analysis/files/policy-documents.ts";
import { AuthorizerError, type Problem } from "@svc-authorizer/policy/errors.ts";
import { readDocument } from "@svc-authorizer/policy/source-files/read-document.ts";
import { selectFiles } from "@svc-authorizer/policy/source-files/select-files.ts";

const WITHIN_FOLDER = "**/*.{json,yaml,yml}";

/**
 * The documents of a file, folder or glob.
 * @throws AuthorizerError "invalid_request" with every problem
 */
export async function documentsOf(
  source: string,
): Promise<{ readonly files: readonly string[]; readonly documents: readonly PolicyDocument[] }> {
  const { files, problems } = await filesOf(source);
  const found: Problem[] = [...problems];
  const documents: PolicyDocument[] = [];
  for (const file of files) {
    const read = await readDocument(file, "policy");
    if (!("source" in read)) {
      found.push(...read.problems);
      continue;
    }
    const document = readPolicies(read.source, basename(file).replace(/\..*$/, "") || "policy");
    documents.push(document);
    // A data set is checked when it is loaded.
    if (!isDataset(read.source.value)) {
      found.push(...document.problems.map((problem) => ({ ...problem, file })));
    }
  }
  if (found.length > 0)
    throw new AuthorizerError("invalid_request", "the candidate cannot be read", { problems: found });
  return { files, documents };
}

async function filesOf(source: string) {
  const isFolder = (await stat(source).catch(() => undefined))?.isDirectory() === true;
  return selectFiles([isFolder ? `${source}/${WITHIN_FOLDER}` : source]);
}

/** A text that changes with the files. */
export async function fingerprintOf(source: string): Promise<string> {
  const { files } = await filesOf(source);
  const states = files.map(async (file) => {
    const status = await stat(file).catch(() => undefined);
    return [file, status?.mtimeMs, status?.size];
  });
  return JSON.stringify(await Promise.all(states));
}

/** The policies of a document. */
export function policiesOf({ policies }: PolicyDocument) {
  return policies.map(({ name, statement }) => ({ name, statement }));
}

/** True for a data set, false for policies alone. */
export function isDataset(value: unknown): boolean {
  return typeof value === "object" && value !== null && "format" in value;
}

/** True if a member of a data set has entries. */
export function hasEntries(value: unknown, member: string): boolean {
  const entries = (value as Readonly<Record<string, unknown>>)[member];
  return Array.isArray(entries) && entries.length > 0;
}

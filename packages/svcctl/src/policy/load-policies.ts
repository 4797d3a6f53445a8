/** Finds the files of the `policy` commands and reads their policies. */

import { stat } from "node:fs/promises";
import { basename, relative, resolve } from "node:path";
import { type PolicyDocument, readPolicies } from "@svc-authorizer/policy/analysis/files/policy-documents.ts";
import { AuthorizerError, type Problem } from "@svc-authorizer/policy/errors.ts";
import {
  parseDocument,
  type ReadDocument,
  readDocument,
} from "@svc-authorizer/policy/source-files/read-document.ts";
import { selectFiles } from "@svc-authorizer/policy/source-files/select-files.ts";
import type { CommandContext } from "../command-context.ts";
import { readInput } from "../input.ts";

/** The argument that names standard input. */
const STDIN = "-";
const STDIN_NAME = "standard input";

/** Documents with policies, and the problems of those that could not be read, each with its place. */
interface LoadedPolicies {
  readonly documents: readonly PolicyDocument[];
  /** Those that nobody named: they come from a folder or a glob. */
  readonly found: ReadonlySet<PolicyDocument>;
  readonly problems: readonly Problem[];
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

/**
 * Finds the files that paths, globs and folders name.
 * @param within glob of the files to take from a folder
 * @returns paths relative to the working folder, as far as they are below it
 */
export async function findFiles(
  context: CommandContext,
  patterns: readonly string[],
  within: string,
): Promise<{ readonly files: readonly string[]; readonly problems: readonly Problem[] }> {
  const { cwd } = context.edge;
  const wanted = await Promise.all(
    patterns.map(async (pattern) => {
      const path = resolve(cwd, pattern);
      return (await isFolder(path)) ? `${path}/${within}` : path;
    }),
  );
  const { files, problems } = await selectFiles(wanted);
  const shown = (path: string): string => {
    const short = relative(cwd, path);
    return short.startsWith("..") ? path : short;
  };
  return {
    files: files.map(shown),
    problems: problems.map((problem) => ({ ...problem, file: shown(problem.file ?? "") })),
  };
}

async function readOne(context: CommandContext, file: string): Promise<ReadDocument> {
  if (file === STDIN) return parseDocument(STDIN_NAME, await readInput(context, STDIN));
  const path = resolve(context.edge.cwd, file);
  const read = await readDocument(path, "policy");
  if ("source" in read) return { ...read, source: { ...read.source, file } };
  return { problems: read.problems.map((problem) => ({ ...problem, file })) };
}

/** Returns the name of a statement document: its file name without endings. */
function nameFrom(file: string): string {
  return basename(file).replace(/\..*$/, "") || "policy";
}

/** Reads the policies of paths, globs, folders, and `-` for standard input. Problems are collected, not thrown. */
export async function loadPolicies(
  context: CommandContext,
  patterns: readonly string[],
): Promise<LoadedPolicies> {
  const named = patterns.filter((pattern) => pattern !== STDIN);
  const { files, problems } = await findFiles(context, named, "**/*.{json,yaml,yml}");
  const faults: Problem[] = [...problems];
  const documents: PolicyDocument[] = [];
  const found = new Set<PolicyDocument>();
  const given = new Set(named.map((pattern) => resolve(context.edge.cwd, pattern)));
  for (const file of named.length < patterns.length ? [...files, STDIN] : files) {
    const read = await readOne(context, file);
    if (!("source" in read)) {
      faults.push(...read.problems);
      continue;
    }
    const document = readPolicies(read.source, nameFrom(file));
    documents.push(document);
    if (file !== STDIN && !given.has(resolve(context.edge.cwd, file))) found.add(document);
  }
  return { documents, found, problems: faults };
}

/** Problems of form, with their places. */
function formProblems({ source, problems }: PolicyDocument): Problem[] {
  if (problems.length === 0) return [];
  const places = source.locate(problems.map(({ pointer }) => pointer));
  return problems.map((problem) => ({ ...problem, file: source.file, ...places.get(problem.pointer) }));
}

/**
 * Reads policies; unreadable ones are an error.
 * @throws AuthorizerError("invalid_request") with every problem
 */
export async function needPolicies(
  context: CommandContext,
  patterns: readonly string[],
): Promise<readonly PolicyDocument[]> {
  const { documents, problems } = await loadPolicies(context, patterns);
  const all = [...problems, ...documents.flatMap(formProblems)];
  if (all.length > 0) {
    throw new AuthorizerError("invalid_request", "the policies cannot be read", { problems: all });
  }
  return documents;
}

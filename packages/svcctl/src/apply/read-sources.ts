/** Finds and reads the files that are applied. */

import { resolve } from "node:path";
import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import { AuthorizerError, type Problem } from "@svc-authorizer/policy/errors.ts";
import { parseDocument, readDocument } from "@svc-authorizer/policy/source-files/read-document.ts";
import type { DocumentSource } from "@svc-authorizer/policy/source-files/source.ts";
import type { CommandCall } from "../command.ts";
import { readInput } from "../input.ts";
import { findFiles } from "../policy/load-policies.ts";
import { gitFiles } from "./git-files.ts";

const STDIN = "-";
/** Files of a folder that are data sets. */
export const IN_FOLDERS = "**/*.{json,yaml,yml}";
const DATA = /\.(json|yaml|yml)$/i;
/** Policy tests lie beside policies. */
const TEST = /\.test\.(json|yaml|yml)$/i;

/** Paths that `-f` names. */
export function pathsOf({ options }: CommandCall): readonly string[] {
  return (options["filename"] as readonly string[] | undefined) ?? [];
}

/**
 * Reads all files that `-f` names.
 * @throws AuthorizerError "invalid_request" with the problems of every file that cannot be read
 */
export async function readSources(call: CommandCall): Promise<readonly DocumentSource[]> {
  const revision = textOption(call.options, "git");
  const { sources, problems } = await (revision === undefined
    ? readWorkingFiles(call)
    : readCommit(call, revision));
  if (problems.length > 0) {
    throw new AuthorizerError("invalid_request", "the files cannot be read; nothing was changed", {
      problems,
    });
  }
  if (sources.length === 0) throw new Error("there is no .yaml, .yml or .json file at these paths");
  return sources;
}

interface Read {
  readonly sources: readonly DocumentSource[];
  readonly problems: readonly Problem[];
}

async function readWorkingFiles(call: CommandCall): Promise<Read> {
  const { context } = call;
  const paths = pathsOf(call);
  const named = paths.filter((path) => path !== STDIN);
  const { files, problems } = await findFiles(context, named, IN_FOLDERS);
  const sources: DocumentSource[] = [];
  const found: Problem[] = [...problems];
  for (const file of files) {
    if (TEST.test(file) && !named.includes(file)) continue;
    const read = await readDocument(resolve(context.edge.cwd, file), "data set");
    if ("source" in read) sources.push({ ...read.source, file });
    else found.push(...read.problems.map((problem) => ({ ...problem, file })));
  }
  if (!paths.includes(STDIN)) return { sources, problems: found };
  const read = parseDocument("standard input", await readInput(context, STDIN));
  return "source" in read
    ? { sources: [...sources, read.source], problems: found }
    : { sources, problems: [...found, ...read.problems] };
}

async function readCommit(call: CommandCall, revision: string): Promise<Read> {
  const paths = pathsOf(call);
  if (paths.includes(STDIN)) {
    throw new UsageFailure("--git reads files of a commit: - cannot be given with it");
  }
  const isWanted = (path: string): boolean => DATA.test(path) && !TEST.test(path);
  const files = await gitFiles(call.context.edge.cwd, revision, paths, isWanted);
  const read = files.map(({ path, text }) => parseDocument(path, text));
  return {
    sources: read.flatMap((one) => ("source" in one ? [one.source] : [])),
    problems: read.flatMap((one) => ("problems" in one ? one.problems : [])),
  };
}

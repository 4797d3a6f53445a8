/** `svcctl policy fmt`. */

import { extname, resolve } from "node:path";
import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { formatPolicies } from "@svc-authorizer/policy/analysis/files/format-policies.ts";
import { AuthorizerError, type Problem } from "@svc-authorizer/policy/errors.ts";
import {
  parseDocument,
  type ReadDocument,
  readDocument,
} from "@svc-authorizer/policy/source-files/read-document.ts";
import type { CommandCall } from "../command.ts";
import { readInput } from "../input.ts";
import { writeWhole } from "../whole-file.ts";
import { findFiles } from "./load-policies.ts";
import { countOf } from "./placed-text.ts";

/** Formats policies and prints them, writes them (`--write`), or lists files that would change (`--check`). */
export async function format({ context, options, args }: CommandCall): Promise<void> {
  const check = options["check"] === true;
  const write = options["write"] === true;
  if (check && write) throw new UsageFailure("--check and --write exclude each other");
  if (args.includes("-")) {
    if (args.length > 1 || write)
      throw new UsageFailure("- is standard input: it stands alone, and without --write");
    const text = await readInput(context, "-");
    const formatted = formattedOf(parseDocument("standard input", text), isJson(text));
    if (!check) return context.out(formatted);
    return context.finish(formatted === text ? EXIT.ok : EXIT.failed);
  }
  const { files, problems } = await findFiles(context, args, "**/*.{json,yaml,yml}");
  if (problems.length > 0) throw unreadable(problems);
  if (!check && !write && files.length > 1) {
    throw new UsageFailure("one file is printed; for several, say --write or --check");
  }
  const read = await readAndFormat(context.edge.cwd, files);
  if (!check && !write) return context.out(read.map(({ formatted }) => formatted).join(""));
  const changed = read.filter(({ text, formatted }) => text !== formatted);
  for (const { file, path, formatted } of changed) {
    if (write) await writeWhole(path, formatted);
    context.out(`${safeText(file)}\n`);
  }
  context.err(
    `${countOf(changed.length, "file")} of ${files.length} ${write ? "formatted" : "to be formatted"}\n`,
  );
  context.finish(check && changed.length > 0 ? EXIT.failed : EXIT.ok);
}

interface Formatted {
  readonly file: string;
  readonly path: string;
  readonly text: string;
  readonly formatted: string;
}

/** Formats all files before any is written: if one cannot be read, no file changes. */
async function readAndFormat(cwd: string, files: readonly string[]): Promise<readonly Formatted[]> {
  const done: Formatted[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    const path = resolve(cwd, file);
    const read = await readDocument(path, "policy");
    if ("problems" in read) problems.push(...read.problems.map((problem) => ({ ...problem, file })));
    else done.push({ file, path, text: read.text, formatted: formattedOf(read, isJsonFile(file)) });
  }
  if (problems.length > 0) throw unreadable(problems);
  return done;
}

function isJsonFile(file: string): boolean {
  return extname(file).toLowerCase() === ".json";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function unreadable(problems: readonly Problem[]): AuthorizerError {
  return new AuthorizerError("invalid_request", "nothing was formatted", { problems });
}

function formattedOf(read: ReadDocument, json: boolean): string {
  if ("problems" in read) throw unreadable(read.problems);
  return formatPolicies(read.text, json);
}

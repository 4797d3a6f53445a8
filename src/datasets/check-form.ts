/** Checks files against the JSON Schema of data sets. */

import type { Schema } from "@svc-authorizer/policy/catalog/catalog.ts";
import type { Problem } from "@svc-authorizer/policy/errors.ts";
import { DATASET_FORMAT } from "@svc-authorizer/policy/model/dataset.ts";
import { statementMemberProblems } from "@svc-authorizer/policy/model/policy-members.ts";
import { canonicalSource } from "@svc-authorizer/policy/source-files/canonical-source.ts";
import { type DocumentSource, pointerOf, segmentsOf } from "@svc-authorizer/policy/source-files/source.ts";
import { bulkPause } from "../schedule/bulk-pause.ts";
import { type FormProblem, problemsInPortions } from "./form-portions.ts";
import type { CheckedSource } from "./merge.ts";
import type { Section } from "./pieces/piece.ts";
import type { ProblemList } from "./problem-list.ts";

/** Number of members of a document that are checked together. */
const PORTION = 100;

/** The problems of entries of one section, with pointers that begin with the section and the index of the entry. */
export function* entryProblems(
  section: Section,
  entries: readonly unknown[],
  schema: Schema,
): Generator<Problem> {
  for (const problem of problemsInPortions(section, entries, schema)) {
    if (problem === undefined) continue;
    const { pointer, message } = problem;
    yield strangeMember({ [section]: entries }, pointer) ?? { pointer, message };
  }
}

/** The problems of a document whose members and sections are checked in portions. */
async function* formProblems(document: object, schema: Schema): AsyncGenerator<FormProblem> {
  const pause = bulkPause();
  const sections = Object.entries(document).filter((entry): entry is [string, unknown[]] =>
    Array.isArray(entry[1]),
  );
  const emptied = Object.fromEntries(sections.map(([name]) => [name, []]));
  const members = Object.entries({ ...document, ...emptied });
  const given = "format" in document ? { format: document.format } : {};
  yield* schema.problems({ ...Object.fromEntries(members.slice(0, PORTION)), ...given });
  for (let start = PORTION; start < members.length; start += PORTION) {
    await pause();
    const portion = Object.fromEntries(members.slice(start, start + PORTION));
    yield* schema.problems({ ...portion, format: DATASET_FORMAT });
  }
  for (const [name, entries] of sections) {
    await pause();
    if (schema.problems({ format: DATASET_FORMAT, [name]: [] }).length > 0) continue;
    for (const problem of problemsInPortions(name, entries, schema)) {
      if (problem === undefined) await pause();
      else yield problem;
    }
  }
}

/** The section or entry of a pointer: `/users/3/email` → `/users/3`. */
function entryOf(pointer: string): string {
  return pointer.split("/", 3).join("/");
}

/** The problem of a pointer to a member that a statement of a data set does not have; undefined for another pointer. */
function strangeMember(document: unknown, pointer: string): Problem | undefined {
  const [section, policy, list, statement, name, ...more] = segmentsOf(pointer);
  if (section !== "policies" || list !== "statement" || name === undefined || more.length > 0)
    return undefined;
  const given = at(document, [section, policy, list, statement]);
  if (typeof given !== "object" || given === null || !Object.hasOwn(given, name)) return undefined;
  return statementMemberProblems(
    { [name]: undefined },
    pointerOf([section, policy as string, list, statement as string]),
  )[0];
}

function at(document: unknown, path: readonly (string | undefined)[]): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null ? Reflect.get(value, step ?? "") : undefined,
    document,
  );
}

/**
 * Validates one file against the schema. Adds problems to `problems`. Returns the entries that can be checked further,
 * or undefined if the file is not a data set of this format.
 */
export async function checkForm(
  given: DocumentSource,
  schema: Schema,
  problems: ProblemList,
): Promise<CheckedSource | undefined> {
  const source = canonicalSource(given);
  const { value } = source;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const broken = new Set<string>();
  for await (const { pointer, message } of isObject ? formProblems(value, schema) : schema.problems(value)) {
    const strange = strangeMember(value, pointer);
    problems.add(source, pointer, strange?.message ?? message, strange?.member);
    broken.add(entryOf(pointer));
  }
  return isObject && "format" in value && !broken.has("/format") ? { source, broken } : undefined;
}

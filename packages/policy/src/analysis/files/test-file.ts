/** Files of policy tests: their form (`policies/schema/policy-test.schema.json`), and the requests they stand for. */

import type { Schema } from "../../catalog/catalog.ts";
import type { Problem } from "../../errors.ts";
import type { DecisionContext, Effect, FieldValue, RequiredPermissions } from "../../model/decision.ts";
import type { NamedStatements } from "../../model/policy.ts";
import { canonicalSource } from "../../source-files/canonical-source.ts";
import type { DocumentSource, Position } from "../../source-files/source.ts";

/** The expected effect; `refused` is `neutral` or `deny`. */
export type Expectation = Effect | "refused";

/** A statement that must be among the deciding ones, by index or sid; any statement of the policy if none is named. */
export interface ExpectedStatement {
  readonly policy: string;
  readonly statement?: number;
  readonly sid?: string;
}

interface CaseForm {
  readonly name: string;
  readonly user: string | readonly string[];
  readonly groups?: readonly string[];
  readonly policies?: readonly string[];
  readonly action?: string | readonly string[];
  readonly resource?: string | readonly string[];
  readonly required?: RequiredPermissions;
  readonly context?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly expect: Expectation;
  readonly decided_by?: ExpectedStatement | readonly ExpectedStatement[];
}

/** A user, or a case, with what is attached. */
export interface Attached {
  readonly groups?: readonly string[];
  readonly policies?: readonly string[];
}

/** A test file, as its schema describes it. */
export interface TestFile {
  readonly files?: readonly string[];
  readonly preconfigured?: boolean;
  readonly policies?: readonly NamedStatements[];
  readonly users?: readonly ({ readonly username: string } & Attached)[];
  readonly groups?: readonly { readonly name: string; readonly policies?: readonly string[] }[];
  readonly cases: readonly CaseForm[];
}

/** One request of a case: a case with several users, actions or resources stands for every combination. */
export interface TestRequest {
  readonly user: string;
  readonly required: RequiredPermissions;
}

/** A case, ready to run. */
export interface TestCase extends Attached {
  readonly name: string;
  readonly requests: readonly TestRequest[];
  readonly context: DecisionContext;
  readonly expect: Expectation;
  readonly decidedBy: readonly ExpectedStatement[];
  /** JSON pointer of the case in its file. */
  readonly pointer: string;
  readonly position: Position | undefined;
}

function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value as T];
}

function fieldText(value: string | number | boolean | readonly string[]): FieldValue {
  return typeof value === "number" || typeof value === "boolean" ? JSON.stringify(value) : value;
}

function requestsOf({ user, action, resource, required }: CaseForm): TestRequest[] {
  const trees =
    required === undefined
      ? listOf(action).flatMap((a) =>
          listOf(resource).map((r): RequiredPermissions => ({ action: a, resource: r })),
        )
      : [required];
  return listOf(user).flatMap((one) => trees.map((tree) => ({ user: one, required: tree })));
}

/** The cases of a file that fits its schema. */
export function casesOf(file: TestFile, source: DocumentSource): TestCase[] {
  const pointers = file.cases.map((_, index) => `/cases/${index}`);
  const places = source.locate(pointers);
  return file.cases.map((form, index) => {
    const pointer = pointers[index] as string;
    return {
      name: form.name,
      ...(form.groups === undefined ? {} : { groups: form.groups }),
      ...(form.policies === undefined ? {} : { policies: form.policies }),
      requests: requestsOf(form),
      context: new Map(Object.entries(form.context ?? {}).map(([field, value]) => [field, fieldText(value)])),
      expect: form.expect,
      decidedBy: listOf(form.decided_by),
      pointer,
      position: places.get(pointer),
    };
  });
}

function repeatedNames({ cases }: TestFile): Problem[] {
  const seen = new Set<string>();
  return cases.flatMap(({ name }, index) => {
    const repeated = seen.has(name);
    seen.add(name);
    return repeated
      ? [{ pointer: `/cases/${index}/name`, message: "another case of this file has the same name" }]
      : [];
  });
}

/** Reads a test file; every problem has its place. */
export function readTestFile(
  given: DocumentSource,
  schema: Schema,
): { readonly file: TestFile } | { readonly problems: readonly Problem[] } {
  const source = canonicalSource(given);
  const { value } = source;
  const faults = schema.problems(value);
  const problems = faults.length > 0 ? faults : repeatedNames(value as TestFile);
  if (problems.length === 0) return { file: value as TestFile };
  const places = source.locate(problems.map(({ pointer }) => pointer));
  return { problems: problems.map((one) => ({ ...one, file: source.file, ...places.get(one.pointer) })) };
}

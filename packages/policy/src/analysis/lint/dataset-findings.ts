/** Checks the rest of a data set: fields that nobody knows, and names that nobody defines. */

import type { Schema } from "../../catalog/catalog.ts";
import { type Problem, pointTo } from "../../errors.ts";
import { suggestion } from "../../model/closest-name.ts";
import { isObject, type PolicyDocument } from "../files/policy-documents.ts";

/** The names that users and groups may refer to. */
interface DefinedNames {
  readonly groups: ReadonlySet<string>;
  readonly policies: ReadonlySet<string>;
}

/** The problem of a data set, under its rule. */
interface DatasetProblem extends Problem {
  readonly rule: "form" | "unknown-name";
}

/** True for a data set: users, groups and policies in one document. */
export function isDataset({ source: { value } }: PolicyDocument): boolean {
  return isObject(value) && "format" in value && !("statement" in value);
}

function entriesOf(value: unknown): readonly (readonly [number, Record<string, unknown>])[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.flatMap((one, index) => (isObject(one) ? [[index, one] as const] : []));
}

function textsOf(value: unknown): readonly (readonly [number, string])[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.flatMap((one, index) => (typeof one === "string" ? [[index, one] as const] : []));
}

/**
 * The names that documents define together, with those that ship.
 * @param shipped preconfigured groups and policies
 */
export function definedNames(documents: readonly PolicyDocument[], shipped: DefinedNames): DefinedNames {
  const groups = new Set(shipped.groups);
  const policies = new Set(shipped.policies);
  for (const document of documents) {
    for (const { name } of document.policies) policies.add(name);
    const { value } = document.source;
    if (!isObject(value)) continue;
    for (const [, { name }] of entriesOf(value["groups"])) if (typeof name === "string") groups.add(name);
  }
  return { groups, policies };
}

/** The problems of a data set beside those of its policies; pointers into the document. */
export function datasetProblems(
  { source: { value } }: PolicyDocument,
  schema: Schema,
  defined: DefinedNames,
): DatasetProblem[] {
  // Policies have been read already, each fault with a message of its own.
  const form = schema.problems(value).filter(({ pointer }) => !pointer.startsWith("/policies"));
  const problems: DatasetProblem[] = form.map((problem) => ({ ...problem, rule: "form" }));
  if (!isObject(value)) return problems;
  const check = (what: "group" | "policy", names: unknown, pointer: string): void => {
    const known = what === "group" ? defined.groups : defined.policies;
    for (const [index, name] of textsOf(names)) {
      if (known.has(name)) continue;
      const message = `no file defines a ${what} ${name}, and none of this name ships${suggestion(name, known)}`;
      problems.push({ rule: "unknown-name", pointer: pointTo(pointer, index), message });
    }
  };
  for (const [index, user] of entriesOf(value["users"])) {
    check("group", user["groups"], `/users/${index}/groups`);
    check("policy", user["policies"], `/users/${index}/policies`);
  }
  for (const [index, group] of entriesOf(value["groups"])) {
    check("policy", group["policies"], `/groups/${index}/policies`);
  }
  return problems;
}

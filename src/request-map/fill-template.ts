/** Trees of permissions with placeholders, filled with the values of a request. */

import type { Alternative, RequiredTemplate } from "@svc-authorizer/policy/catalog/endpoint-table.ts";
import type { RequiredLeaf } from "@svc-authorizer/policy/model/decision.ts";
import type { RequiredOnSets, ResourceSet } from "@svc-authorizer/policy/model/resource-set.ts";
import { parseTemplate, type Template } from "@svc-authorizer/policy/model/template.ts";

/** The value of a placeholder, or undefined if it is open. */
export type Lookup = (name: string) => string | undefined;

/** A permission with its resource as a template. */
export interface LeafTemplate {
  readonly action: string;
  readonly resource: Template;
}

/** A tree of permissions with its resources as templates. */
export type TreeTemplate =
  | LeafTemplate
  | { readonly any_resource: { readonly action: string } }
  | { readonly and: readonly TreeTemplate[] }
  | { readonly choice: readonly (Pick<Alternative, "when"> & { readonly required: TreeTemplate })[] };

/** Compiles the resource of a leaf. */
export function compileLeaf({ action, resource }: RequiredLeaf): LeafTemplate {
  return { action, resource: parseTemplate(resource) };
}

/** Compiles the resources of a tree. */
export function compileTree(tree: RequiredTemplate): TreeTemplate {
  if ("action" in tree) return compileLeaf(tree);
  if ("any_resource" in tree) return tree;
  if ("and" in tree) return { and: tree.and.map(compileTree) };
  return {
    choice: tree.choice.map((alternative) => ({
      ...alternative,
      required: compileTree(alternative.required),
    })),
  };
}

/** The names of all placeholders of a tree, and of the conditions of its choices. */
export function placeholdersOf(tree: TreeTemplate): readonly string[] {
  if ("action" in tree) return tree.resource.names;
  if ("any_resource" in tree) return [];
  if ("and" in tree) return tree.and.flatMap(placeholdersOf);
  return tree.choice.flatMap(({ required }) => placeholdersOf(required));
}

/** The names that the conditions of choices compare. */
export function comparedIn(tree: TreeTemplate): readonly string[] {
  if ("action" in tree || "any_resource" in tree) return [];
  if ("and" in tree) return tree.and.flatMap(comparedIn);
  return tree.choice.flatMap(({ when, required }) => [
    ...Object.keys(when?.is ?? {}),
    ...Object.keys(when?.lacks ?? {}),
    ...comparedIn(required),
  ]);
}

/** The set of all ARNs that the template can produce with some values open. */
export function fillResource({ literals, names }: Template, valueFor: Lookup): ResourceSet {
  const parts: [string, ...string[]] = [literals[0] as string];
  for (const [index, name] of names.entries()) {
    const value = valueFor(name);
    const literal = literals[index + 1] as string;
    if (value === undefined) parts.push(literal);
    else parts[parts.length - 1] += value + literal;
  }
  return { parts };
}

/** The leaf with its values. */
export function fillLeaf({ action, resource }: LeafTemplate, valueFor: Lookup): RequiredOnSets {
  return { action, resource: fillResource(resource, valueFor) };
}

function holds(when: Alternative["when"], compared: Lookup): boolean {
  return (
    Object.entries(when?.is ?? {}).every(([name, text]) => (compared(name) ?? "") === text) &&
    Object.entries(when?.lacks ?? {}).every(([name, text]) => !(compared(name) ?? "").includes(text))
  );
}

/**
 * The tree with its values.
 * @param compared values for the conditions of choices
 */
export function fillTree(tree: TreeTemplate, valueFor: Lookup, compared: Lookup): RequiredOnSets {
  if ("action" in tree) return fillLeaf(tree, valueFor);
  if ("any_resource" in tree) return tree;
  if ("and" in tree) return { and: tree.and.map((child) => fillTree(child, valueFor, compared)) };
  const chosen = tree.choice.find(({ when }) => holds(when, compared));
  // The last alternative has no condition. If it were missing, nothing would be required; an empty `or` is never
  // allowed.
  return chosen === undefined ? { or: [] } : fillTree(chosen.required, valueFor, compared);
}

/** The template as a text, with `{name}` for open values. */
export function shownTemplate({ literals, names }: Template, valueFor: Lookup): string {
  return names.reduce(
    (text, name, index) => `${text}${valueFor(name) ?? `{${name}}`}${literals[index + 1]}`,
    literals[0] as string,
  );
}

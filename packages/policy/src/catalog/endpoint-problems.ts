/** Validation of permission tables beyond their schema: a wrong row would open or close an endpoint. */

import type { Problem } from "../errors.ts";
import type { RequiredLeaf } from "../model/decision.ts";
import { parseTemplate } from "../model/template.ts";
import type { Alternative, EndpointRow, EndpointTable, RequiredTemplate } from "./endpoint-table.ts";

const COPY_SOURCE = new Map([
  ["copy_source.repository", "x-amz-copy-source"],
  ["copy_source.key", "x-amz-copy-source"],
]);

/** The leaves of a tree, including those of all alternatives. */
function leavesOf(tree: RequiredTemplate): readonly RequiredLeaf[] {
  if ("action" in tree) return [tree];
  if ("any_resource" in tree) return [];
  return ("and" in tree ? tree.and : tree.choice.map(({ required }) => required)).flatMap(leavesOf);
}

function actionsOf(tree: RequiredTemplate): readonly string[] {
  if ("action" in tree) return [tree.action];
  if ("any_resource" in tree) return [tree.any_resource.action];
  return ("and" in tree ? tree.and : tree.choice.map(({ required }) => required)).flatMap(actionsOf);
}

function choicesOf(tree: RequiredTemplate): readonly (readonly Alternative[])[] {
  if ("and" in tree) return tree.and.flatMap(choicesOf);
  if (!("choice" in tree)) return [];
  return [tree.choice, ...tree.choice.flatMap(({ required }) => choicesOf(required))];
}

/** True if a request can carry the value of a placeholder. */
function isCarried(name: string, row: EndpointRow): boolean {
  if (name.startsWith("query.") || row.facts.includes(name)) return true;
  if (name.startsWith("body.")) return !name.includes("[]");
  const header = COPY_SOURCE.get(name);
  if (header !== undefined) return row.headers.includes(header);
  return parseTemplate(row.path ?? `/{${name}}`).names.some((it) => it.replace(/\+$/, "") === name);
}

function placeholderProblems(row: EndpointRow): string[] {
  const { required, forEach, perItem } = row;
  const unknown = (leaves: readonly RequiredLeaf[], isItem: (name: string) => boolean): string[] =>
    leaves
      .flatMap(({ resource }) => parseTemplate(resource).names)
      .filter((name) => !isCarried(name, row) && !isItem(name))
      .map((name) => `names {${name}}, which no request carries`);
  return [
    ...unknown(required === null ? [] : leavesOf(required), () => false),
    ...unknown(forEach?.required ?? [], (name) => name.startsWith(`${forEach?.over}[]`)),
    ...unknown(perItem === undefined ? [] : [perItem], (name) => name === perItem?.item),
  ];
}

/**
 * The problems of the choices in a tree: a missing or superfluous condition would leave a request without an
 * alternative.
 */
function choiceProblems(tree: RequiredTemplate): string[] {
  return choicesOf(tree)
    .filter((choice) =>
      choice.some(({ when }, index) => (when === undefined) !== (index === choice.length - 1)),
    )
    .map(() => "must have a condition for each alternative of a choice but the last");
}

function rowProblems(row: EndpointRow, known: ReadonlyMap<string, unknown>): string[] {
  const { required, forEach, perItem, authentication, anyAuthenticatedUser } = row;
  const actions = [
    ...(required === null ? [] : actionsOf(required)),
    ...(forEach?.required ?? []).map(({ action }) => action),
    ...(perItem === undefined ? [] : [perItem.action]),
  ];
  const problems = actions.filter((it) => !known.has(it)).map((it) => `names the unknown action ${it}`);
  if ((row.method === null) !== (row.path === null))
    problems.push("must have both a method and a path, or none");
  const needsNothing = actions.length === 0;
  if (needsNothing !== (anyAuthenticatedUser || authentication === "none")) {
    problems.push("must need a permission, or say authentication none or any_authenticated_user");
  }
  if (required !== null) problems.push(...choiceProblems(required));
  return [...problems, ...placeholderProblems(row)];
}

/** The segments of a path template, with `{}` and `{+}` for parameters. */
function segmentsOf(path: string): readonly string[] {
  return path.split("/").map((it) => it.replace(/\{[^{}]*?(\+?)\}/, "{$1}"));
}

function segmentsMeet(left: string | undefined, right: string | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  return left === right || (left.startsWith("{") ? right !== "" : right.startsWith("{") && left !== "");
}

/** True if some path matches both templates. */
function pathsMeet(left: readonly string[], right: readonly string[]): boolean {
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    if (!segmentsMeet(left[index], right[index])) return false;
    if (left[index] === "{+}" || right[index] === "{+}") return true;
  }
  return true;
}

/** The requests that a row answers, precomputed. */
interface Answering {
  readonly operation: string;
  readonly segments: readonly string[];
  readonly shape: string;
  readonly selectors: string;
}

function answering({ operation, path, query, headers }: EndpointRow): Answering {
  const segments = segmentsOf(path ?? "");
  return { operation, segments, shape: segments.join("/"), selectors: [...query, ...headers].sort().join() };
}

/** True if one request can match both rows and neither row is more specific. */
function canClash(left: Answering, right: Answering): boolean {
  if (left.shape === right.shape) return left.selectors === right.selectors;
  return pathsMeet(left.segments, right.segments);
}

function tableProblems({ rows }: EndpointTable, known: ReadonlyMap<string, unknown>): Problem[] {
  const operations = new Set<string>();
  const byMethod = new Map<string, Answering[]>();
  return rows.flatMap((row, index) => {
    const problems = rowProblems(row, known);
    if (operations.size === operations.add(row.operation).size) problems.push("is there twice");
    if (row.method !== null && row.path !== null) {
      const mine = answering(row);
      const earlier = byMethod.get(row.method) ?? [];
      const clashing = earlier.find((other) => canClash(mine, other));
      if (clashing !== undefined) problems.push(`answers the requests of ${clashing.operation}`);
      byMethod.set(row.method, [...earlier, mine]);
    }
    return problems.map((message) => ({
      pointer: `/rows/${index}`,
      message: `${row.operation}: ${message}`,
    }));
  });
}

/**
 * Reports unknown actions and placeholders, rows that implicitly need nothing, and rows that answer the same request.
 */
export function endpointProblems(
  tables: readonly EndpointTable[],
  actions: ReadonlyMap<string, unknown>,
): Problem[] {
  return tables.flatMap((table, index) => {
    const file = `endpoints of the ${table.api} API`;
    const problems = tableProblems(table, actions);
    if (tables.findIndex(({ api }) => api === table.api) !== index) {
      problems.push({ pointer: "/api", message: "is there twice" });
    }
    return problems.map((problem) => ({ ...problem, file }));
  });
}

/**
 * The canonical form of policies: fields in a fixed order, no action twice. The meaning of a policy stays the same, and
 * so do the order of statements and actions (a refusal names the first that matches) and YAML comments.
 */

import { isMap, isScalar, isSeq, type Pair, parseDocument, type YAMLMap } from "yaml";
import { AuthorizerError } from "../../errors.ts";
import { parseJsonText } from "../../json-text.ts";
import { canonicalDocument, memberName } from "../../model/policy-members.ts";
import { parseYaml } from "../../source-files/yaml-source.ts";
import { isObject } from "./policy-documents.ts";

const POLICY_ORDER = [
  "$schema",
  "name",
  "id",
  "description",
  "creation_date",
  "acl",
  "source",
  "note",
  "statement",
];
const STATEMENT_ORDER = ["sid", "effect", "action", "resource", "condition"];

type JsonObject = Readonly<Record<string, unknown>>;

/** Fields in their order; those that the order does not name come last, as they were. */
function inOrder<T>(items: readonly T[], order: readonly string[], nameOf: (item: T) => string): T[] {
  const rank = (item: T): number => {
    const place = order.indexOf(nameOf(item));
    return place < 0 ? order.length : place;
  };
  return items.toSorted((a, b) => rank(a) - rank(b));
}

function ordered(value: JsonObject, order: readonly string[]): JsonObject {
  return Object.fromEntries(inOrder(Object.entries(value), order, ([name]) => name));
}

function canonicalStatement(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { action } = value;
  const distinct = Array.isArray(action) ? { ...value, action: [...new Set(action)] } : value;
  return ordered(distinct, STATEMENT_ORDER);
}

function canonicalPolicy(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { statement } = value;
  const done = Array.isArray(statement) ? { ...value, statement: statement.map(canonicalStatement) } : value;
  return ordered(done, POLICY_ORDER);
}

/** The value of a document with its policies in their form. */
function canonicalValue(written: unknown): unknown {
  const value = canonicalDocument(written);
  if (Array.isArray(value)) return value.map(canonicalPolicy);
  if (!isObject(value) || "statement" in value) return canonicalPolicy(value);
  const { policies } = value;
  return Array.isArray(policies) ? { ...value, policies: policies.map(canonicalPolicy) } : value;
}

function keyOf(pair: Pair): string {
  return String(isScalar(pair.key) ? pair.key.value : pair.key);
}

/** Gives members their own names, which may be written in any letter case. */
function nameMembers(map: YAMLMap): void {
  const names = new Set(map.items.map(keyOf));
  for (const { key } of map.items) {
    const name = isScalar(key) ? memberName(String(key.value)) : undefined;
    if (isScalar(key) && name !== undefined && !names.has(name)) key.value = name;
  }
}

function orderMap(map: YAMLMap, order: readonly string[]): void {
  map.items = inOrder(map.items, order, keyOf);
}

function formatStatement(node: unknown): void {
  if (!isMap(node)) return;
  nameMembers(node);
  const action = node.get("action", true);
  if (isSeq(action)) {
    const seen = new Set<unknown>();
    action.items = action.items.filter((item) => {
      if (!isScalar(item) || item.anchor !== undefined) return true;
      const repeated = seen.has(item.value);
      seen.add(item.value);
      return !repeated;
    });
  }
  orderMap(node, STATEMENT_ORDER);
}

function formatPolicy(node: unknown): void {
  if (!isMap(node)) return;
  nameMembers(node);
  const statements = node.get("statement", true);
  if (isSeq(statements)) statements.items.forEach(formatStatement);
  orderMap(node, POLICY_ORDER);
}

function formatContents(contents: unknown): void {
  if (isMap(contents) && !contents.has("policies")) formatPolicy(contents);
  else {
    const policies = isMap(contents) ? contents.get("policies", true) : contents;
    if (isSeq(policies)) policies.items.forEach(formatPolicy);
  }
}

/** Undefined if an alias would come to stand in front of its anchor. */
function formatYaml(text: string): string | undefined {
  const document = parseDocument(text, { version: "1.2", schema: "core", merge: false, stringKeys: true });
  formatContents(document.contents);
  try {
    return document.toString({ lineWidth: 0, flowCollectionPadding: false });
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("Unresolved alias")) return undefined;
    throw error;
  }
}

/** The value of a YAML text in canonical form; undefined if the text cannot be read. */
function saidBy(text: string): string | undefined {
  const parsed = parseYaml(text);
  return "value" in parsed ? JSON.stringify(canonicalValue(parsed.value)) : undefined;
}

/**
 * Formats the text of a document that can be read without faults.
 * @param isJson whether the text is JSON, else YAML
 * @throws AuthorizerError("invalid_request") for a YAML text whose anchors hold it in its order
 */
export function formatPolicies(text: string, isJson: boolean): string {
  if (isJson) return `${JSON.stringify(canonicalValue(parseJsonText(text)), null, 2)}\n`;
  const formatted = formatYaml(text);
  // An anchor that is set twice can change what stands behind it.
  if (formatted !== undefined && saidBy(formatted) === saidBy(text)) return formatted;
  throw new AuthorizerError(
    "invalid_request",
    "cannot be formatted: anchors and aliases depend on the order",
  );
}

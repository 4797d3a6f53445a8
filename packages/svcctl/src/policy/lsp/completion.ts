/** Suggestions of the language server, from the catalog: keys, actions, resources, conditions. */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { OPERATOR_NAMES } from "@svc-authorizer/policy/model/condition-operators.ts";
import { parseTemplate } from "@svc-authorizer/policy/model/template.ts";
import type { Cursor } from "./cursor.ts";

/** One suggestion. */
interface Suggestion {
  readonly label: string;
  readonly detail: string;
  /** With `${1:…}` for parts to fill in; default: the label. */
  readonly snippet?: string;
}

const POLICY_KEYS: readonly Suggestion[] = [
  { label: "name", detail: "name of the policy" },
  { label: "statement", detail: "list of statements" },
];
const STATEMENT_KEYS: readonly Suggestion[] = [
  { label: "sid", detail: "name of the statement, shown where it decided" },
  { label: "effect", detail: "allow or deny; a deny wins" },
  { label: "action", detail: "list of actions, such as fs:ReadObject or fs:Read*" },
  { label: "resource", detail: "ARN, * for every resource" },
  { label: "condition", detail: "operator → field → values" },
];
const EFFECTS: readonly Suggestion[] = [
  { label: "allow", detail: "lets pass, unless a statement denies" },
  { label: "deny", detail: "refuses, whatever other statements allow" },
];
const FIELDS: readonly Suggestion[] = [
  { label: "SourceIp", detail: "IP address of the client" },
  { label: "subject.", detail: "registered property of the user" },
  { label: "resource.", detail: "registered property of the resource" },
  { label: "context.", detail: "value that the caller sends" },
];

/** Suggests what may stand at the cursor; nothing where everything may. */
export function suggestionsAt({ keys, isKey }: Cursor, catalog: Catalog): readonly Suggestion[] {
  const key = keys.at(-1);
  const inCondition = keys.indexOf("condition");
  if (inCondition >= 0) return conditionSuggestions(keys.length - inCondition - 1, isKey);
  if (isKey)
    return key === "statement" ? STATEMENT_KEYS : key === undefined || key === "policies" ? POLICY_KEYS : [];
  if (key === "effect") return EFFECTS;
  if (key === "action") return actions(catalog);
  return key === "resource" ? resources(catalog) : [];
}

function conditionSuggestions(depth: number, isKey: boolean): readonly Suggestion[] {
  if (!isKey) return [];
  if (depth === 0) return OPERATOR_NAMES.map((label) => ({ label, detail: "condition operator" }));
  return depth === 1 ? FIELDS : [];
}

function actions(catalog: Catalog): readonly Suggestion[] {
  const services = [...catalog.services].map((service) => ({
    label: `${service}:*`,
    detail: `every action of ${service}`,
  }));
  const single = [...catalog.actions].map(([label, { meaning }]) => ({ label, detail: meaning }));
  return [...single, ...services, { label: "*", detail: "every action" }];
}

function resources(catalog: Catalog): readonly Suggestion[] {
  const templates = [...catalog.resourceTypes.values()].map(({ type, arn }) => ({
    label: arn,
    detail: type,
    snippet: snippetOf(arn),
  }));
  return [...templates, { label: "*", detail: "every resource" }];
}

function snippetOf(arn: string): string {
  const { literals, names } = parseTemplate(arn);
  const parts = names.map((name, index) => `${literals[index]}\${${index + 1}:${name}}`);
  return parts.join("") + (literals.at(-1) ?? "");
}

/** Statements of policies as sentences, such as "may read an object of repository example-repo". */

import type { Statement } from "@svc-authorizer/contract/management-api.gen.ts";
import { asksMissing } from "@svc-authorizer/policy/model/truth-values.ts";
import { meaningOf } from "./actions.ts";
import { RESOURCE_TYPES } from "./catalog.gen.ts";

/** Most actions that a sentence names. */
const MOST_ACTIONS = 4;

/** A sentence about a statement, in its parts. */
interface Sentence {
  readonly effect: "may" | "may never";
  readonly does: string;
  readonly resource: string;
  /** Conditions, each a clause; all must hold. */
  readonly conditions: readonly string[];
}

/** Returns the sentence of a statement. */
export function sentenceOf({ effect, action, resource, condition }: Statement): Sentence {
  return {
    effect: effect === "allow" ? "may" : "may never",
    does: actionsInWords(action),
    resource: resourceInWords(resource),
    conditions: conditionsInWords(condition ?? {}),
  };
}

/** Actions in words: their meanings in the catalog as far as they are known. */
function actionsInWords(actions: readonly string[]): string {
  if (actions.includes("*")) return "do everything";
  const words = actions.slice(0, MOST_ACTIONS).map(actionInWords);
  const more = actions.length - words.length;
  if (more > 0) words.push(`do ${more} more ${more === 1 ? "action" : "actions"}`);
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function actionInWords(action: string): string {
  const meaning = meaningOf(action);
  if (meaning !== undefined) return lowerFirst(meaning);
  const [service, verb] = action.split(":");
  if (verb === "*") return `do every action of ${service}`;
  const family = /^([A-Z][a-z]+)\*$/.exec(verb ?? "")?.[1];
  // Data is what people mean where nothing else is said.
  if (family !== undefined)
    return service === "fs" ? lowerFirst(family) : `${lowerFirst(family)} in ${service}`;
  return `do ${action}`;
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

/** A resource in words: `*`, an ARN with wildcards, or a list of these in JSON. */
function resourceInWords(resource: string): string {
  const all = listOf(resource);
  const words = all.slice(0, MOST_ACTIONS).map(oneInWords);
  const more = all.length - words.length;
  return words.join(" or ") + (more > 0 ? ` or ${more} more` : "");
}

function listOf(resource: string): readonly string[] {
  if (!resource.startsWith("[")) return [resource];
  try {
    const list: unknown = JSON.parse(resource);
    return Array.isArray(list) ? list.map(String) : [resource];
  } catch {
    return [resource];
  }
}

/** `repository/{repository}/branch/{branch}` → the literal parts and the names between them. */
const FORMS = RESOURCE_TYPES.map(({ type, arn }) => {
  const path = arn.split(":").slice(5).join(":");
  const pattern = path.replace(/\{\w+\}$/, "(.+)").replace(/\{\w+\}/g, "([^/]+)");
  const names = [...path.matchAll(/(\w+)\/\{\w+\}/g)].map(([, name = ""]) => name);
  return { type, service: arn.split(":")[2], names, pattern: new RegExp(`^${pattern}$`) };
}).sort((a, b) => b.names.length - a.names.length);

function oneInWords(resource: string): string {
  if (resource === "*") return "everything";
  const [, , service, , , ...rest] = resource.split(":");
  const path = rest.join(":");
  if (path === "*") return `everything of ${service}`;
  for (const form of FORMS) {
    const values = form.service === service ? form.pattern.exec(path)?.slice(1) : undefined;
    if (values === undefined) continue;
    // The innermost thing first: "object data/* in repository example".
    return form.names
      .map((name, index) => thingInWords(name, values[index] as string))
      .reverse()
      .join(" in ");
  }
  return resource;
}

function thingInWords(name: string, value: string): string {
  if (value === "*") return `any ${name}`;
  return value === "${user}" ? `one's own ${name}` : `${name} ${value}`;
}

/** Words for operators, between a field and its values; an operator without any stands with its name. */
const OPERATOR_WORDS: ReadonlyMap<string, string> = new Map([
  ["IpAddress", "is in"],
  ["NotIpAddress", "is not in"],
  ["StringLike", "is like"],
  ["StringNotLike", "is not like"],
  ["StringEquals", "is"],
  ["StringNotEquals", "is not"],
  ["StringEqualsIgnoreCase", "is, in letters of any case,"],
  ["StringNotEqualsIgnoreCase", "is not, in letters of any case,"],
  ["NumericEquals", "is"],
  ["NumericNotEquals", "is not"],
  ["NumericLessThan", "is less than"],
  ["NumericLessThanEquals", "is at most"],
  ["NumericGreaterThan", "is more than"],
  ["NumericGreaterThanEquals", "is at least"],
  ["DateEquals", "is"],
  ["DateNotEquals", "is not"],
  ["DateLessThan", "is before"],
  ["DateLessThanEquals", "is at the latest"],
  ["DateGreaterThan", "is after"],
  ["DateGreaterThanEquals", "is at the earliest"],
  ["Bool", "is"],
]);

function clauseOf(operator: string, field: string, values: readonly string[]): string {
  if (operator === "Null") return `${field} is ${asksMissing(values) ? "absent" : "given"}`;
  return `${field} ${OPERATOR_WORDS.get(operator) ?? operator} ${values.join(" or ")}`;
}

function conditionsInWords(condition: NonNullable<Statement["condition"]>): readonly string[] {
  return Object.entries(condition).flatMap(([operator, fields]) =>
    Object.entries(fields).map(([field, values]) => clauseOf(operator, field, values)),
  );
}

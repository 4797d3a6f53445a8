/** Validation of declared resource types (spec/decision-api §2.8). */

import { type Problem, pointTo } from "../errors.ts";
import { formatArn, parseArn } from "./arn.ts";
import { resourceTypeNameProblem } from "./names.ts";
import type { ResourceType } from "./resource-type.ts";
import { parseTemplate, type Template } from "./template.ts";

/** Input of the validation of a resource type. */
export interface ResourceTypeRules {
  readonly partition: string;
  /** Services of the data server, which a declared type must not use. Empty for the types that ship. */
  readonly builtInServices: ReadonlySet<string>;
}

const SERVICE = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const VERB = /^[^\s:*?${}\p{Cc}]+$/u;
const PLACEHOLDER_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;

function templateProblem({ names, literals }: Template): string | undefined {
  if (names.length === 0) return "needs a placeholder, such as {id}";
  const odd = names.find((name) => !PLACEHOLDER_NAME.test(name));
  if (odd !== undefined) return "the name of a placeholder must be letters, digits and _, such as {id}";
  if (new Set(names).size < names.length) return "has a placeholder twice";
  const beforePlaceholders = literals.slice(0, -1);
  if (
    literals.some((literal) => /[*?{}]/.test(literal)) ||
    beforePlaceholders.some((it) => it.endsWith("$"))
  ) {
    return "must not contain *, ?, ${user} or a brace that belongs to no placeholder";
  }
  if (literals.slice(1, -1).some((literal) => !literal.includes("/"))) {
    return 'needs a "/" between two placeholders, or ids would be ambiguous';
  }
  return undefined;
}

function serviceProblem(service: string, rules: ResourceTypeRules): string | undefined {
  if (!SERVICE.test(service))
    return "the service must be at most 64 letters, digits, _, . and -, beginning with a letter";
  if (rules.builtInServices.has(service)) {
    return `the service "${service}" is the data server's; use a service namespace of your own, such as "demo"`;
  }
  return undefined;
}

function arnProblem(text: string, rules: ResourceTypeRules): string | undefined {
  const form = `arn:${rules.partition}:SERVICE:::RESOURCE with a placeholder, such as {id}, in RESOURCE`;
  const arn = parseArn(text, rules.partition);
  if (arn === undefined) return `must be an ARN of the form ${form}`;
  const fields = formatArn({ ...arn, resource: "" });
  if (/[*?{}]/.test(fields)) return `must have placeholders in its last field only: ${form}`;
  return serviceProblem(arn.service, rules) ?? templateProblem(parseTemplate(arn.resource));
}

function actionProblem(action: string, rules: ResourceTypeRules): string | undefined {
  const colon = action.indexOf(":");
  const service = action.slice(0, Math.max(0, colon));
  if (colon < 1 || !VERB.test(action.slice(colon + 1))) {
    return "must be one action of the form service:Verb, without wildcards";
  }
  return serviceProblem(service, rules);
}

function actionsProblems(type: ResourceType, rules: ResourceTypeRules, pointer: string): Problem[] {
  const problems: Problem[] = [];
  for (const [name, action] of Object.entries(type.actions)) {
    const at = pointTo(`${pointer}/actions`, name);
    if (name === "") problems.push({ pointer: at, message: "the name of an action must not be empty" });
    if (name.includes(":")) {
      problems.push({ pointer: at, message: 'the short name of an action must not contain ":"' });
    }
    const message = actionProblem(action, rules);
    if (message !== undefined) problems.push({ pointer: at, message });
  }
  return problems;
}

/** The difference between the placeholders of the two templates, each of which is valid. */
function placeholderProblem(type: ResourceType): string | undefined {
  const inArn = new Set(parseTemplate(type.arn).names);
  const inId = new Set(parseTemplate(type.id).names);
  // Not by the methods of sets: the client, which has this too, runs where there are none.
  const missing = [...inArn, ...inId].filter((name) => !(inArn.has(name) && inId.has(name)));
  if (missing.length === 0) return undefined;
  const list = missing.map((name) => `{${name}}`).join(", ");
  return `must have the same placeholders as the ARN; only one of the two has ${list}`;
}

/**
 * Lists all problems of a declared resource type. It may have the name of one that ships, and then stands in its place.
 * @param pointer JSON pointer of the type in its document
 */
export function resourceTypeProblems(type: ResourceType, rules: ResourceTypeRules, pointer = ""): Problem[] {
  const problems: Problem[] = [];
  const add = (field: string, message: string | undefined): void => {
    if (message !== undefined) problems.push({ pointer: `${pointer}/${field}`, message });
  };
  add("type", resourceTypeNameProblem(type.type));
  const arn = arnProblem(type.arn, rules);
  const id = templateProblem(parseTemplate(type.id));
  add("arn", arn);
  add("id", id);
  if (arn === undefined && id === undefined) add("id", placeholderProblem(type));
  problems.push(...actionsProblems(type, rules, pointer));
  return problems;
}

/** The rules that a policy must keep to be stored (spec/evaluation §11; limits of spec/decision-api §1). */

import type { Problem } from "../errors.ts";
import { parseArn } from "./arn.ts";
import { conditionProblems } from "./condition.ts";
import { type Guards, policyNameProblem } from "./names.ts";
import { patternsMeet } from "./pattern-meeting.ts";
import type { NamedStatements, Statement } from "./policy.ts";
import { statementMemberProblems } from "./policy-members.ts";
import { parseResourceText } from "./resource-text.ts";

/** Limits of a policy (`authorizer.limits`). */
export interface PolicyLimits {
  /** Size of the policy's name and statements as JSON, in bytes. */
  readonly policyBytes: number;
  readonly statementsPerPolicy: number;
  /** Size of each resource of a statement, in bytes. */
  readonly arnBytes: number;
  /** Size of each action of a statement, in bytes. */
  readonly actionBytes: number;
}

/** The limits that apply unless the configuration sets others. */
export const DEFAULT_POLICY_LIMITS: PolicyLimits = {
  policyBytes: 100 * 1_024,
  statementsPerPolicy: 1_000,
  arnBytes: 4 * 1_024,
  actionBytes: 256,
};

/** Input of the validation of a policy. */
export interface PolicyRules {
  /** Product-name part of ARNs (`authorizer.partition`). */
  readonly partition: string;
  /** Services that actions may name: those of the catalog and of declared resource types. */
  readonly services: ReadonlySet<string>;
  readonly guards: Guards;
  /** Replaces single limits of {@link DEFAULT_POLICY_LIMITS}. */
  readonly limits?: Partial<PolicyLimits>;
}

interface Checks {
  readonly rules: PolicyRules;
  readonly limits: PolicyLimits;
  readonly problems: Problem[];
  /** The names of the services, for people. */
  readonly known: string;
}

/** The letters and digits of IAM's `Sid`, and the punctuation of program names. */
const SID = /^[A-Za-z0-9._-]{1,128}$/;
const WILDCARD = /[*?]/;
const CONTROL_CHARACTER = /\p{Cc}/u;
const HALF_PAIR = "must be well-formed Unicode: it has half of a surrogate pair";

/** The problem of any text of a policy, or undefined. */
function textProblem(text: string, bytes: number): string | undefined {
  if (Buffer.byteLength(text) > bytes) return `must have at most ${bytes} bytes`;
  return text.isWellFormed() ? undefined : HALF_PAIR;
}

function matchesAny(pattern: string, services: ReadonlySet<string>): boolean {
  // Several stars in a row mean what one means, and every other character stands for one: most patterns are too long.
  const short = pattern.replaceAll(/\*+/g, "*");
  const least = short.replaceAll("*", "").length;
  for (const service of services) {
    if (least <= service.length && patternsMeet(short, service)) return true;
  }
  return false;
}

function actionProblem(action: string, { rules, limits, known }: Checks): string | undefined {
  if (action === "*") return undefined;
  const problem = textProblem(action, limits.actionBytes);
  if (problem !== undefined) return problem;
  const [service, verb, ...more] = action.split(":");
  if (!service || !verb || more.length > 0)
    return 'must be "*" or of the form service:Verb, such as "fs:ReadObject"';
  if (CONTROL_CHARACTER.test(action)) return "must not contain control characters";
  if (WILDCARD.test(service)) {
    if (matchesAny(service, rules.services)) return undefined;
    return `its service matches none of the known services: ${known}`;
  }
  if (rules.services.has(service)) return undefined;
  return `names a service that is not known; known are ${known}`;
}

function resourceProblem(resource: string, { rules, limits }: Checks): string | undefined {
  if (resource === "*") return undefined;
  const problem = textProblem(resource, limits.arnBytes);
  if (problem !== undefined) return problem;
  if (parseArn(resource, rules.partition) !== undefined) return undefined;
  return `must be "*" or an ARN of the form arn:${rules.partition}:SERVICE:::RESOURCE`;
}

function effectProblem(effect: string): string | undefined {
  if (effect === "allow" || effect === "deny") return undefined;
  const lower = effect.trim().toLowerCase();
  if (lower === "allow" || lower === "deny") return `must be in lower case: write "${lower}"`;
  return 'must be "allow" or "deny"';
}

function checkResource(text: string, checks: Checks, pointer: string): void {
  const resources = parseResourceText(text);
  if (resources === undefined) {
    const message =
      text === ""
        ? 'must not be empty; write "*" for every resource'
        : 'is no JSON array of strings; write one resource, or an array such as ["arn:…", "arn:…"]';
    checks.problems.push({ pointer, message });
    return;
  }
  if (!text.isWellFormed()) {
    checks.problems.push({ pointer, message: HALF_PAIR });
    return;
  }
  const isArray = text.startsWith("[") && text.endsWith("]");
  if (resources.length === 0) {
    checks.problems.push({
      pointer,
      message: "is an empty array, which no resource matches; name at least one",
    });
  }
  for (const [index, resource] of resources.entries()) {
    const problem = resourceProblem(resource, checks);
    if (problem === undefined) continue;
    const message = isArray ? `element ${index} of the array ${problem}` : problem;
    checks.problems.push({ pointer, message });
  }
}

function checkStatement(statement: Statement, checks: Checks, pointer: string): void {
  const { problems } = checks;
  problems.push(...statementMemberProblems(statement, pointer));
  if (statement.sid !== undefined && !SID.test(statement.sid)) {
    const message = 'must be 1 to 128 letters, digits, ".", "_" or "-"';
    problems.push({ pointer: `${pointer}/sid`, message });
  }
  const effect = effectProblem(statement.effect);
  if (effect !== undefined) problems.push({ pointer: `${pointer}/effect`, message: effect });
  if (statement.action.length === 0) {
    problems.push({
      pointer: `${pointer}/action`,
      message: 'is empty; name at least one action, such as "fs:Read*"',
    });
  }
  for (const [index, action] of statement.action.entries()) {
    const message = actionProblem(action, checks);
    if (message !== undefined) problems.push({ pointer: `${pointer}/action/${index}`, message });
  }
  checkResource(statement.resource, checks, `${pointer}/resource`);
  if (!statement.condition) return;
  for (const problem of conditionProblems(statement.condition, `${pointer}/condition`))
    problems.push(problem);
}

/**
 * Lists all problems of a policy with JSON pointers into `{name, statement}`; of one that is too large, that alone. A
 * policy may be stored if the list is empty. The document must have the shape of a policy (`policy.schema.json` without its enumerations).
 */
export function policyProblems(policy: NamedStatements, rules: PolicyRules): Problem[] {
  const limits = { ...DEFAULT_POLICY_LIMITS, ...rules.limits };
  const problems: Problem[] = [];
  const checks: Checks = { rules, limits, problems, known: [...rules.services].join(", ") };
  const name = policyNameProblem(policy.name, rules.guards);
  if (name !== undefined) problems.push({ pointer: "/name", message: name });
  const statements = policy.statement;
  if (statements.length === 0) {
    problems.push({ pointer: "/statement", message: "is empty; a policy needs at least one statement" });
  }
  if (statements.length > limits.statementsPerPolicy) {
    const most = limits.statementsPerPolicy;
    const message = `has ${statements.length} statements; at most ${most} are allowed, split the policy`;
    return [...problems, { pointer: "/statement", message }];
  }
  const bytes = Buffer.byteLength(JSON.stringify({ name: policy.name, statement: statements }));
  if (bytes > limits.policyBytes) {
    const message = `has ${bytes} bytes as JSON; at most ${limits.policyBytes} are allowed, split the policy`;
    return [...problems, { pointer: "", message }];
  }
  for (const [index, statement] of statements.entries()) {
    checkStatement(statement, checks, `/statement/${index}`);
  }
  return problems;
}

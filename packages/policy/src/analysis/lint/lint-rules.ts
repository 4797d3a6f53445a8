/** The rules of lint: their names, which never change, and their levels. `docs/lint-rules.md` has a section for each. */

/** Errors keep a policy from being stored; warnings are most likely mistakes; notes are worth knowing. */
export type Severity = "error" | "warning" | "note";

/** One rule. */
interface LintRuleInfo {
  readonly severity: Severity;
  readonly meaning: string;
}

const RULES = {
  syntax: ["error", "The file cannot be read as JSON or YAML."],
  form: ["error", "The document does not have the form of policies or of a data set."],
  "aws-policy": ["error", "The document is a policy of AWS IAM."],
  guard: ["error", "The policy would be refused when it is written."],
  "unknown-name": ["error", "A user or group of a data set names a group or policy that nobody defines."],
  acceptance: ["error", "An entry of `accept` names no rule or statement, or has no reason."],
  "unknown-action": ["warning", "The data server has no such action."],
  "unused-action": ["warning", "No endpoint of the data server requires the action."],
  "unreachable-action": ["warning", "No resource of the statement can match what the action applies to."],
  "user-in-action": ["warning", "`${user}` is ordinary text in an action."],
  "arn-wildcard": ["warning", "A wildcard in the service or account of an ARN matches nothing."],
  "resource-variable": ["warning", "A variable of another system is ordinary text in a resource."],
  braces: ["warning", "Braces are ordinary text in a resource."],
  "regular-expression": ["warning", "Signs of regular expressions are ordinary text in a resource."],
  "unknown-resource": ["warning", "No resource type has ARNs of this form."],
  "dead-allow": ["warning", "A deny of the policy leaves nothing of an allow."],
  "equal-statements": ["warning", "Two statements are the same."],
  "repeated-sid": ["warning", "Two statements have the same `sid`."],
  "unknown-field": ["warning", "No request has the field that a condition reads."],
  "missing-field": ["warning", "A request without the field is treated other than most people expect."],
  "address-field": ["warning", "A field that is no address makes every request of the user a refusal."],
  "literal-variable": ["warning", "A variable is ordinary text under this operator."],
  "literal-wildcard": ["warning", "A wildcard is ordinary text under this operator."],
  "data-server-condition": ["warning", "The data server cannot evaluate the condition."],
  "list-condition": ["warning", "The data server ignores the statement when it lists repositories."],
  "self-escalation": ["warning", "The statement lets users extend their own rights."],
  "idle-action": [
    "note",
    "An action has no effect on the resources of its statement, and other actions have.",
  ],
  "ignored-region": ["note", "The region of an ARN is ignored."],
  "forged-address": ["note", "The data server believes `X-Forwarded-For`."],
  "covered-statement": ["note", "Another statement of the policy says the same and more."],
  "unused-acceptance": ["note", "An entry of `accept` has nothing to accept."],
  stopped: ["note", "The check ended before everything was looked at."],
} as const satisfies Readonly<Record<string, readonly [Severity, string]>>;

/** The name of a rule. */
export type LintRule = keyof typeof RULES;

/** Every rule by its name. */
export const LINT_RULES: ReadonlyMap<LintRule, LintRuleInfo> = new Map(
  Object.entries(RULES).map(([name, [severity, meaning]]) => [name as LintRule, { severity, meaning }]),
);

/** The rule of a name that somebody typed. */
export function lintRuleNamed(name: string): LintRule | undefined {
  return LINT_RULES.has(name as LintRule) ? (name as LintRule) : undefined;
}

/** True for a rule that may be accepted: the service refuses what breaks another one. */
export function isAcceptable(rule: LintRule): boolean {
  return LINT_RULES.get(rule)?.severity !== "error";
}

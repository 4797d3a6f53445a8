/** Checks policies for errors that a write refuses, and for what is valid but almost certainly a mistake. */

import type { Problem } from "../errors.ts";
import { parseArn } from "../model/arn.ts";
import { type PolicyLimits, policyProblems } from "../model/policy-validation.ts";
import { policyWarnings, type Vocabulary } from "../model/policy-warnings.ts";
import type { ResourceType } from "../model/resource-type.ts";
import { selfEscalations } from "./escalation/self-escalation.ts";
import type { FoundPolicy, PolicyDocument } from "./files/policy-documents.ts";

/** The rule that a finding belongs to: see {@link LINT_RULES}. */
export type LintRule = "syntax" | "form" | "guard" | "doubtful" | "self-escalation";

/** Every rule, with its meaning and severity. */
export const LINT_RULES: ReadonlyMap<LintRule, { readonly severity: Severity; readonly meaning: string }> =
  new Map([
    ["syntax", { severity: "error", meaning: "The file cannot be read as JSON or YAML." }],
    ["form", { severity: "error", meaning: "The document does not have the form of policies." }],
    ["guard", { severity: "error", meaning: "The policy would be refused when it is written." }],
    ["doubtful", { severity: "warning", meaning: "The policy is valid, but almost certainly a mistake." }],
    ["self-escalation", { severity: "warning", meaning: "The statement lets users widen their own rights." }],
  ]);

/** Errors keep a policy from being stored. */
export type Severity = "error" | "warning";

/** One finding, placed in its file. */
export interface Finding extends Problem {
  readonly rule: LintRule;
  readonly severity: Severity;
  /** Name of the policy, where it is about one. */
  readonly policy?: string;
}

/** Settings of the checks. */
export interface LintOptions {
  readonly vocabulary: Vocabulary;
  /** Services that actions may name, those of the catalog among them. */
  readonly services: ReadonlySet<string>;
  readonly limits?: Partial<PolicyLimits>;
}

/** The services that resource types declare. */
export function servicesOf(types: readonly ResourceType[], partition: string): Set<string> {
  const services = new Set<string>();
  for (const { arn, actions } of types) {
    const parsed = parseArn(arn, partition);
    if (parsed !== undefined) services.add(parsed.service);
    for (const action of Object.values(actions)) services.add(action.split(":")[0] as string);
  }
  return services;
}

type Unplaced = Omit<Finding, "file" | "line" | "column">;

function finding(rule: LintRule, pointer: string, message: string, policy?: string): Unplaced {
  const severity = LINT_RULES.get(rule)?.severity ?? "error";
  return { rule, severity, pointer, message, ...(policy === undefined ? {} : { policy }) };
}

function policyFindings(policy: FoundPolicy, options: LintOptions): Unplaced[] {
  const { vocabulary, services, limits } = options;
  const { partition } = vocabulary;
  const rules = {
    partition,
    services,
    guards: "strict",
    ...(limits === undefined ? {} : { limits }),
  } as const;
  const guards = policyProblems(policy, rules).filter(({ pointer }) => policy.named || pointer !== "/name");
  const findings = (rule: LintRule, problems: readonly Problem[]): Unplaced[] =>
    problems.map(({ pointer, message }) => finding(rule, policy.pointer + pointer, message, policy.name));
  return [
    ...findings("guard", guards),
    ...findings("doubtful", policyWarnings(policy, vocabulary)),
    ...findings("self-escalation", selfEscalations(policy, partition)),
  ];
}

function repeatedNames(policies: readonly FoundPolicy[]): Unplaced[] {
  const seen = new Set<string>();
  return policies.flatMap(({ name, named, pointer }) => {
    const repeated = named && seen.has(name);
    seen.add(name);
    return repeated
      ? [finding("guard", `${pointer}/name`, "another policy of this file has the same name", name)]
      : [];
  });
}

/** The pointer of the statement that a pointer lies in. */
function statementPointer(pointer: string): string {
  return /^.*?\/statement\/\d+/.exec(pointer)?.[0] ?? "";
}

/** All findings in one document, in the order of their places. */
export function lintDocument(document: PolicyDocument, options: LintOptions): Finding[] {
  const { source, policies, problems, unreadable } = document;
  const found = [
    ...problems.map(({ pointer, message }) => finding("form", pointer, message)),
    ...policies
      .flatMap((policy) => policyFindings(policy, options))
      .filter(({ pointer }) => !unreadable.has(statementPointer(pointer))),
    ...repeatedNames(policies),
  ];
  if (found.length === 0) return [];
  const places = source.locate(found.map(({ pointer }) => pointer));
  return found
    .map((one) => ({ ...one, file: source.file, ...places.get(one.pointer) }))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

/** Checks policies for errors that a write refuses, and for what is valid but almost certainly a mistake. */

import type { Problem } from "../../errors.ts";
import { type PolicyLimits, policyProblems } from "../../model/policy-validation.ts";
import { type PolicyWarning, policyWarnings, type Vocabulary } from "../../model/policy-warnings.ts";
import { questionJudge, withDeclaredTypes } from "../../model/question-judge.ts";
import type { ResourceType } from "../../model/resource-type.ts";
import { servicesOf as servicesOfType } from "../../model/template.ts";
import { selfEscalations } from "../escalation/self-escalation.ts";
import type { FoundPolicy, PolicyDocument } from "../files/policy-documents.ts";
import { applyAcceptances } from "./acceptance.ts";
import { LINT_RULES, type LintRule, type Severity } from "./lint-rules.ts";
import { awsPolicyProblem, isAwsPolicy, meantAction } from "./other-systems.ts";
import { overlaps } from "./overlap.ts";

/** One finding, placed in its file. */
export interface Finding extends Problem {
  readonly rule: LintRule;
  readonly severity: Severity;
  /** Name of the policy, where it is about one. */
  readonly policy?: string;
  /** The text to write at the pointer instead. */
  readonly instead?: string;
}

/** A finding that somebody accepted, with the reason. */
export interface AcceptedFinding extends Finding {
  readonly reason: string;
}

/** Everything that was found in one document. */
interface LintResult {
  readonly findings: readonly Finding[];
  readonly accepted: readonly AcceptedFinding[];
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
  return new Set(types.flatMap((type) => [...servicesOfType(type, partition)]));
}

type Unplaced = Omit<Finding, "file" | "line" | "column">;

/** A finding of a rule. */
export function findingOf(rule: LintRule, { pointer, message }: Problem, policy?: string): Unplaced {
  const severity = LINT_RULES.get(rule)?.severity ?? "error";
  return { rule, severity, pointer, message, ...(policy === undefined ? {} : { policy }) };
}

/** The finding of a text that the service refuses, with the right text where that is plain. */
function guardFinding(policy: FoundPolicy, problem: Problem, vocabulary: Vocabulary): Unplaced {
  const finding = findingOf("guard", { ...problem, pointer: policy.pointer + problem.pointer }, policy.name);
  const [, statement, field, action] =
    /^\/statement\/(\d+)\/(effect|action)(?:\/(\d+))?$/.exec(problem.pointer) ?? [];
  const written = policy.statement[Number(statement)];
  if (written === undefined) return finding;
  if (field === "effect") {
    const lower = written.effect.trim().toLowerCase();
    return lower === "allow" || lower === "deny" ? { ...finding, instead: lower } : finding;
  }
  const instead = meantAction(written.action[Number(action)] ?? "", vocabulary);
  if (action === undefined) return finding;
  if (instead !== undefined)
    return { ...finding, instead, message: `${finding.message} (did you mean ${instead}?)` };
  const asked = { action: written.action[Number(action)] as string, resource: written.resource };
  const doubt = questionJudge(vocabulary)
    .doubts(asked)
    .find(({ part, meant }) => part === "action" && meant.length > 0);
  if (doubt === undefined) return finding;
  return {
    ...finding,
    message: `${finding.message} (did you mean ${doubt.meant.join(" or ")}?)`,
    ...(doubt.meant.length === 1 && { instead: doubt.meant[0] as string }),
  };
}

/** The finding of a warning; an unknown action without a near name has what the judge of questions takes it for. */
function warningFinding(
  policy: FoundPolicy,
  { rule, instead, ...problem }: PolicyWarning,
  placed: (rule: LintRule, problem: Problem) => Unplaced,
  vocabulary: Vocabulary,
): Unplaced {
  if (instead !== undefined) return { ...placed(rule, problem), instead };
  const [, statement, place] = /^\/statement\/(\d+)\/action\/(\d+)$/.exec(problem.pointer) ?? [];
  const action = policy.statement[Number(statement)]?.action[Number(place)];
  if (rule !== "unknown-action" || action === undefined) return placed(rule, problem);
  const [doubt] = questionJudge(vocabulary).doubts({ action });
  const meant = doubt?.meant[0];
  if (meant === undefined) return placed(rule, problem);
  const message = `${problem.message} (did you mean ${doubt?.meant.join(" or ")}?)`;
  return { ...placed(rule, { ...problem, message }), instead: meant };
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
  const placed = (rule: LintRule, problem: Problem): Unplaced =>
    findingOf(rule, { ...problem, pointer: policy.pointer + problem.pointer }, policy.name);
  return [
    ...guards.map((problem) => guardFinding(policy, problem, vocabulary)),
    ...policyWarnings(policy, vocabulary).map((warning) =>
      warningFinding(policy, warning, placed, vocabulary),
    ),
    ...selfEscalations(policy, partition).map((problem) => placed("self-escalation", problem)),
    ...(guards.length > 0 ? [] : overlaps(policy, partition)).map(({ rule, statement, message }) =>
      placed(rule, { pointer: `/statement/${statement}`, message }),
    ),
  ];
}

function repeatedNames(policies: readonly FoundPolicy[]): Unplaced[] {
  const seen = new Set<string>();
  return policies.flatMap(({ name, named, pointer }) => {
    const repeated = named && seen.has(name);
    seen.add(name);
    const message = "another policy of this file has the same name";
    return repeated ? [findingOf("guard", { pointer: `${pointer}/name`, message }, name)] : [];
  });
}

/** The pointer of the statement that a pointer lies in. */
function statementPointer(pointer: string): string {
  return /^.*?\/statement\/\d+/.exec(pointer)?.[0] ?? "";
}

/** The findings in one document that nobody accepted, in the order of their places. */
export function lintDocument(document: PolicyDocument, options: LintOptions): Finding[] {
  return [...lintWhole(document, options).findings];
}

/**
 * All findings in one document, in the order of their places.
 * @param more findings of other checks about the same document, with pointers into it
 */
export function lintWhole(
  document: PolicyDocument,
  options: LintOptions,
  more: readonly Unplaced[] = [],
): LintResult {
  const { source, policies, problems, unreadable, resourceTypes } = document;
  const vocabulary =
    resourceTypes.length === 0 ? options.vocabulary : withDeclaredTypes(options.vocabulary, resourceTypes);
  const judged = policies.map((policy) => {
    const found = policyFindings(policy, { ...options, vocabulary });
    const readable = found.filter(({ pointer }) => !unreadable.has(statementPointer(pointer)));
    return { name: policy.name, ...applyAcceptances(policy, readable) };
  });
  const findings = [
    ...(isAwsPolicy(source.value) ? [findingOf("aws-policy", awsPolicyProblem(source.value))] : []),
    ...problems.map((problem) => findingOf("form", problem)),
    ...judged.flatMap(({ name, left, problems: faults }) => [
      ...left,
      ...faults.map(({ rule, ...problem }) => findingOf(rule, problem, name)),
    ]),
    ...repeatedNames(policies),
    ...more,
  ];
  const accepted = judged.flatMap((one) => one.accepted);
  return { findings: placedIn(source, findings), accepted: placedIn(source, accepted) };
}

function placedIn<T extends Unplaced>(source: PolicyDocument["source"], found: readonly T[]) {
  if (found.length === 0) return [];
  const places = source.locate(found.map(({ pointer }) => pointer));
  return found
    .map((one) => ({ ...one, file: source.file, ...places.get(one.pointer) }))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

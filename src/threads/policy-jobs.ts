/** The jobs of the thread that checks and compares policies for people who edit them. */

import { accessDifference } from "@svc-authorizer/policy/analysis/difference/access-difference.ts";
import type { AccessDifference } from "@svc-authorizer/policy/analysis/difference/line.ts";
import { type PolicyDocument, readPolicies } from "@svc-authorizer/policy/analysis/files/policy-documents.ts";
import { type Finding, type LintOptions, lintDocument } from "@svc-authorizer/policy/analysis/lint/lint.ts";
import type { NamedStatements, Policy } from "@svc-authorizer/policy/model/policy.ts";
import type { PolicyLimits } from "@svc-authorizer/policy/model/policy-validation.ts";
import { parseJson } from "@svc-authorizer/policy/source-files/json-source.ts";
import type { DocumentSource } from "@svc-authorizer/policy/source-files/source.ts";

/** A document to be checked. */
interface LintJob {
  readonly kind: "lint";
  /** A JSON text, whose places the findings name; else a parsed document. */
  readonly document: unknown;
  /** Name of the policy if the document has none. */
  readonly name: string;
  /** Services that actions may name. */
  readonly services: readonly string[];
  readonly limits: Partial<PolicyLimits>;
}

/** The findings of a document, in the order of their places. */
interface LintResult {
  readonly findings: readonly Finding[];
  /** True if there are more findings than are listed. */
  readonly more: boolean;
}

/** A document that is to be one valid policy. */
type ReadJob = Omit<LintJob, "kind"> & { readonly kind: "read" };

/** The policy of a document, or what keeps it from being one. */
type ReadResult =
  | { readonly policy: NamedStatements }
  | { readonly errors: readonly Pick<Finding, "pointer" | "message">[] };

/** Two sets of policies to be compared. */
interface CompareJob {
  readonly kind: "compare";
  readonly before: readonly NamedStatements[];
  readonly after: readonly NamedStatements[];
  /** The user that the policies are in force for; absent: any user. */
  readonly user?: string;
  /** The user of examples, where the policies are in force for any user. */
  readonly exampleUser?: string;
  /** Most lines in each direction. */
  readonly limit: number;
  /** Milliseconds of CPU after which the comparison ends with what it has. */
  readonly cpuMs: number;
}

/** A difference, and the milliseconds of CPU that it took. */
interface CompareResult extends AccessDifference {
  readonly usedMs: number;
}

/** Policies to be looked at for warnings. */
interface DoubtsJob {
  readonly kind: "doubts";
  readonly policies: readonly (NamedStatements & Pick<Policy, "accept">)[];
  readonly services: readonly string[];
}

/** The number of warnings of a policy, and the first of them. */
export interface Doubt {
  readonly policy: string;
  readonly warnings: number;
  readonly message: string;
}

/** A job of the thread. */
export type PolicyJob = LintJob | ReadJob | CompareJob | DoubtsJob;

/** The result of each kind of job. */
export interface PolicyResults {
  readonly lint: LintResult;
  readonly read: ReadResult;
  readonly compare: CompareResult;
  readonly doubts: readonly Doubt[];
}

/** Most findings of a document. */
const MOST_FINDINGS = 200;
/** Findings name lines, not files: there is one document. */
const NO_FILE = "";

type Vocabulary = LintOptions["vocabulary"];

/** Does a job. */
export function runPolicyJob(job: PolicyJob, vocabulary: Vocabulary): PolicyResults[PolicyJob["kind"]] {
  if (job.kind === "lint") return lint(job, vocabulary);
  if (job.kind === "read") return read(job, vocabulary);
  if (job.kind === "doubts") return doubts(job, vocabulary);
  const { before, after, cpuMs, kind: _, ...rest } = job;
  const { partition } = vocabulary;
  const began = process.threadCpuUsage();
  const found = accessDifference(before, after, { partition, vocabulary, patience: cpuMs, ...rest });
  const { user, system } = process.threadCpuUsage(began);
  return { ...found, usedMs: (user + system) / 1_000 };
}

function read(job: ReadJob, vocabulary: Vocabulary): ReadResult {
  const { findings } = lint({ ...job, kind: "lint" }, vocabulary);
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length > 0) return { errors };
  const source = sourceOf(job.document) as DocumentSource;
  const [policy, ...others] = readPolicies(source, job.name).policies;
  if (policy === undefined || others.length > 0) {
    return { errors: [{ pointer: "", message: "must be one policy: an object with statement" }] };
  }
  return { policy: { name: policy.name, statement: policy.statement } };
}

function lint({ document, name, services, limits }: LintJob, vocabulary: Vocabulary): LintResult {
  const source = sourceOf(document);
  if (!("value" in source)) return { findings: source.findings, more: false };
  const found = lintDocument(readPolicies(source, name), { vocabulary, services: new Set(services), limits });
  return { findings: found.slice(0, MOST_FINDINGS), more: found.length > MOST_FINDINGS };
}

function sourceOf(document: unknown): DocumentSource | { readonly findings: readonly Finding[] } {
  if (typeof document !== "string") return { file: NO_FILE, value: document, locate: () => new Map() };
  const parsed = parseJson(document);
  if ("value" in parsed) return { file: NO_FILE, ...parsed };
  const findings = parsed.faults.slice(0, MOST_FINDINGS).map(
    ({ pointer, message, position }): Finding => ({
      rule: "syntax",
      severity: "error",
      pointer,
      message,
      ...position,
    }),
  );
  return { findings };
}

function doubts({ policies, services }: DoubtsJob, vocabulary: Vocabulary): readonly Doubt[] {
  const options = { vocabulary, services: new Set(services) };
  return policies.flatMap(({ name, statement, accept }) => {
    const document: PolicyDocument = {
      source: { file: NO_FILE, value: undefined, locate: () => new Map() },
      policies: [{ name, statement, pointer: "", named: true, ...(accept !== undefined && { accept }) }],
      resourceTypes: [],
      problems: [],
      unreadable: new Set(),
    };
    const found = lintDocument(document, options).filter(({ severity }) => severity === "warning");
    const [first] = found;
    return first === undefined ? [] : [{ policy: name, warnings: found.length, message: first.message }];
  });
}

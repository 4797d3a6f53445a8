/** Writes what lint found: for people, as JSON, as SARIF, as annotations of GitHub. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { AcceptedFinding, Finding } from "@svc-authorizer/policy/analysis/lint/lint.ts";
import type { Severity } from "@svc-authorizer/policy/analysis/lint/lint-rules.ts";
import { jsonText } from "../output/json-text.ts";
import type { Style } from "../style.ts";
import { githubAnnotations } from "./github-annotations.ts";
import { countOf, placeText } from "./placed-text.ts";
import { sarifOf } from "./sarif.ts";

/** A format of the report. */
export const LINT_FORMATS = ["text", "json", "sarif", "github"] as const;

/** One of {@link LINT_FORMATS}. */
export type LintFormat = (typeof LINT_FORMATS)[number];

/** Everything that a run found. */
interface LintReport {
  readonly findings: readonly Finding[];
  readonly accepted: readonly AcceptedFinding[];
  /** Findings that `--allow` left out. */
  readonly allowed: number;
  readonly files: number;
  /** Files of folders that have no policies. */
  readonly others: number;
}

/** The number of findings of a level. */
export function countLevel(findings: readonly Finding[], level: Severity): number {
  return findings.filter(({ severity }) => severity === level).length;
}

/** The report in a format. */
export function lintReport(report: LintReport, format: LintFormat, style: Style, version: string): string {
  const { findings, accepted, allowed, files, others } = report;
  if (format === "sarif") return jsonText(sarifOf(findings, accepted, version));
  if (format === "github") return githubAnnotations(findings) + summaryOf(report);
  if (format === "text") return findings.map((one) => lineOf(one, style)).join("") + summaryOf(report);
  const counts = {
    errors: countLevel(findings, "error"),
    warnings: countLevel(findings, "warning"),
    notes: countLevel(findings, "note"),
    allowed,
    files,
    others,
  };
  return jsonText({ ...counts, findings, accepted });
}

function lineOf(finding: Finding, style: Style): string {
  const { severity, rule, message, pointer, policy } = finding;
  const paint = { error: style.red, warning: style.yellow, note: style.blue }[severity];
  const about = policy === undefined ? pointer : `${policy}${pointer === "" ? "" : ` at ${pointer}`}`;
  const place = style.bold(placeText(finding));
  const subject = about === "" ? "" : `${safeText(about)}: `;
  return `${place}: ${paint(severity)} [${rule}] ${subject}${safeText(message)}\n`;
}

function summaryOf({ findings, accepted, allowed, files, others }: LintReport): string {
  const notes = countLevel(findings, "note");
  const counts = [
    countOf(countLevel(findings, "error"), "error"),
    countOf(countLevel(findings, "warning"), "warning"),
    ...(notes === 0 ? [] : [countOf(notes, "note")]),
    ...(accepted.length === 0 ? [] : [`${accepted.length} accepted`]),
    ...(allowed === 0 ? [] : [`${allowed} allowed by --allow`]),
  ];
  const passed = others === 0 ? "" : `; ${countOf(others, "file")} without policies`;
  return `${counts.join(", ")} in ${countOf(files, "file")}${passed}\n`;
}

/** The results of policy tests as text. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { CaseFailure, CaseResult } from "@svc-authorizer/policy/analysis/files/run-tests.ts";
import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import { explanationText } from "../auth/explanation-text.ts";
import { gridText, plainRows } from "../output/table.ts";
import type { Style } from "../style.ts";
import { countOf, placeText } from "./placed-text.ts";
import type { StatementCoverage, SuiteResult, TestRun } from "./test-suites.ts";

/** Percentage of statements that decided at least one request; 100 if there are no statements. */
export function coveredPercent(coverage: readonly StatementCoverage[]): number {
  if (coverage.length === 0) return 100;
  return (coverage.filter(({ hits }) => hits > 0).length / coverage.length) * 100;
}

/** Number of cases and files that failed. */
export function failuresOf({ suites }: TestRun): number {
  return suites.reduce(
    (sum, { results, problems }) =>
      sum + results.filter(({ passed }) => !passed).length + (problems.length > 0 ? 1 : 0),
    0,
  );
}

/** Required permissions as one line. */
export function requiredText(required: RequiredPermissions): string {
  return "action" in required ? `${required.action} on ${required.resource}` : JSON.stringify(required);
}

function failureLines({ message, request, explanation }: CaseFailure, style: Style): string[] {
  const asked = request === undefined ? [] : [`${request.user}: ${requiredText(request.required)}`];
  const reasons = explanation === undefined ? [] : explanationText({ ...explanation }, style);
  return [style.red(safeText(message)), ...asked.map(safeText), ...reasons].map((line) => `    ${line}`);
}

function caseLines({ case: test, passed, failures }: CaseResult, file: string, style: Style): string[] {
  const name = safeText(test.name);
  if (passed) return [`  ${style.green("✓")} ${name}`];
  const place = placeText({ file, pointer: test.pointer, message: "", ...test.position });
  return [`  ${style.red("✗")} ${name} (${place})`, ...failures.flatMap((one) => failureLines(one, style))];
}

function suiteLines({ file, results, problems }: SuiteResult, style: Style): string[] {
  return [
    style.bold(safeText(file)),
    ...problems.map((one) => {
      const pointer = one.pointer === "" ? "" : `${safeText(one.pointer)}: `;
      return `  ${style.red("✗")} ${placeText(one)}: ${pointer}${safeText(one.message)}`;
    }),
    ...results.flatMap((result) => caseLines(result, file, style)),
  ];
}

function coverageLines(coverage: readonly StatementCoverage[], all: boolean, terminal: boolean): string[] {
  const shown = all ? coverage : coverage.filter(({ hits }) => hits === 0);
  if (shown.length === 0) return [];
  const rows = shown.map(({ file, line, policy, statement, sid, hits }) => [
    line === undefined ? file : `${file}:${line}`,
    policy,
    terminal && sid !== undefined ? `${statement} ${safeText(sid)}` : statement,
    hits,
  ]);
  const text = terminal ? gridText(["Place", "Policy", "Statement", "Decided"], rows) : plainRows(rows);
  return [all ? "Decisions of each statement:" : "Statements that no case shows at work:", text.trimEnd()];
}

/** The whole report. */
export function reportText(
  run: TestRun,
  { coverage: all, terminal, style }: { coverage: boolean; terminal: boolean; style: Style },
): string {
  const cases = run.suites.flatMap(({ results }) => results);
  const failed = failuresOf(run);
  const passed = cases.filter((result) => result.passed).length;
  const covered = run.coverage.filter(({ hits }) => hits > 0).length;
  const percent = Math.floor(coveredPercent(run.coverage));
  const lines = [
    ...run.suites.flatMap((suite) => suiteLines(suite, style)),
    "",
    ...coverageLines(run.coverage, all, terminal),
    `${passed} passed, ${failed > 0 ? style.red(`${failed} failed`) : "0 failed"} in ${countOf(run.suites.length, "file")}`,
    `${covered} of ${countOf(run.coverage.length, "statement")} covered (${percent} %)`,
  ];
  return `${lines.join("\n")}\n`;
}

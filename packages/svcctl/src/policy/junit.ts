/** Policy tests in the JUnit form that CI services read. */

import type { CaseResult } from "@svc-authorizer/policy/analysis/files/run-tests.ts";
import XMLBuilder from "fast-xml-builder";
import { requiredText } from "./test-report.ts";
import type { SuiteResult, TestRun } from "./test-suites.ts";

/** Characters that XML 1.0 cannot hold, not even escaped, or should not. */
const UNWRITABLE = /(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu;

function xmlText(text: string): string {
  return text.toWellFormed().replace(UNWRITABLE, "\ufffd");
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

function testCase(file: string, { case: test, failures, milliseconds }: CaseResult): object {
  const failure = failures.map(({ message, request }) => ({
    "@_message": xmlText(message),
    "#text": xmlText(request === undefined ? message : `${request.user}: ${requiredText(request.required)}`),
  }));
  return {
    "@_name": xmlText(test.name),
    "@_classname": xmlText(file),
    "@_file": xmlText(file),
    ...(test.position === undefined ? {} : { "@_line": test.position.line }),
    "@_time": seconds(milliseconds),
    ...(failure.length === 0 ? {} : { failure }),
  };
}

function testSuite({ file, results, problems, milliseconds }: SuiteResult): object {
  const unread = problems.map(({ message, pointer }) => ({
    "@_name": xmlText(`${file} can be run`),
    "@_classname": xmlText(file),
    error: { "@_message": xmlText(message), "#text": xmlText(`${pointer} ${message}`.trim()) },
  }));
  return {
    "@_name": xmlText(file),
    "@_tests": results.length + unread.length,
    "@_failures": results.filter(({ passed }) => !passed).length,
    "@_errors": unread.length,
    "@_time": seconds(milliseconds),
    testcase: [...results.map((result) => testCase(file, result)), ...unread],
  };
}

/** The report as an XML document. */
export function junitOf({ suites }: TestRun): string {
  const builder = new XMLBuilder({ ignoreAttributes: false, format: true, suppressEmptyNode: true });
  return builder.build({
    "?xml": { "@_version": "1.0", "@_encoding": "UTF-8" },
    testsuites: { "@_name": "svcctl policy test", testsuite: suites.map(testSuite) },
  });
}

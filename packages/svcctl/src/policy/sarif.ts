/** Writes findings as SARIF 2.1.0 (OASIS Standard, 27 March 2020), which code scanning services read. */

import type { AcceptedFinding, Finding } from "@svc-authorizer/policy/analysis/lint/lint.ts";
import { LINT_RULES } from "@svc-authorizer/policy/analysis/lint/lint-rules.ts";

/** The page with a section for each rule. */
export const PAGE = "https://github.com/svc-authorizer/svc-authorizer/blob/main/docs/lint-rules.md";
const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** A path as a relative URI reference: everything except the separators is percent-encoded. */
function uriOf(file: string): string {
  return file.split(/[\\/]/).map(encodeURIComponent).join("/");
}

function resultOf({ rule, severity, message, pointer, policy, file, line, column }: Finding): object {
  const region =
    line === undefined ? {} : { region: { startLine: line, ...(column && { startColumn: column }) } };
  const logical = {
    fullyQualifiedName: pointer,
    kind: "member",
    ...(policy !== undefined && { name: policy }),
  };
  return {
    ruleId: rule,
    ruleIndex: [...LINT_RULES.keys()].indexOf(rule),
    level: severity,
    message: { text: policy === undefined ? message : `${policy}: ${message}` },
    locations: [
      {
        ...(file === undefined
          ? {}
          : { physicalLocation: { artifactLocation: { uri: uriOf(file) }, ...region } }),
        logicalLocations: [logical],
      },
    ],
  };
}

/** A finding that somebody accepted: scanners show it as dismissed, with the reason. */
function suppressed(finding: AcceptedFinding): object {
  const suppressions = [{ kind: "inSource", status: "accepted", justification: finding.reason }];
  return { ...resultOf(finding), suppressions };
}

/** The log of one run. */
export function sarifOf(
  findings: readonly Finding[],
  accepted: readonly AcceptedFinding[],
  version: string,
): object {
  const rules = [...LINT_RULES].map(([id, { severity, meaning }]) => ({
    id,
    shortDescription: { text: meaning },
    helpUri: `${PAGE}#${id}`,
    defaultConfiguration: { level: severity },
  }));
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "svcctl policy lint", semanticVersion: version, rules } },
        columnKind: "utf16CodeUnits",
        results: [...findings.map(resultOf), ...accepted.map(suppressed)],
      },
    ],
  };
}

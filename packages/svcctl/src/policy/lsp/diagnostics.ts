/** The findings of `policy lint` as diagnostics of the language server protocol. */

import {
  type PolicyDocument,
  readPolicies,
  readsAsPolicies,
} from "@svc-authorizer/policy/analysis/files/policy-documents.ts";
import { datasetProblems, isDataset } from "@svc-authorizer/policy/analysis/lint/dataset-findings.ts";
import { type Finding, findingOf, lintWhole, servicesOf } from "@svc-authorizer/policy/analysis/lint/lint.ts";
import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import type { Problem } from "@svc-authorizer/policy/errors.ts";
import type { Vocabulary } from "@svc-authorizer/policy/model/policy-warnings.ts";
import { withDeclaredTypes } from "@svc-authorizer/policy/model/question-judge.ts";
import { parseDocument } from "@svc-authorizer/policy/source-files/read-document.ts";
import { type Diagnostic, DiagnosticSeverity } from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { PAGE } from "../sarif.ts";

/** Checks a document; nothing for one that is neither a policy nor a data set. */
export function diagnosticsOf(document: TextDocument, catalog: Catalog): Diagnostic[] {
  const text = document.getText();
  const file = fileOf(document);
  const read = parseDocument(file, text);
  if ("problems" in read) {
    if (!/["']?\bstatement\b["']?\s*:/.test(text)) return [];
    return read.problems.map((problem) =>
      diagnostic(document, { ...problem, rule: "syntax", severity: "error" }),
    );
  }
  // Other JSON and YAML files stay without findings.
  if (!readsAsPolicies(read)) return [];
  const found = readPolicies(read.source, file.replace(/\.\w+$/, ""));
  const services = new Set([...catalog.services, ...servicesOf(found.resourceTypes, catalog.partition)]);
  // Names that other files may define are no findings in one of them.
  const more = isDataset(found) ? formProblems(found, catalog) : [];
  return lintWhole(found, { vocabulary: catalog, services }, more).findings.map((one) =>
    diagnostic(document, one),
  );
}

/** The actions and resource types that are known in a document: those of the catalog, and those it declares. */
export function vocabularyOf(document: TextDocument, catalog: Catalog): Vocabulary {
  const read = parseDocument(fileOf(document), document.getText());
  if ("problems" in read || !readsAsPolicies(read)) return catalog;
  const { resourceTypes } = readPolicies(read.source, "");
  return resourceTypes.length === 0 ? catalog : withDeclaredTypes(catalog, resourceTypes);
}

function fileOf({ uri }: TextDocument): string {
  return decodeURIComponent(uri.split("/").at(-1) ?? "");
}

function formProblems(document: PolicyDocument, catalog: Catalog) {
  const nobody = { groups: new Set<string>(), policies: new Set<string>() };
  return datasetProblems(document, catalog.schema("dataset"), nobody)
    .filter(({ rule }) => rule === "form")
    .map((problem) => findingOf("form", problem));
}

const LEVELS = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  note: DiagnosticSeverity.Information,
} as const;

function diagnostic(
  document: TextDocument,
  finding: Finding | (Problem & Pick<Finding, "rule" | "severity">),
): Diagnostic {
  const start = { line: (finding.line ?? 1) - 1, character: (finding.column ?? 1) - 1 };
  const offset = document.offsetAt(start);
  return {
    range: { start, end: document.positionAt(offset + lengthOf(document.getText().slice(offset))) },
    severity: LEVELS[finding.severity],
    source: "svcctl",
    code: finding.rule,
    codeDescription: { href: `${PAGE}#${finding.rule}` },
    message: finding.message,
    ...("instead" in finding && finding.instead !== undefined && { data: { instead: finding.instead } }),
  };
}

/** A text to its closing quote, anything else to the end of its word. */
function lengthOf(rest: string): number {
  const quoted = /^"(?:[^"\\\n]|\\.)*"/.exec(rest) ?? /^'[^'\n]*'/.exec(rest);
  return (quoted ?? /^[^\s,\]}]*/.exec(rest))?.[0].length ?? 0;
}

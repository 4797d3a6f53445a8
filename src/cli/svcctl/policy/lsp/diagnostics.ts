/** The findings of `policy lint` as diagnostics of the language server protocol. */

import { type Diagnostic, DiagnosticSeverity } from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { isObject, readPolicies } from "../../../../analysis/files/policy-documents.ts";
import { type Finding, lintDocument, servicesOf } from "../../../../analysis/lint.ts";
import type { Catalog } from "../../../../catalog/catalog.ts";
import type { Problem } from "../../../../errors.ts";
import { parseDocument } from "../../../../source-files/read-document.ts";

const PAGE = "https://github.com/svc-authorizer/svc-authorizer/blob/main/docs/policy-work.md";

/** Checks a document; nothing for one that is neither a policy nor a data set. */
export function diagnosticsOf(document: TextDocument, catalog: Catalog): Diagnostic[] {
  const text = document.getText();
  const file = decodeURIComponent(document.uri.split("/").at(-1) ?? "");
  const read = parseDocument(file, text);
  if ("problems" in read) {
    if (!/["']?\bstatement\b["']?\s*:/.test(text)) return [];
    return read.problems.map((problem) =>
      diagnostic(document, { ...problem, rule: "syntax", severity: "error" }),
    );
  }
  if (!holdsPolicies(read.source.value)) return [];
  const found = readPolicies(read.source, file.replace(/\.\w+$/, ""));
  const services = new Set([...catalog.services, ...servicesOf(found.resourceTypes, catalog.partition)]);
  return lintDocument(found, { vocabulary: catalog, services }).map((one) => diagnostic(document, one));
}

/** Other JSON and YAML files stay without findings. */
function holdsPolicies(value: unknown): boolean {
  const first = Array.isArray(value) ? value[0] : value;
  if (!isObject(first)) return false;
  return "statement" in first || ("format" in first && ("policies" in first || "users" in first));
}

function diagnostic(
  document: TextDocument,
  finding: Finding | (Problem & Pick<Finding, "rule" | "severity">),
): Diagnostic {
  const start = { line: (finding.line ?? 1) - 1, character: (finding.column ?? 1) - 1 };
  const offset = document.offsetAt(start);
  return {
    range: { start, end: document.positionAt(offset + lengthOf(document.getText().slice(offset))) },
    severity: finding.severity === "error" ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    source: "svcctl",
    code: finding.rule,
    codeDescription: { href: PAGE },
    message: finding.message,
  };
}

/** A text to its closing quote, anything else to the end of its word. */
function lengthOf(rest: string): number {
  const quoted = /^"(?:[^"\\\n]|\\.)*"/.exec(rest) ?? /^'[^'\n]*'/.exec(rest);
  return (quoted ?? /^[^\s,\]}]*/.exec(rest))?.[0].length ?? 0;
}

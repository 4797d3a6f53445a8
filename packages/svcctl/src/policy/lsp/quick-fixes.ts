/** Quick fixes of the language server: the texts that a finding wants in place of its own. */

import type { Vocabulary } from "@svc-authorizer/policy/model/policy-warnings.ts";
import { questionJudge } from "@svc-authorizer/policy/model/question-judge.ts";
import { type CodeAction, CodeActionKind, type Diagnostic } from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";

/** Findings about one action, and about one resource, whose texts the judge of questions knows other ones for. */
const JUDGED: ReadonlyMap<string, "action" | "resource"> = new Map([
  ["unknown-action", "action"],
  ["unknown-resource", "resource"],
] as const);

/** Returns the fixes of each diagnostic that knows what to write instead, the likeliest first. */
export function quickFixes(
  document: TextDocument,
  diagnostics: readonly Diagnostic[],
  vocabulary: Vocabulary,
): CodeAction[] {
  return diagnostics.flatMap((diagnostic) => {
    const { instead } = (diagnostic.data ?? {}) as { instead?: unknown };
    const written = document.getText(diagnostic.range);
    const first = typeof instead === "string" ? [instead] : [];
    const texts = new Set([...first, ...meantBy(String(diagnostic.code), written, vocabulary)]);
    return [...texts].map((text, index) => ({
      title: `Write ${text}`,
      kind: CodeActionKind.QuickFix,
      diagnostics: [diagnostic],
      isPreferred: index === 0,
      edit: {
        changes: { [document.uri]: [{ range: diagnostic.range, newText: quoted(text, written, document) }] },
      },
    }));
  });
}

function meantBy(rule: string, written: string, vocabulary: Vocabulary): readonly string[] {
  const part = JUDGED.get(rule);
  const text = /^(["']?)([^"']*)\1$/.exec(written)?.[2];
  if (part === undefined || text === undefined || text === "") return [];
  const doubts = questionJudge(vocabulary).doubts({ [part]: text });
  return doubts.flatMap((doubt) => (doubt.part === part ? doubt.meant : []));
}

/** The text with the quotes of what it replaces; a JSON array in YAML stands in single quotes. */
function quoted(text: string, written: string, document: TextDocument): string {
  const isJson = /^\s*[[{]/.test(document.getText());
  if (written.startsWith('"') || isJson) return JSON.stringify(text);
  if (written.startsWith("'") || /^[[\]{}*&!|>%@`"'#,?:-]|: | #/.test(text))
    return `'${text.replaceAll("'", "''")}'`;
  return text;
}

/** Quick fixes of the language server: the text that a finding wants in place of its own. */

import { type CodeAction, CodeActionKind, type Diagnostic } from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";

/** Returns one fix for each diagnostic that knows what to write instead. */
export function quickFixes(document: TextDocument, diagnostics: readonly Diagnostic[]): CodeAction[] {
  return diagnostics.flatMap((diagnostic) => {
    const { instead } = (diagnostic.data ?? {}) as { instead?: unknown };
    if (typeof instead !== "string") return [];
    const written = document.getText(diagnostic.range);
    const edit = { range: diagnostic.range, newText: quoted(instead, written, document) };
    return [
      {
        title: `Write ${instead}`,
        kind: CodeActionKind.QuickFix,
        diagnostics: [diagnostic],
        edit: { changes: { [document.uri]: [edit] } },
      },
    ];
  });
}

/** The text with the quotes of what it replaces; a JSON array in YAML stands in single quotes. */
function quoted(text: string, written: string, document: TextDocument): string {
  const isJson = /^\s*[[{]/.test(document.getText());
  if (written.startsWith('"') || isJson) return JSON.stringify(text);
  if (written.startsWith("'") || /^[[\]{}*&!|>%@`"'#,?:-]|: | #/.test(text))
    return `'${text.replaceAll("'", "''")}'`;
  return text;
}

/** `svcctl policy lsp`: a language server for policies and data sets, over standard input and output. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import {
  CodeActionKind,
  CompletionItemKind,
  createConnection,
  InsertTextFormat,
  MarkupKind,
  StreamMessageReader,
  StreamMessageWriter,
  TextDocumentSyncKind,
  TextDocuments,
} from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { CommandCall } from "../../command.ts";
import { suggestionsAt } from "./completion.ts";
import { cursorAt } from "./cursor.ts";
import { diagnosticsOf, vocabularyOf } from "./diagnostics.ts";
import { hoverAt } from "./hover.ts";
import { quickFixes } from "./quick-fixes.ts";

/** Milliseconds without a key press after which a document is checked. */
const SETTLED_MS = 150;
/** Larger documents are checked by `policy lint` and not at each key press. */
const LARGEST = 2 * 1024 * 1024;

/** Serves until the editor ends the conversation. */
export async function serveEditor({ context, options }: CommandCall): Promise<void> {
  const catalog = await openCatalog({ partition: textOption(options, "partition") ?? "svc" });
  const { stdin, stdout } = context.edge;
  const connection = createConnection(new StreamMessageReader(stdin), new StreamMessageWriter(stdout));
  const ended = new Promise<void>((resolve) => {
    connection.onExit(resolve);
    stdin.once("end", resolve);
  });
  connection.onInitialize(() => ({
    capabilities: {
      textDocumentSync: TextDocumentSyncKind.Incremental,
      completionProvider: { triggerCharacters: ['"', ":", " "] },
      hoverProvider: true,
      codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
    },
    serverInfo: { name: "svcctl policy lsp", version: context.version },
  }));
  const documents = new TextDocuments(TextDocument);
  serveDocuments(connection, documents, catalog);
  documents.listen(connection);
  connection.listen();
  await ended;
  connection.dispose();
}

function serveDocuments(
  connection: ReturnType<typeof createConnection>,
  documents: TextDocuments<TextDocument>,
  catalog: Catalog,
): void {
  const timers = new Map<string, NodeJS.Timeout>();
  const known = (document: TextDocument) =>
    document.getText().length > LARGEST ? catalog : vocabularyOf(document, catalog);
  const check = (document: TextDocument): void => {
    const diagnostics = document.getText().length > LARGEST ? [] : diagnosticsOf(document, catalog);
    void connection.sendDiagnostics({ uri: document.uri, version: document.version, diagnostics });
  };
  documents.onDidChangeContent(({ document }) => {
    clearTimeout(timers.get(document.uri));
    timers.set(
      document.uri,
      setTimeout(() => check(document), SETTLED_MS),
    );
  });
  documents.onDidClose(({ document: { uri } }) => {
    clearTimeout(timers.get(uri));
    timers.delete(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });
  connection.onCompletion(({ textDocument, position }) => {
    const document = documents.get(textDocument.uri);
    if (document === undefined) return [];
    const cursor = cursorAt(document.getText(), document.offsetAt(position));
    const range = {
      start: document.positionAt(cursor.word.start),
      end: document.positionAt(cursor.word.end),
    };
    return suggestionsAt(cursor, catalog).map(({ label, detail, snippet }) => ({
      label,
      detail,
      kind: cursor.isKey ? CompletionItemKind.Property : CompletionItemKind.Value,
      textEdit: { range, newText: snippet ?? label },
      ...(snippet !== undefined && { insertTextFormat: InsertTextFormat.Snippet }),
    }));
  });
  connection.onCodeAction(({ textDocument, context }) => {
    const document = documents.get(textDocument.uri);
    return document === undefined ? [] : quickFixes(document, context.diagnostics, known(document));
  });
  connection.onHover(({ textDocument, position }) => {
    const document = documents.get(textDocument.uri);
    if (document === undefined) return null;
    const cursor = cursorAt(document.getText(), document.offsetAt(position));
    const value = hoverAt(cursor, catalog, known(document));
    if (value === undefined) return null;
    const range = {
      start: document.positionAt(cursor.word.start),
      end: document.positionAt(cursor.word.end),
    };
    return { contents: { kind: MarkupKind.Markdown, value }, range };
  });
}

/** CodeMirror within a shadow root. */

import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import {
  bracketMatching,
  foldGutter,
  indentOnInput,
  syntaxHighlighting,
  syntaxTree,
} from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { unifiedMergeView } from "@codemirror/merge";
import { search, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  tooltips,
} from "@codemirror/view";
import { EDITOR_THEME, HIGHLIGHTS } from "./editor-theme.ts";
import { policyCompletion } from "./policy-completion.ts";

/** Marks changes that nobody typed. */
const fromOutside = Annotation.define<boolean>();

/** A fault in the text. */
export interface Finding {
  readonly severity: "error" | "warning" | "note";
  readonly message: string;
  /** Line and column of its beginning, from 1; absent: it is about the whole text. */
  readonly line?: number;
  readonly column?: number;
}

/** Options of {@link mountEditor}. */
interface EditorOptions {
  readonly label: string;
  readonly value: string;
  readonly isFixed: boolean;
  readonly onInput: (text: string) => void;
  readonly partition?: string;
}

/** A mounted editor. */
export interface EditorHandle {
  /** Replaces the text, unless it is this one. */
  setText(text: string): void;
  setFindings(findings: readonly Finding[]): void;
  /** Shows what is different from a text; undefined: nothing. */
  setOriginal(text: string | undefined): void;
  destroy(): void;
}

/** Shows an editor in a shadow root. Tab leaves it, so that the keyboard reaches what follows. */
export function mountEditor(root: ShadowRoot, options: EditorOptions): EditorHandle {
  const { label, value, isFixed, onInput, partition } = options;
  const difference = new Compartment();
  // Texts that were typed and reported: they come back as values, while the next letters are typed.
  const reported = new Set<string>();
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: value,
      extensions: [
        json(),
        lineNumbers(),
        bracketMatching(),
        drawSelection(),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
        syntaxHighlighting(HIGHLIGHTS),
        EDITOR_THEME,
        search({ top: true }),
        tooltips({ position: "absolute" }),
        difference.of([]),
        isFixed ? [EditorState.readOnly.of(true), keymap.of(searchKeymap)] : editing(partition),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged || update.transactions.some((one) => one.annotation(fromOutside))) return;
          const text = update.state.doc.toString();
          reported.add(text);
          onInput(text);
        }),
      ],
    }),
  });
  return {
    setText: (text) => {
      const { doc } = view.state;
      const isPresent = doc.toString() === text;
      if (!isPresent && reported.has(text)) return;
      reported.clear();
      if (isPresent) return;
      const changes = { from: 0, to: doc.length, insert: text };
      view.dispatch({ changes, annotations: fromOutside.of(true) });
    },
    setFindings: (findings) =>
      view.dispatch(
        setDiagnostics(
          view.state,
          findings.map((finding) => diagnosticOf(view.state, finding)),
        ),
      ),
    setOriginal: (text) => {
      const shown = text === undefined ? [] : unifiedMergeView({ original: text, mergeControls: false });
      view.dispatch({ effects: difference.reconfigure(shown) });
    },
    destroy: () => view.destroy(),
  };
}

function editing(partition: string | undefined): Extension {
  return [
    history(),
    foldGutter(),
    indentOnInput(),
    closeBrackets(),
    highlightActiveLine(),
    lintGutter(),
    EditorView.domEventHandlers({ beforeinput: type }),
    partition === undefined ? [] : autocompletion({ override: [policyCompletion(partition)], icons: false }),
    keymap.of([
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...defaultKeymap,
    ]),
  ];
}

/**
 * Types without the browser's own editing: Chromium gives what it types in place of a selection the looks of that
 * selection, as a style attribute, which the content policy refuses and reports.
 */
function type(event: InputEvent, view: EditorView): boolean {
  const { data, inputType } = event;
  if (inputType !== "insertText" || data === null || view.composing || view.state.readOnly) return false;
  const { from, to } = view.state.selection.main;
  const insert = () =>
    view.state.update(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
  const handlers = view.state.facet(EditorView.inputHandler);
  if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert());
  event.preventDefault();
  return true;
}

/** The value that begins at the place of a finding, marked as a whole. */
function diagnosticOf(state: EditorState, finding: Finding): Diagnostic {
  const { message, line, column = 1 } = finding;
  const severity = finding.severity === "note" ? "info" : finding.severity;
  if (line === undefined || line > state.doc.lines) return { from: 0, to: 0, severity, message };
  const start = state.doc.line(line);
  const from = Math.min(start.from + column - 1, start.to);
  const node = syntaxTree(state).resolveInner(from, 1);
  const to = node.from === from && node.to > from ? Math.min(node.to, start.to) : start.to;
  return { from, to: Math.max(from, to), severity, message };
}

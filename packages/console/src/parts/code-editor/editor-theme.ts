/** The looks of the editor: colours of the page, which reach into shadow roots as variables. */

import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** Colours of the parts of JSON. */
export const HIGHLIGHTS = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.string, color: "var(--text)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warn)" },
  { tag: [tags.brace, tags.squareBracket, tags.separator], color: "var(--text-quiet)" },
]);

/** Colours and sizes of the editor. */
export const EDITOR_THEME = EditorView.theme({
  "&": {
    color: "var(--text)",
    backgroundColor: "var(--page)",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--radius)",
    fontSize: "13px",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", maxHeight: "60vh", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)", minHeight: "120px" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": {
    color: "var(--text-quiet)",
    backgroundColor: "var(--raised)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent-soft) 45%, transparent)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)" },
  ".cm-tooltip": {
    color: "var(--text)",
    backgroundColor: "var(--page)",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--radius)",
    boxShadow: "var(--shadow)",
  },
  ".cm-tooltip-autocomplete > ul > li": { padding: "3px 8px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    color: "var(--text)",
    backgroundColor: "var(--accent-soft)",
  },
  ".cm-completionDetail": { color: "var(--text-quiet)", fontStyle: "normal", fontFamily: "var(--font)" },
  // The marks of CodeMirror are images within the style, which the content policy refuses.
  ".cm-lintRange": {
    backgroundImage: "none !important",
    textDecoration: "underline wavy 1px",
    textUnderlineOffset: "3px",
    textDecorationColor: "var(--text-quiet)",
  },
  ".cm-lintRange-error": { textDecorationColor: "var(--deny)" },
  ".cm-lintRange-warning": { textDecorationColor: "var(--warn)" },
  ".cm-lint-marker": {
    content: "none !important",
    borderRadius: "50%",
    width: "0.7em",
    height: "0.7em",
    margin: "0.35em 0 0 0.3em",
    backgroundColor: "var(--text-quiet)",
  },
  ".cm-lint-marker.cm-lint-marker-error": { backgroundColor: "var(--deny)" },
  ".cm-lint-marker.cm-lint-marker-warning": { backgroundColor: "var(--warn)" },
  ".cm-diagnostic": { fontFamily: "var(--font)", padding: "4px 8px" },
  ".cm-panels": { color: "var(--text)", backgroundColor: "var(--raised)" },
  ".cm-changedLine": { backgroundColor: "color-mix(in srgb, var(--allow) 14%, transparent) !important" },
  ".cm-deletedChunk": { backgroundColor: "color-mix(in srgb, var(--deny) 14%, transparent)" },
  ".cm-changedText": { background: "color-mix(in srgb, var(--allow) 30%, transparent) !important" },
  ".cm-deletedText": { background: "color-mix(in srgb, var(--deny) 30%, transparent) !important" },
});

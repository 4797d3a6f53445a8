import type { Rooms } from "../../test/house/row.ts";

/** The room of `packages/console`: the browser application calls the management API alone, as anybody could. */
export const CONSOLE_ROOMS: Rooms = {
  console: {
    may: ["policy/revision", "policy/decimal.ts", "policy/model/truth-values.ts"],
    types: ["contract"],
  },
};

/** All packages that it may know; a bundler builds it, and nobody installs them with the service. */
export const CONSOLE_PACKAGES = [
  "preact",
  "preact-iso",
  "@tanstack/preact-query",
  "@codemirror/autocomplete",
  "@codemirror/commands",
  "@codemirror/lang-json",
  "@codemirror/language",
  "@codemirror/lint",
  "@codemirror/merge",
  "@codemirror/search",
  "@codemirror/state",
  "@codemirror/view",
  "@lezer/highlight",
];

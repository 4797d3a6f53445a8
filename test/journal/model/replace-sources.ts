/**
 * Loaded before a model (`--import`): replaces lines of the sources as the program loads them. `EDITS` is a list of edits
 * as JSON. A file of an edit that is not loaded is named at the end, in place of a verdict.
 */

import { registerHooks } from "node:module";
import type { Edit } from "./biases.ts";

const ROOT = new URL("../../../", import.meta.url);
const edits = JSON.parse(process.env["EDITS"] ?? "[]") as readonly Edit[];
const left = Map.groupBy(edits, ({ file }) => new URL(file, ROOT).href);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const wanted = left.get(url);
    if (wanted === undefined || loaded.source === undefined) return loaded;
    left.delete(url);
    const { source } = loaded;
    const text = typeof source === "string" ? source : Buffer.from(source as Uint8Array).toString();
    return { ...loaded, source: wanted.reduce((all, { from, to }) => all.replace(from, () => to), text) };
  },
});

process.on("exit", () => {
  if (left.size > 0) process.stdout.write(`\nnot loaded: ${[...left.keys()].join(", ")}\n`);
});

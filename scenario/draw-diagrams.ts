/**
 * Draws the diagrams of the manual as pictures, which /help shows: `node scenario/draw-diagrams.ts`. Pictures of diagrams
 * that are no more are removed.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { renderMermaidSVG } from "beautiful-mermaid";
import { diagramPicture } from "../src/manual/diagram.ts";

const DOCS = join(import.meta.dirname, "..", "docs");
const FENCE = /^```mermaid\n([\s\S]*?)^```$/gm;
/** The colours of the pages of the help. */
const LIGHT = { bg: "#ffffff", fg: "#1a1f27", accent: "#0b57c4", muted: "#4a545f", line: "#8b95a3" };
const DARK = { bg: "#14171c", fg: "#e6e9ee", accent: "#7db4ff", muted: "#b4bdc9", line: "#6c7787" };

const declarations = (colours: Readonly<Record<string, string>>): string =>
  Object.entries(colours)
    .map(([name, value]) => `--${name}:${value}`)
    .join(";");

/** A picture that loads nothing from elsewhere and follows the colours of the system. */
function drawn(text: string): string {
  const svg = renderMermaidSVG(text, LIGHT)
    .replace(/^ *@import .*\n/m, "")
    .replaceAll(/'Inter', ?/g, "")
    .replace(/(<svg [^>]*?) style="[^"]*"/, "$1");
  if (/\/\/(?!www\.w3\.org\/)|@import|url\((?!#)/.test(svg))
    throw new Error("the picture loads something from elsewhere");
  const colours = `svg{${declarations(LIGHT)}}@media (prefers-color-scheme: dark){svg{${declarations(DARK)}}}`;
  return svg.replace("<style>", `<style>\n  ${colours}`);
}

const pages = readdirSync(DOCS, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
const kept = new Set<string>();
for (const page of pages) {
  for (const [, text = ""] of readFileSync(join(DOCS, page), "utf8").matchAll(FENCE)) {
    const path = diagramPicture(text);
    kept.add(path);
    mkdirSync(join(DOCS, dirname(path)), { recursive: true });
    writeFileSync(join(DOCS, path), drawn(text));
    process.stdout.write(`${page}: ${path}\n`);
  }
}
const folder = dirname([...kept][0] ?? "pictures/diagrams/none");
for (const name of readdirSync(join(DOCS, folder))) {
  if (!kept.has(`${folder}/${name}`)) rmSync(join(DOCS, folder, name));
}

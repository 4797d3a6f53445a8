import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DRAWN, TESTED, UNTESTED } from "./fences.ts";
import { blocksOf, type PageBlock } from "./page-blocks.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const PAGES = globSync(["*.md", "docs/**/*.md", "examples/**/*.md", "deploy/**/*.md"], {
  cwd: ROOT,
  exclude: (path) => path.includes("node_modules"),
}).sort();

interface Row {
  readonly page: string;
  readonly language: string;
  readonly begins?: string;
}

/** Commands of these folders stand in the table of command blocks. */
const isCommand = ({ page, language }: PageBlock): boolean =>
  !page.startsWith("examples/") && (language === "sh" || language === "console");

const all = PAGES.flatMap((page) => blocksOf(page, textOf(page)));
const blocks = all.filter((block) => !isCommand(block) && !DRAWN.has(block.language));
const isOf = (block: PageBlock, { page, language, begins = "" }: Row): boolean =>
  page === block.page && language === block.language && block.text.startsWith(begins);

describe("a block of a page", () => {
  it("is found wherever a fence opens", () => {
    const fences = PAGES.flatMap((page) => textOf(page).match(/^ *```/gm) ?? []);
    expect(fences).toHaveLength(2 * all.length);
  });

  it("that holds commands begins at the margin: the table of commands finds it there", () => {
    const inner = PAGES.filter((page) => /^ +```(sh|console)\n/m.test(textOf(page)));
    expect(inner).toEqual([]);
  });

  it("is read by a test, or a reason says why not", () => {
    const rows = [...TESTED, ...UNTESTED];
    const wrong = blocks
      .map((block) => ({ block, count: rows.filter((row) => isOf(block, row)).length }))
      .filter(({ count }) => count !== 1);
    expect(
      wrong.map(
        ({ block, count }) => `${block.page} ${block.language} (${count}): ${block.text.split("\n")[0]}`,
      ),
    ).toEqual([]);
  });

  it.each(TESTED)("$page ($language): $test names the page", ({ page, test, ...row }) => {
    expect(blocks.some((block) => isOf(block, { page, ...row }))).toBe(true);
    const name = page.startsWith("examples/") ? "README.md" : (page.split("/").at(-1) as string);
    expect(textOf(test)).toContain(name);
  });

  it("that no test reads is there", () => {
    const gone = UNTESTED.filter((row) => !blocks.some((block) => isOf(block, row)));
    expect(gone).toEqual([]);
  });
});

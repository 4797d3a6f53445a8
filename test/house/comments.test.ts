import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");

/** Beginnings that make a comment a clause without a subject. */
const HEADLESS = /^[ \t]*\/\*\*[\s*]*((?:What|Who|Whom|Whose|Where|Which|How|Why|When)\b[^\n]*)/gm;

/** Returns the doc comments of a text that begin with a question word, each with its line. */
function headless(text: string): string[] {
  return [...text.matchAll(HEADLESS)].map(
    (found) => `${text.slice(0, found.index).split("\n").length}: ${found[1]}`,
  );
}

function programs(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, path))
    .filter((path) => /(?<!\.gen)\.m?[jt]sx?$/.test(path) && !path.includes("node_modules"));
}

describe("a doc comment", () => {
  it.each(["src", "packages", "test", "bench", "build"])("in %s is a plain sentence", (folder) => {
    const found = programs(folder).flatMap((path) =>
      headless(readFileSync(join(ROOT, path), "utf8")).map((one) => `${path}:${one}`),
    );
    expect(found).toEqual([]);
  });

  it("is told from other comments, whatever its form", () => {
    const lines = [
      "/** What a user has. */",
      "/**",
      " * Where it is.",
      " */",
      "/** Returns what it has. */",
      "// What else",
    ];
    expect(headless(lines.join("\n"))).toEqual(["1: What a user has. */", "2: Where it is."]);
  });
});

/** Citations of the specification: every `spec/name §N.M` in the repository leads to a section of `docs/spec/`. */

import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { citationsIn, sectionsOf } from "./citations.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");

const PAGES = globSync("docs/spec/*.md", { cwd: ROOT });
const SECTIONS = new Map(PAGES.map((page) => [basename(page, ".md"), sectionsOf(textOf(page))]));

/** Files with text of ours: these tests name the words that they refuse, and are left out. */
const FILES = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
  cwd: ROOT,
  encoding: "utf8",
  maxBuffer: 1 << 26,
})
  .split("\0")
  .filter((file) => /\.(ts|tsx|mjs|cjs|js|json|jsonl|md|ya?ml|go|css|html)$/.test(file))
  .filter((file) => !/^(package-lock\.json|test\/house\/citations(\.test)?\.ts)$/.test(file))
  .filter((file) => existsSync(join(ROOT, file)));

/** Words of the time when the service was planned. Random tests may have a seed. */
const REFUSED = [
  /\bseeds? \d{3}\b/i,
  /\b(the|our|its) seeds\b/i,
  /\bseeds'/i,
  /\b(the|of|in|each) seed's\b/i,
  /"seed(s|-\d+)?"\s*:/i,
  /\bseed-(000|001|002|items)\b/,
  /\(issue\b/i,
  /\bissue(s)? #?\d+\b/i,
  /\bfirst design\b/i,
  /\bthe original tool\b/i,
  /\bdesign(\.md)? §/i,
];

describe("citations of the specification", () => {
  const cited = FILES.map((file) => ({ file, citations: citationsIn(textOf(file)) }));

  it("are many, so that this test reads them", () => {
    expect(cited.flatMap(({ citations }) => citations.named).length).toBeGreaterThan(300);
    expect(PAGES.length).toBeGreaterThan(6);
  });

  it("name a page and a section that exist", () => {
    const dead = cited.flatMap(({ file, citations }) =>
      citations.named
        .filter(({ page, section }) => SECTIONS.get(page)?.has(section) !== true)
        .map(({ page, section }) => `${file}: ${page} §${section}`),
    );
    expect(dead).toEqual([]);
  });

  it("always name the page", () => {
    const nameless = cited.flatMap(({ file, citations }) =>
      citations.nameless.map((text) => `${file}: ${text}`),
    );
    expect(nameless).toEqual([]);
  });
});

describe("words of the building site", () => {
  it("are in no file, and in no name of a file", () => {
    const found = FILES.flatMap((file) => {
      const text = textOf(file);
      return REFUSED.flatMap((word) => {
        const hit = word.exec(text) ?? word.exec(file);
        return hit === null ? [] : [`${file}: ${text.slice(hit.index, hit.index + 60).split("\n")[0]}`];
      });
    });
    expect(found).toEqual([]);
  });
});

describe("pages of the specification", () => {
  it.each(PAGES.filter((page) => !page.endsWith("README.md")))("%s numbers each section once", (page) => {
    const numbers = [...textOf(page).matchAll(/^(?:#{2,3} |\*\*)(\d+(?:\.\d+)*)(?=[.\s*])/gm)].map(
      ([, number]) => number,
    );
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
    expect(SECTIONS.get(basename(page, ".md"))?.size).toBeGreaterThan(0);
  });

  it("are all in the index", () => {
    const index = textOf("docs/spec/README.md");
    for (const page of PAGES.filter((one) => !one.endsWith("README.md")))
      expect(index).toContain(`](${page.slice("docs/spec/".length)})`);
  });
});

describe("reading citations", () => {
  it("finds the page, also at the end of the line before", () => {
    const text = " * as read (spec/security\n * §4.1), and spec/evaluation §7 and spec/decision-api §2.7.";
    expect(citationsIn(text)).toEqual({
      named: [
        { page: "security", section: "4.1" },
        { page: "evaluation", section: "7" },
        { page: "decision-api", section: "2.7" },
      ],
      nameless: [],
    });
  });

  it("finds what names no page", () => {
    expect(citationsIn("spec/security §2.6, §2.11").nameless).toEqual(["spec/security §2.6, §2.11"]);
    expect(citationsIn("security.md §2.6").nameless).toEqual(["security.md §2.6"]);
    expect(citationsIn("security §2.6").nameless).toEqual(["security §2.6"]);
    expect(citationsIn("RFC 9110 §5.3").nameless).toEqual(["RFC 9110 §5.3"]);
    expect(citationsIn("| § | Rule |").nameless).toEqual(["| § | Rule |"]);
  });

  it("knows headings and bold numbers as sections", () => {
    const page =
      "## 2. A\n### 2.1 B\n**2.2** C\n**2.3 D.** E\n```\n## 9. no\n```\n1. **7.1** no\nsee **8.1**";
    expect([...sectionsOf(page)]).toEqual(["2", "2.1", "2.2", "2.3"]);
  });
});

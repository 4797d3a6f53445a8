import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ALL_ITEMS, findItem } from "../../src/config/table.ts";
import { EXECUTED, NOT_EXECUTED } from "./command-blocks.ts";
import { blocksOf, type PageBlock } from "./page-blocks.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");
const PAGES = globSync(["*.md", "docs/**/*.md"], { cwd: ROOT }).sort();
/** Pages beside the documentation, whose links are followed too. */
const FURTHER = globSync(["{examples,fixtures,deploy,policies,packages}/**/*.md"], {
  cwd: ROOT,
  exclude: ["**/node_modules/**"],
}).sort();
const CHECKED_NAMES = PAGES.filter((page) => page !== "docs/configuration.md");

/** The text without what stands in fences. */
function prose(page: string): string {
  return textOf(page).replaceAll(/^```[\s\S]*?^```/gm, "");
}

/** The anchors that headings of a page give. */
function anchorsOf(page: string): string[] {
  const headings = prose(page).match(/^#+ .+$/gm) ?? [];
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, "")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe("the pages", () => {
  it("that the tree promises are there", () => {
    const promised = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/architecture.md"];
    const docs = ["docs/configuration.md", "docs/operations.md", "docs/security.md", "docs/testing.md"];
    expect(PAGES).toEqual(expect.arrayContaining([...promised, ...docs, "docs/performance.md"]));
  });

  it.each([...PAGES, ...FURTHER])("%s links to files and headings that exist", (page) => {
    for (const [, target = ""] of prose(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      expect(existsSync(join(ROOT, file)), `${page} -> ${target}`).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(file), `${page} -> ${target}`).toContain(anchor);
    }
  });

  it.each(PAGES.filter((page) => page !== "CHANGELOG.md"))("%s has no heading twice", (page) => {
    const anchors = anchorsOf(page);
    expect(anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index)).toEqual([]);
  });

  it.each(CHECKED_NAMES)("%s names only configuration items that exist", (page) => {
    const sections = new Set(ALL_ITEMS.map((item) => item.name.split(".")[0] ?? ""));
    for (const [, name = ""] of textOf(page).matchAll(/`([a-z_]+(?:\.[a-z_]+)+)(?:: [^`]*)?`/g)) {
      if (!sections.has(name.split(".")[0] ?? "") || /\.(ts|json|ya?ml|md)$/.test(name)) continue;
      const group = ALL_ITEMS.some((item) => item.name.startsWith(`${name}.`));
      expect(findItem(name) !== undefined || group, `${page}: ${name}`).toBe(true);
    }
  });

  it.each(PAGES)("%s names only npm scripts that exist", (page) => {
    const { scripts } = JSON.parse(textOf("package.json"));
    for (const [, name = ""] of textOf(page).matchAll(/npm run (?:-s )?([a-z][\w:-]*)/g)) {
      expect(Object.keys(scripts), `${page}: npm run ${name}`).toContain(name);
    }
  });

  it.each(CHECKED_NAMES)("%s names only paths of the repository that exist", (page) => {
    const roots = readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const folders = roots
      .map((entry) => entry.name)
      .filter((name) => name !== "dist" && name !== "node_modules");
    for (const [, path = ""] of textOf(page).matchAll(/`([\w.-]+\/[\w./-]*)`/g)) {
      if (folders.includes(path.split("/")[0] ?? ""))
        expect(existsSync(join(ROOT, path)), `${page}: ${path}`).toBe(true);
    }
  });
});

describe("docs/README.md", () => {
  const index = [...prose("docs/README.md").matchAll(/\]\(([^)\s#:]+)\)/g)].map(([, target]) => target);

  it("lists every page of its folder once", () => {
    const pages = readdirSync(join(ROOT, "docs")).filter(
      (name) => name !== "README.md" && name !== "pictures",
    );
    expect(pages.filter((name) => !index.includes(name))).toEqual([]);
  });

  it("arranges them by what a reader wants", () => {
    const headings = prose("docs/README.md").match(/(?<=^## ).+$/gm);
    expect(headings).toEqual(["Learn", "Do", "Look up", "Operate", "Understand"]);
  });
});

describe("docs/svcctl.md", () => {
  it("lists every policy template", () => {
    const files = readdirSync(join(ROOT, "policies", "templates")).map((name) => name.replace(/\.json$/, ""));
    const rows = [...textOf("docs/svcctl.md").matchAll(/^\| `([a-z-]+)` \| .+ \| .+ \|$/gm)].map(
      ([, name]) => name,
    );
    expect(rows.sort()).toEqual(files.sort());
  });
});

describe("docs/faq.md", () => {
  const sources = globSync(["src/**/*.ts", "packages/*/src/**/*.ts"], { cwd: ROOT })
    .map(textOf)
    .join("\n")
    .replaceAll(/["`] \+\s*["`]|`\s*\+\s*`/g, "");
  const messages = [...textOf("docs/faq.md").matchAll(/^#### `(.+)`$/gm)].map(([, message = ""]) => message);

  it.each(messages)("the program has the message: %s", (message) => {
    const missing = message.split(/…|: /).filter((part) => !sources.includes(part.trim()));
    expect(missing).toEqual([]);
  });

  it("has messages", () => expect(messages.length).toBeGreaterThan(20));
});

describe("command blocks", () => {
  const fences = PAGES.flatMap((page) => blocksOf(page, textOf(page)));
  const blocks = fences
    .filter(({ language }) => language === "sh" || language === "console")
    .map((block) => ({ ...block, text: block.text.replace(/^\$ /, "") }));
  const isExecuted = (block: PageBlock, row: (typeof EXECUTED)[number]): boolean =>
    row.page === block.page && row.language === block.language && block.text.startsWith(row.begins ?? "");
  const isExempt = (block: PageBlock, row: (typeof NOT_EXECUTED)[number]): boolean =>
    row.page === block.page && block.text.startsWith(row.begins);

  it.each(blocks)("$page: a test runs it, or a reason says why not: $text", (block) => {
    const rows = [
      ...EXECUTED.filter((row) => isExecuted(block, row)),
      ...NOT_EXECUTED.filter((row) => isExempt(block, row)),
    ];
    expect(rows).toHaveLength(1);
  });

  it.each(EXECUTED)("$page: $test reads it", ({ page, test, ...row }) => {
    expect(textOf(test)).toContain(page.split("/").at(-1));
    expect(blocks.some((block) => isExecuted(block, { page, test, ...row }))).toBe(true);
  });

  it.each(NOT_EXECUTED)("$page has the block that no test runs: $begins", (row) => {
    expect(blocks.some((block) => isExempt(block, row))).toBe(true);
  });

  it("a prompt stands in blocks of the language console only", () => {
    const others = fences.filter(({ language, text }) => language !== "console" && /^\$ /m.test(text));
    expect(others.map(({ page, text }) => `${page}: ${text.split("\n")[0]}`)).toEqual([]);
  });
});

describe("README.md", () => {
  it("leads to every page of docs, directly or through the index", () => {
    const linkedBy = (page: string): string[] =>
      [...prose(page).matchAll(/\]\(([^)\s#:]+)/g)].map(([, target = ""]) => join(dirname(page), target));
    const near = linkedBy("README.md");
    const reached = new Set([...near, ...near.filter((page) => page.endsWith(".md")).flatMap(linkedBy)]);
    const pages = globSync("docs/*.md", { cwd: ROOT });
    expect(pages.filter((page) => !reached.has(page))).toEqual([]);
  });

  it("is shorter than 120 lines", () => {
    expect(textOf("README.md").split("\n").length).toBeLessThan(120);
  });
});

describe("docs/architecture.md", () => {
  it("explains every folder below src in a line that begins with its name", () => {
    const folders = readdirSync(join(ROOT, "src"), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    const filled = folders.filter((entry) => readdirSync(join(ROOT, "src", entry.name)).length > 0);
    const text = textOf("docs/architecture.md");
    for (const { name } of filled)
      expect(text, name).toMatch(new RegExp(`^\\W*(src/)?${name}/?\\W.*\\w`, "m"));
  });
});

describe("the decisions of ours", () => {
  const pages = readdirSync(join(ROOT, "docs/decisions")).sort();

  it("are numbered without gaps, in file and heading", () => {
    pages.forEach((page, index) => {
      const number = String(index + 1).padStart(4, "0");
      expect(page).toMatch(new RegExp(`^${number}-[a-z0-9-]+\\.md$`));
      expect(textOf(`docs/decisions/${page}`)).toMatch(new RegExp(`^# ${number}: `));
    });
  });

  it.each(pages)("%s says context, decision and consequences in one page", (page) => {
    const text = textOf(`docs/decisions/${page}`);
    for (const part of ["Context", "Decision", "Consequences"]) expect(text).toContain(`**${part}.**`);
    expect(text.split("\n").length).toBeLessThan(60);
  });
});

describe("LICENSE", () => {
  it("is the whole Apache License 2.0 with our name in it", () => {
    const text = textOf("LICENSE");
    for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9]) expect(text).toContain(`\n   ${number}. `);
    expect(text).toContain("END OF TERMS AND CONDITIONS");
    expect(text).toMatch(/Copyright \d{4} The svc-authorizer authors/);
    expect(JSON.parse(textOf("package.json")).license).toBe("Apache-2.0");
  });
});

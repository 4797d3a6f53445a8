import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");
const PAGE = textOf("test/security-rules.md");

/** Section, rule, files, tests. */
const ROWS = PAGE.split("\n")
  .filter((line) => /^\| \d+\.\d+ \|/.test(line))
  .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")));

/** True where a file has the text as the name of a test or of a case. */
function names(text: string, name: string): boolean {
  return ['"', "'", "`"].some((quote) => text.includes(`${quote}${name}${quote}`)) || yamlName(text, name);
}

function yamlName(text: string, name: string): boolean {
  return text.includes(`{name: ${name},`);
}

describe("test/security-rules.md", () => {
  it("has every rule of section 2", () => {
    const sections = new Set(ROWS.map(([section]) => section));
    for (let rule = 0; rule <= 12; rule++) expect(sections, `2.${rule}`).toContain(`2.${rule}`);
    expect(ROWS.length).toBeGreaterThan(50);
  });

  it.each(ROWS.map((row) => [`${row[0]} ${row[1]}`, row] as const))(
    "%s: files and tests are there",
    (_, row) => {
      const [, , files = "", tests = ""] = row;
      for (const file of files.split("<br>"))
        expect(existsSync(join(ROOT, file.replaceAll("`", ""))), file).toBe(true);
      const held = [...tests.matchAll(/`([\w./-]+)` “([^”]+)”/g)];
      expect(held.length).toBe(tests.split("<br>").length);
      for (const [, path = "", name = ""] of held)
        expect(names(textOf(path), name), `${path}: ${name}`).toBe(true);
    },
  );
});

it("2xx is written at one place of forward-auth", () => {
  const written = globSync("src/api/forward-auth/*.ts", { cwd: ROOT }).flatMap((file) =>
    (textOf(file).match(/^(?!\s*(?:\/\/|\*|\/\*)).*\b2\d\d\b(?! \|).*$/gm) ?? []).map((line) => line.trim()),
  );
  expect(written).toEqual([
    'return { status: 200, headers: ["X-Svc-User", user, ...decision, ...credential] };',
  ]);
});

it("docs/gateways.md says that bodies are not verified here", () => {
  const text = textOf("docs/gateways.md").replaceAll(/\s+/g, " ");
  expect(text).toContain(
    "Signatures are verified here, bodies are not: **the data server must keep verifying",
  );
});

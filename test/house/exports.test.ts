import { globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");

/** Sources whose exports others use, with the users. */
const USED_BY_OTHERS: Readonly<Record<string, string>> = {
  "packages/client/": "programs of users: the package exports it",
  "packages/testing/": "tests of users: the package exports it",
  "src/journal/engines/memory.ts": "the log of one process, for tests of users and of the journal",
  "packages/policy/src/analysis/escalation/escalation-paths.ts":
    "the proof that `authorizer.escalation: deny` leaves no way to become administrator",
};

const EXPORT = /^export (?:abstract |async )*(?:function\*?|const|class|interface|type) (\w+)/gm;

/** Returns the exports that no text uses, each with its path. `texts` are the sources by path. */
function unused(texts: ReadonlyMap<string, string>): string[] {
  const words = [...texts].map(
    ([path, text]) => [path, new Set(text.match(/[A-Za-z_$][\w$]*/g) ?? [])] as const,
  );
  return [...texts].flatMap(([path, text]) =>
    [...text.matchAll(EXPORT)]
      .map(([, name = ""]) => name)
      .filter((name) => text.match(new RegExp(`\\b${name}\\b`, "g"))?.length === 1)
      .filter((name) => !words.some(([other, used]) => other !== path && used.has(name)))
      .map((name) => `${path}: ${name}`),
  );
}

describe("an export", () => {
  it("is used in the sources, and not by tests alone", () => {
    const paths = globSync(["src/**/*.{ts,tsx}", "packages/*/src/**/*.{ts,tsx}"], { cwd: ROOT }).map((path) =>
      path.split(sep).join("/"),
    );

    const texts = new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]));
    const isListed = (line: string): boolean =>
      Object.keys(USED_BY_OTHERS).some((path) => line.startsWith(path));
    expect(unused(texts).filter((line) => !isListed(line))).toEqual([]);
  });

  it("counts as used in its own file and in others only", () => {
    const texts = new Map([
      ["a.ts", "export const used = 1;\nexport const alone = 2;\nexport function own() {}\nown();"],
      ["b.ts", 'import { used } from "./a.ts";\nexport interface Nobody {}'],
    ]);
    expect(unused(texts)).toEqual(["a.ts: alone", "b.ts: Nobody"]);
  });
});

import { globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { type Exchanged, readExchanged, unusedExports } from "./source-exports.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** Sources whose exports others use, with the users. */
const USED_BY_OTHERS: Readonly<Record<string, string>> = {
  "packages/client/": "programs of users: the package exports it",
  "packages/testing/": "tests of users: the package exports it",
  "src/journal/engines/memory.ts": "the log of one process, for tests of users and of the journal",
  "packages/policy/src/analysis/escalation/escalation-paths.ts":
    "the proof that `authorizer.escalation: deny` leaves no way to become administrator",
};

const known = new Map<string, Exchanged>();

/** Reads one file, once for all tests. */
function exchangedBy(path: string): Exchanged {
  const exchanged = known.get(path) ?? readExchanged(path, readFileSync(join(ROOT, path), "utf8"));
  known.set(path, exchanged);
  return exchanged;
}

/** Reads files; what generated ones export, nobody chose. */
const read = (...patterns: string[]): Exchanged[] =>
  globSync(patterns, { cwd: ROOT })
    .filter((path) => !path.endsWith(".gen.ts"))
    .map((path) => path.split(sep).join("/"))
    .map(exchangedBy);

const of = (texts: Readonly<Record<string, string>>): Exchanged[] =>
  Object.entries(texts).map(([path, text]) => readExchanged(path, text));

describe("an export", () => {
  it("is imported by another source, or used in its own file and imported by a test", () => {
    const others = read("{test,bench,scenario,build}/**/*.{ts,tsx}", "packages/*/test/**/*.{ts,tsx}");
    const unused = unusedExports(read("src/**/*.{ts,tsx}", "packages/*/src/**/*.{ts,tsx}"), others);
    const isListed = (line: string): boolean =>
      Object.keys(USED_BY_OTHERS).some((path) => line.startsWith(path));
    expect(unused.filter((line) => !isListed(line))).toEqual([]);
    // Reads every file of the repository: most of a minute where others use the machine, too.
  });

  it("of what stands beside the sources is imported by another file", () => {
    const beside = read("{test,bench,scenario}/**/*.{ts,tsx}", "packages/*/test/**/*.{ts,tsx}");
    const others = read("packages/*/import-table.ts", "*.ts");
    expect(unusedExports([...beside, ...others])).toEqual([]);
  });

  it("counts as used where another file imports it from its path", () => {
    const sources = of({
      "a.ts": "export const used = 1; export const alone = 2; export function own() {} own();",
      "b/b.ts": 'import { used } from "../a.ts"; export interface Nobody {} const alone = used;',
      "c.ts": 'export { Loaded as Other } from "./d.ts"; import type { Other } from "./c.ts";',
      "d.ts": "export class Loaded {} export const more = 1;",
      "e.ts": "export const { left, right: renamed } = { left: 1, right: 2 };",
      "f.ts": 'import { renamed } from "./e.ts"; renamed;',
    });
    expect(unusedExports(sources)).toEqual([
      "a.ts: alone",
      "a.ts: own",
      "b/b.ts: Nobody",
      "d.ts: more",
      "e.ts: left",
    ]);
  });

  it.each([
    ["const { one } = await import('./a.ts');", ["a.ts: two"]],
    ["const { one, ...rest } = await import('./a.ts');", []],
    ["(await import('./a.ts')).two();", ["a.ts: one"]],
    ["import('./a.ts').then(({ one }) => one());", ["a.ts: two"]],
    ["import('./a.ts').then((module) => module.two);", ["a.ts: one"]],
    ["use(import('./a.ts'));", []],
    ["import * as all from './a.ts';", []],
    ["export * from './a.ts';", []],
    ["type One = import('./a.ts').one.Inner;", ["a.ts: two"]],
    ["import './a.ts';", ["a.ts: one", "a.ts: two"]],
  ])("may be taken by %s", (text, expected) => {
    expect(unusedExports(of({ "a.ts": "export const one = 1, two = 2;", "b.ts": text }))).toEqual(expected);
  });

  it("of a package is imported by the name of the package", () => {
    const path = "packages/policy/src/model/a.ts";
    const text = 'import { one } from "@svc-authorizer/policy/model/a.ts";';
    const sources = of({ [path]: "export const one = 1, two = 2;", "src/b.ts": text });
    expect(unusedExports(sources)).toEqual([`${path}: two`]);
  });

  it("that tests alone import has to be used in its own file", () => {
    const sources = of({ "a.ts": "export const used = 1; export const alone = used;" });
    const tests = of({ "a.test.ts": 'import { alone, used } from "./a.ts";' });
    expect(unusedExports(sources, tests)).toEqual(["a.ts: alone"]);
  });
});

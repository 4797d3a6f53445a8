import { globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { nameOfSource, OWN_PACKAGES, readSource } from "./source-imports.ts";
import { breaches, type Dependencies } from "./source-rules.ts";

const ROOT = join(import.meta.dirname, "..", "..");

function ourSources() {
  return globSync(["src/**/*.{ts,tsx}", "packages/*/src/**/*.{ts,tsx}"], { cwd: ROOT }).map((path) =>
    readSource(nameOfSource(path.split(sep).join("/")), readFileSync(join(ROOT, path), "utf8")),
  );
}

function dependencies(): Dependencies {
  const folders = OWN_PACKAGES.map((name) => [name, join("packages", name)] as const);
  return Object.fromEntries(
    [["", "."] as const, ...folders].map(([name, folder]) => {
      const manifest = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8"));
      return [name, new Set(Object.keys(manifest.dependencies ?? {}))];
    }),
  );
}

/** Breaches of sources given as path and text. */
function breachesOf(texts: Record<string, string>): string[] {
  return breaches(
    Object.entries(texts).map(([path, text]) => readSource(path, text)),
    { "": new Set(["express", "lmdb", "nodemailer"]) },
  );
}

describe("the sources", () => {
  it("follow the import table and the other rules of the house", () => {
    const sources = ourSources();
    expect(sources.length).toBeGreaterThan(10);
    expect(breaches(sources, dependencies()).join("\n")).toBe("");
  });
});

describe("the rules", () => {
  it("let through what the table allows", () => {
    expect(
      breachesOf({
        "policy/errors.ts": "export class AppError extends Error {}",
        "policy/model/a.ts":
          'import { AppError } from "../errors.ts"; import { readFileSync } from "node:fs";',
        "http/app.ts": 'import express from "express"; export interface Log {}',
        "observe/log.ts":
          'import type { Calls } from "../decisions/decisions.ts"; import type { Log } from "../http/app.ts";',
        "decisions/decisions.ts": "export interface Calls {}",
        "directory/users.ts": 'import { open } from "../store/port.ts";',
        "store/port.ts": "export const open = 1;",
        "store/local/local.ts": 'import { open as driver } from "lmdb"; import { open } from "../port.ts";',
        "commands/environment.ts": "export const home = process.env.HOME;",
        "cli/run.ts": 'const later = await import("../compose.ts");',
        "compose.ts": "export const compose = 1;",
      }),
    ).toEqual([]);
  });

  it.each([
    [
      "an arrow upwards",
      "decisions/a.ts",
      'import "../http/app.ts";',
      "decisions may not import http/app.ts",
    ],
    [
      "an arrow to a package that is built from this one",
      "policy/model/a.ts",
      'import "@svc-authorizer/commands/a.ts";',
      "policy/model may not import commands/a.ts",
    ],
    [
      "a way into another package by its folder",
      "policy/model/a.ts",
      'import "../../../../src/http/app.ts";',
      "policy/model may not import http/app.ts",
    ],
    [
      "a dynamic import",
      "decisions/a.ts",
      'await import("../http/app.ts");',
      "decisions may not import http/app.ts",
    ],
    [
      "an export from elsewhere",
      "decisions/a.ts",
      'export { a } from "../store/port.ts"; let b;',
      "decisions may not import",
    ],
    ["a type written inline", "decisions/a.ts", 'let a: import("../http/app.ts").A;', "http/app.ts (type)"],
    [
      "a value where only types may pass",
      "http/a.ts",
      'import { log } from "../observe/log.ts";',
      "may not import",
    ],
    [
      "a backend from a use case",
      "directory/a.ts",
      'import "../store/local/local.ts";',
      "store/local/local.ts",
    ],
    ["a program from another", "svcctl/a.ts", 'import "../../../src/cli/run.ts";', "svcctl may not import"],
    ["a sibling backend", "store/memory/a.ts", 'import "../local/local.ts";', "sibling backend"],
    ["a backend from what backends share", "store/keys.ts", 'import "./local/local.ts";', "backends share"],
    [
      "a driver outside its backend",
      "store/memory.ts",
      'import "lmdb";',
      "driver of the store's local backend",
    ],
    ["a package of another room", "http/a.ts", 'import "nodemailer";', "nodemailer is known to mail alone"],
    ["a package that is no dependency", "http/a.ts", 'import "supertest";', "supertest is not among"],
    [
      "a package that is required",
      "http/a.ts",
      'createRequire(import.meta.url)("supertest");',
      "supertest is not among",
    ],
    ["a package that no page needs", "console/a.tsx", 'import "express";', "express is not bundled here"],
    [
      "the service from a page",
      "console/a.tsx",
      'import "../../../src/http/app.ts";',
      "console may not import",
    ],
    ["a built-in without its prefix", "http/a.ts", 'import "fs";', "without node:"],
    [
      "a file outside the sources",
      "main.ts",
      'import "../package.json" with { type: "json" };',
      "leaves the sources",
    ],
    ["a room that no row names", "utils/a.ts", "export const a = 1;", "no row for utils"],
    ["an index file", "http/index.ts", "export const a = 1;", "barrel"],
    ["a star export", "http/a.ts", 'export * from "./b.ts"; export const a = 1;', "barrel"],
    ["a file of re-exports", "http/a.ts", 'export { b } from "./b.ts";', "barrel"],
    ["a target that is computed", "http/a.ts", "await import(name);", "no reader of the text"],
    ["process.env", "http/a.ts", "const home = process.env.HOME;", "reads the environment"],
    ["process['env']", "http/a.ts", 'const home = globalThis.process["env"];', "reads the environment"],
    ["env taken out of process", "http/a.ts", "const { env } = process;", "reads the environment"],
    ["env imported", "http/a.ts", 'import { env } from "node:process";', "reads the environment"],
    ["a file of 401 lines", "http/a.ts", "let a;\n".repeat(401), "401 lines"],
  ])("refuse %s", (_what, path, text, message) => {
    const found = breachesOf({ [path]: text });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(path);
    expect(found[0]).toContain(message);
  });

  it("refuse a circle of files, types included, and show the way around", () => {
    const texts = {
      "http/a.ts": 'import { b } from "./b.ts";',
      "http/b.ts": 'import { c } from "./c.ts";',
      "http/c.ts": 'import type { A } from "./a.ts";',
    };
    expect(breachesOf(texts)).toEqual(["circular import: http/a.ts -> http/b.ts -> http/c.ts -> http/a.ts"]);
  });

  it("see no environment in comments and texts", () => {
    expect(breachesOf({ "http/a.ts": '// process.env\nconst text = "process.env";' })).toEqual([]);
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { readSource } from "./source-imports.ts";
import { breaches } from "./source-rules.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const SRC = join(ROOT, "src");

function ourSources() {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => readSource(path.split(sep).join("/"), readFileSync(join(SRC, path), "utf8")));
}

function dependencies(): Set<string> {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return new Set(Object.keys(manifest.dependencies));
}

/** Breaches of sources given as path and text. */
function breachesOf(texts: Record<string, string>): string[] {
  return breaches(
    Object.entries(texts).map(([path, text]) => readSource(path, text)),
    new Set(["express", "lmdb", "nodemailer"]),
  );
}

describe("the sources", () => {
  it("follow the import table and the other rules of the house", () => {
    const sources = ourSources();
    expect(sources.length).toBeGreaterThan(10);
    expect(breaches(sources, dependencies())).toEqual([]);
  });
});

describe("the rules", () => {
  it("let through what the table allows", () => {
    expect(
      breachesOf({
        "errors.ts": "export class AppError extends Error {}",
        "model/a.ts": 'import { AppError } from "../errors.ts"; import { readFileSync } from "node:fs";',
        "http/app.ts": 'import express from "express"; export interface Log {}',
        "observe/log.ts":
          'import type { Calls } from "../decisions/decisions.ts"; import type { Log } from "../http/app.ts";',
        "decisions/decisions.ts": "export interface Calls {}",
        "directory/users.ts": 'import { open } from "../store/port.ts";',
        "store/port.ts": "export const open = 1;",
        "store/local/local.ts": 'import { open as driver } from "lmdb"; import { open } from "../port.ts";',
        "config/environment.ts": "export const home = process.env.HOME;",
        "cli/authorizer/run.ts": 'const later = await import("../../compose.ts");',
        "compose.ts": "export const compose = 1;",
      }),
    ).toEqual([]);
  });

  it.each([
    ["an arrow upwards", "engine/a.ts", 'import "../http/app.ts";', "engine may not import http/app.ts"],
    [
      "a dynamic import",
      "engine/a.ts",
      'await import("../http/app.ts");',
      "engine may not import http/app.ts",
    ],
    [
      "an export from elsewhere",
      "engine/a.ts",
      'export { a } from "../store/port.ts"; let b;',
      "engine may not import",
    ],
    ["a type written inline", "engine/a.ts", 'let a: import("../http/app.ts").A;', "http/app.ts (type)"],
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
    [
      "a program from another",
      "cli/svcctl/a.ts",
      'import "../authorizer/run.ts";',
      "cli/svcctl may not import",
    ],
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
    ["the service from a page", "console/a.tsx", 'import "../model/arn.ts";', "console may not import"],
    ["a built-in without its prefix", "http/a.ts", 'import "fs";', "without node:"],
    [
      "a file outside the sources",
      "main.ts",
      'import "../package.json" with { type: "json" };',
      "leaves src",
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

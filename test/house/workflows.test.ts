/** The workflow of pull requests runs everything that `npm test` runs. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { testFiles } from "../projects.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

interface Job {
  readonly "timeout-minutes"?: number;
  readonly strategy?: { readonly matrix: { readonly include: readonly { name: string; files: string }[] } };
  readonly steps: readonly { readonly run?: string }[];
}
const { jobs }: { jobs: Record<string, Job> } = parse(read(".github/workflows/ci.yml"));
const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run = "" }) => run));
const rows = jobs["processes"]?.strategy?.matrix.include ?? [];

describe(".github/workflows/ci.yml", () => {
  it("runs lint, types and each project of tests, and asks who signed the packages", () => {
    const scripts = ["lint", "typecheck", "test:unit", "test:service"].map((name) => `npm run ${name}`);
    expect(runs).toEqual(expect.arrayContaining([...scripts, "npm audit signatures"]));
    expect(runs).toContain("npm run test:processes -- ${{ matrix.files }}");
  });

  it("runs only scripts that exist", () => {
    const { scripts } = JSON.parse(read("package.json"));
    for (const run of runs) {
      const [, name] = /^npm run ([\w:]+)/.exec(run) ?? [];
      if (name !== undefined) expect(Object.keys(scripts)).toContain(name);
    }
  });

  it.each(testFiles(ROOT, { sizedOnly: false }).processes)("runs %s in exactly one row", (file) => {
    const hits = rows.filter(({ files }) => files.split(" ").some((path) => file.startsWith(`${path}/`)));
    expect(hits.map(({ name }) => name)).toHaveLength(1);
  });

  it("ends each job within a time", () => {
    for (const job of Object.values(jobs)) expect(job["timeout-minutes"]).toBeGreaterThan(0);
  });
});

/**
 * The projects of the test run, by what a test needs: `unit` neither starts a process nor the service nor writes a store
 * to the disk, `service` does the latter two in its own process, `processes` start programs, databases, browsers or
 * threads. The imports of a file and of its helpers tell which, so that a new test needs no entry anywhere. A unit whose
 * test takes many seconds is in a file `*.long.test.ts`, which runs with `service`.
 */

import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export const PROJECTS = ["unit", "service", "processes"] as const;

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g;
const PROCESSES = /^node:(?:child_process|worker_threads|cluster)$|^playwright-core$/;
const SERVICE =
  /^@svc-authorizer\/testing|^src\/(?:compose|listeners)\/|^src\/(?:main|cli\/program|store\/local\/local-store)\.ts$/;
/** Sizes that differ with `npm run prove`. */
const SIZED = /^test\/proofs\/size\.ts$/;
const HELPER = /^(?:test|packages\/[\w-]+\/test)\//;

/**
 * The test files of each project, as paths below `root`.
 * @param options with `sizedOnly` those alone that are larger with `npm run prove`
 */
export function testFiles(
  root: string,
  { sizedOnly }: { readonly sizedOnly: boolean },
): Readonly<Record<(typeof PROJECTS)[number], readonly string[]>> {
  const reached = reader(root);
  const needs = (file: string, what: RegExp): boolean => [...reached(file)].some((one) => what.test(one));
  const files = globSync(["test/**/*.test.ts", "packages/*/test/**/*.test.ts"], { cwd: root })
    .filter((file) => !sizedOnly || needs(file, SIZED))
    .sort();
  const processes = files.filter((file) => needs(file, PROCESSES));
  const service = files.filter(
    (file) => !processes.includes(file) && (file.endsWith(".long.test.ts") || needs(file, SERVICE)),
  );
  return { unit: files.filter((file) => ![...processes, ...service].includes(file)), service, processes };
}

/** Returns a function that finds everything a file imports, itself or through helpers of tests. */
function reader(root: string): (file: string) => ReadonlySet<string> {
  const direct = new Map<string, readonly string[]>();
  const importsOf = (file: string): readonly string[] => {
    const known = direct.get(file);
    if (known !== undefined) return known;
    const text = existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "";
    const found = [...text.matchAll(IMPORT)].map(([, name = ""]) =>
      name.startsWith(".") ? normalize(join(dirname(file), name)) : name,
    );
    direct.set(file, found);
    return found;
  };
  return (file) => {
    const seen = new Set<string>();
    const visit = (one: string): void => {
      for (const target of importsOf(one)) {
        if (seen.has(target)) continue;
        seen.add(target);
        if (HELPER.test(target)) visit(target);
      }
    };
    visit(file);
    return seen;
  };
}

/** Proofs on a real data server run where one is given, which is not in `.ci/run`: the list of skips names each of them. */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import skips from "../skips.json" with { type: "json" };

const FOLDER = join(import.meta.dirname, "../proofs/data-server");
const TITLE = /describe\.skipIf\(.*\)\(\s*["'`]([^"'`]*)/g;

const prefixes = skips.flatMap((one) => ("prefix" in one ? [one.prefix] : []));
const titles = globSync("*.test.ts", { cwd: FOLDER }).flatMap((file) =>
  [...readFileSync(join(FOLDER, file), "utf8").matchAll(TITLE)].map(
    ([, title = ""]) => [title, file] as const,
  ),
);

describe("proofs on a data server", () => {
  it("are found", () => expect(titles.length).toBeGreaterThan(8));

  it.each(titles)("%s (%s) are in test/skips.json", (title) => {
    expect(prefixes.some((prefix) => title.startsWith(prefix))).toBe(true);
  });
});

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { limitField } from "../../src/config/limits.ts";
import { CONFIG_ITEMS } from "../../src/config/table.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** Files that hold rows and their documentation: a name in these files is no use of the item. */
const TABLE = /^src\/config\/(?:items\/|table\.ts|redact\.ts)/;

const TEXT = globSync(["src/**/*.ts", "packages/*/src/**/*.ts"], { cwd: ROOT })
  .filter((path) => !TABLE.test(path))
  .map((path) => readFileSync(join(ROOT, path), "utf8"))
  .join("\n");

/** Names that code reads: one search for all of them. */
const READ = new Set(
  [...TEXT.matchAll(/[vV]alues\["([^"]+)"\]|\bread\("([^"]+)"\)|\(read, "([^"]+)"\)/g)].map(
    ([, value, read, handed]) => value ?? read ?? handed,
  ),
);

/**
 * Whether code reads the value: as `values["name"]`, or through the readers of `computed-defaults.ts`. Code that only
 * sets the item (`"name": value`) does not count. Limits are read as the fields of `limitsOf`.
 */
function isRead(name: string): boolean {
  const item = CONFIG_ITEMS.find((one) => one.name === name);
  if (item !== undefined && name.startsWith("authorizer.limits.")) {
    return new RegExp(`[.{ ]${limitField(name, item.type)}\\b`).test(TEXT);
  }
  return READ.has(name);
}

describe("every configuration item", () => {
  it.each(CONFIG_ITEMS.map(({ name, acts }) => [name, acts] as const))(
    "%s is marked as it is: %s",
    (name, acts) => {
      expect(
        isRead(name),
        `src/config/items: ${name} says "${acts}", but ${isRead(name) ? "it is read" : "nothing reads it"}`,
      ).toBe(!acts.startsWith("no: "));
    },
  );
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
/** Rooms that parse JSON with names that somebody else chose. */
const ROOMS = [
  "src/http",
  "src/identity",
  "packages/policy/src/model",
  "src/directory",
  "src/decision-log",
  "src/observe",
  "packages/policy/src/source-files",
  "packages/policy/src/analysis",
  "packages/policy/src/records",
];

it.each(ROOMS)("%s parses JSON with parseJsonText, since names may have escapes", (room) => {
  const files = readdirSync(join(ROOT, room), { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ts"),
  );
  expect(files.length).toBeGreaterThan(0);
  const own = files.filter((path) => readFileSync(join(ROOT, room, path), "utf8").includes("JSON.parse("));
  expect(own).toEqual([]);
});

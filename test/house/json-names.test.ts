import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const SRC = join(import.meta.dirname, "..", "..", "src");
/** Rooms that parse JSON with names that somebody else chose. */
const ROOMS = [
  "http",
  "identity",
  "model",
  "directory",
  "decision-log",
  "observe",
  "source-files",
  "analysis",
];

it.each(ROOMS)("src/%s parses JSON with parseJsonText, since names may have escapes", (room) => {
  const files = readdirSync(join(SRC, room), { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ts"),
  );
  expect(files.length).toBeGreaterThan(0);
  const own = files.filter((path) => readFileSync(join(SRC, room, path), "utf8").includes("JSON.parse("));
  expect(own).toEqual([]);
});

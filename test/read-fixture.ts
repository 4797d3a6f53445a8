import { readFileSync } from "node:fs";
import { parse } from "yaml";

const FOLDER = new URL("../fixtures/", import.meta.url);

/** The value that a file below `fixtures` has, in JSON or in YAML. */
export function readFixture<T>(path: string): T {
  const text = readFileSync(new URL(path, FOLDER), "utf8");
  return path.endsWith(".json") ? JSON.parse(text) : parse(text);
}

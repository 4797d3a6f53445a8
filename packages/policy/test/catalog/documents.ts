import { readdirSync, readFileSync } from "node:fs";

const FOLDER = new URL("../../../../fixtures/documents/", import.meta.url);

/** A document that breaks rules, and the JSON pointers of what is wrong with it, sorted. */
export interface BrokenDocument {
  readonly why: string;
  readonly pointers: readonly string[];
  readonly document: unknown;
}

/** A JSON file below `fixtures/documents/`. */
export function readDocument<T>(path: string): T {
  return JSON.parse(readFileSync(new URL(path, FOLDER), "utf8")) as T;
}

/** The JSON files of a folder below `fixtures/documents/`, by name without ending. */
export function readDocuments<T>(folder: string): readonly (readonly [string, T])[] {
  return readdirSync(new URL(`${folder}/`, FOLDER))
    .sort()
    .map((name) => [name.replace(/\.json$/, ""), readDocument<T>(`${folder}/${name}`)] as const);
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";

/** The folder of the clone. */
export const ROOT = join(import.meta.dirname, "..", "..");

/** The text of a file of the repository. */
export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** The documents of a YAML file of the repository; throws on any error or warning of the parser. */
export function yamlOf(path: string, options: { readonly merge?: boolean } = {}): unknown[] {
  return parseAllDocuments(textOf(path), options).map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw problem;
    return document.toJS();
  });
}

/**
 * Texts that look like a secret written out: a long run of letters and digits, or a value beside the name of a
 * secret. A variable that is filled from outside is none; the default written into it would be.
 */
export function secretsIn(text: string): string[] {
  const own = text.replaceAll(/\$\{\w+(:-)?\}/g, "");
  const runs = own.match(/[A-Za-z0-9+_-]{32,}={0,2}/g) ?? [];
  const named = own.match(/(password|secret_?key|api_?token)["']?\s*[:=][ \t"']*[^\s"'$<{.]+/gi) ?? [];
  return [...runs.filter((run) => /\d/.test(run) && /[a-z]/i.test(run)), ...named];
}

/**
 * Notes of changes: one file each in `changes/`, gathered into CHANGELOG.md at a release.
 *
 * usage: node build/changes.ts, which prints the entries of the next release
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const FOLDER = join(root, "changes");
/** Kinds in the order in which a release lists them, with the headings of Keep a Changelog. */
const HEADINGS = {
  added: "Added",
  changed: "Changed",
  deprecated: "Deprecated",
  removed: "Removed",
  fixed: "Fixed",
  security: "Security",
} as const;
const NAME = /^(?<kind>[a-z]+)-[a-z0-9-]+\.md$/;
const MOST_LINES = 10;
const UNRELEASED = "## [Unreleased]";
const NOTHING = "README.md";

/** A note of one change. */
export interface Change {
  readonly file: string;
  readonly kind: keyof typeof HEADINGS;
  /** One entry in Markdown, without the dash of a list. */
  readonly text: string;
}

/** Reads notes, given as names and contents; `problems` says what is wrong with any of them. */
export function readChanges(files: ReadonlyMap<string, string>): {
  readonly changes: readonly Change[];
  readonly problems: readonly string[];
} {
  const changes: Change[] = [];
  const problems: string[] = [];
  for (const [file, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (file === NOTHING) continue;
    const kind = NAME.exec(file)?.groups?.["kind"] ?? "";
    const text = content.trim();
    if (!Object.hasOwn(HEADINGS, kind)) {
      const kinds = Object.keys(HEADINGS).map((one) => `${one}-`);
      problems.push(`changes/${file}: the name begins with ${kinds.join(", ")} and ends in .md`);
    } else if (text === "" || text.startsWith("-") || text.startsWith("#")) {
      problems.push(`changes/${file}: one entry is expected, without dash and heading`);
    } else if (text.split("\n").length > MOST_LINES) {
      problems.push(`changes/${file}: more than ${MOST_LINES} lines; say it shorter and link to its page`);
    } else changes.push({ file, kind: kind as Change["kind"], text });
  }
  return { changes, problems };
}

/** The files of `changes/`, by name. */
export function changeFiles(): ReadonlyMap<string, string> {
  return new Map(readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), "utf8")]));
}

/**
 * Returns the changelog with a release: what was unreleased and the notes are under its version, and a new section for
 * what comes is above.
 * @throws Error where the changelog has no section for what is unreleased
 */
export function withRelease(
  changelog: string,
  changes: readonly Change[],
  version: string,
  date: string,
): string {
  const start = changelog.indexOf(`${UNRELEASED}\n`);
  if (start < 0) throw new Error(`CHANGELOG.md has no ${UNRELEASED}`);
  const from = start + UNRELEASED.length;
  const next = changelog.indexOf("\n## ", from);
  const end = next < 0 ? changelog.length : next + 1;
  const section = withEntries(changelog.slice(from, end).trim(), changes);
  const rest = changelog.slice(end);
  return `${changelog.slice(0, start)}${UNRELEASED}\n\n## [${version}] - ${date}\n\n${section}\n\n${rest}`
    .trimEnd()
    .concat("\n");
}

/** Puts notes under their headings, before what stands there, and adds headings that are missing. */
function withEntries(section: string, changes: readonly Change[]): string {
  const parts = section.split(/^(?=### )/m).map((part) => part.trim());
  for (const [kind, heading] of Object.entries(HEADINGS)) {
    const entries = changes.filter((one) => one.kind === kind).map(entryOf);
    if (entries.length === 0) continue;
    const title = `### ${heading}`;
    const at = parts.findIndex((part) => part === title || part.startsWith(`${title}\n`));
    const below = at < 0 ? "" : (parts[at] as string).slice(title.length).trim();
    // A list goes on with what stands there; a heading begins anew.
    const gap = below.startsWith("- ") ? "\n" : "\n\n";
    const part = `${title}\n\n${entries.join("\n")}${below === "" ? "" : gap + below}`;
    if (at >= 0) parts[at] = part;
    else parts.push(part);
  }
  const order = Object.values(HEADINGS).map((heading) => `### ${heading}`);
  const rank = (part: string): number => order.indexOf((part.split("\n")[0] ?? "") as (typeof order)[number]);
  return parts
    .filter((part) => part !== "")
    .sort((a, b) => rank(a) - rank(b))
    .join("\n\n");
}

function entryOf({ text }: Change): string {
  return `- ${text.replaceAll("\n", "\n  ")}`;
}

if (import.meta.main) {
  const { changes, problems } = readChanges(changeFiles());
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(`${withEntries("", changes)}\n`);
  if (problems.length > 0) process.exitCode = 1;
}

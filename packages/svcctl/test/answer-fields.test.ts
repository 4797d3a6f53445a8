/** The fields of answers that the commands read, as the sources name them, against answers of a real data server. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import local from "../../../fixtures/conversations/data-server-commands.json" with { type: "json" };
import onStore from "../../../fixtures/conversations/object-store-answers.json" with { type: "json" };

const SOURCE = join(import.meta.dirname, "../src");

/** Folders of commands on repositories. The state of a bisection is a file of our own. */
const FOLDERS = [
  "abuse",
  "actions",
  "branch",
  "branch-protect",
  "commits",
  "fs",
  "gc",
  "import",
  "local",
  "objects",
  "plumbing",
  "repo",
  "tag",
  "transfer",
];

const GC_TASK = "named as in the server's API description; no conversation about a task of gc is recorded";

/** Fields that no recorded answer has. */
const UNSEEN: ReadonlyMap<string, string> = new Map([
  ["status_code", "the server refuses a deletion as a whole; only a failing store refuses single objects"],
  ["hdi_isfolder", "metadata that Azure gives to the folders of a data lake, read from Azure itself"],
  ["task_id", GC_TASK],
  ["gc_commits_location", GC_TASK],
  ["gc_commits_presigned_url", GC_TASK],
]);

/** Names in `textField(answer, "name")` and `answer["name"]`. */
const READ = /Field\(\s*[^()]*?,\s*"(?<field>\w+)"|(?<of>\w+)\??\.?\["(?<index>\w+)"\]/g;

/** Objects that are no answers, and types. */
const OTHERS: ReadonlySet<string | undefined> = new Set([
  "options",
  "headers",
  "env",
  "MeasuredBody",
  "StreamAnswer",
]);

function fieldsRead(): Map<string, string> {
  const fields = new Map<string, string>();
  for (const folder of FOLDERS) {
    const names = readdirSync(join(SOURCE, folder), { encoding: "utf8", recursive: true });
    for (const name of names.filter((one) => one.endsWith(".ts"))) {
      const text = readFileSync(join(SOURCE, folder, name), "utf8");
      for (const { groups = {} } of text.matchAll(READ)) {
        const field = groups["field"] ?? groups["index"];
        if (field !== undefined && !OTHERS.has(groups["of"])) fields.set(field, `${folder}/${name}`);
      }
    }
  }
  return fields;
}

function collect(value: unknown, into: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) for (const key of Object.keys(value)) into.add(key);
  for (const one of Object.values(value)) collect(one, into);
}

function fieldsAnswered(): Set<string> {
  const fields = new Set<string>();
  for (const { exchanges } of local.conversations) {
    for (const { status, answer } of exchanges) {
      if (status < 300 && /^[[{]/.test(answer)) collect(JSON.parse(answer), fields);
    }
  }
  for (const { answer } of onStore.exchanges) collect(answer, fields);
  return fields;
}

describe("a field that a command reads", () => {
  const answered = fieldsAnswered();
  const read = fieldsRead();

  it.each([...read])("%s (%s) is in an answer of a real server", (field) => {
    expect(answered.has(field) || UNSEEN.has(field)).toBe(true);
  });

  it("is found in the sources", () => {
    expect(read.size).toBeGreaterThan(35);
    expect([...UNSEEN.keys()].filter((field) => answered.has(field) || !read.has(field))).toEqual([]);
  });
});

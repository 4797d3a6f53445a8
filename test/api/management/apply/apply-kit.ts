/** Ways to apply documents in tests, and to look at what came of it. */

import type { BatchOperation, DirectoryState } from "../../../../src/directory/batch.ts";
import type { Answer, Management, Person } from "../kit.ts";

interface Change {
  readonly action: string;
  readonly kind: string;
  readonly name: string;
  readonly fields?: readonly string[];
  readonly drifted?: boolean;
  readonly at?: string;
}

interface ApplyOptions {
  readonly manager?: string;
  readonly prune?: boolean;
  readonly dry_run?: boolean;
  readonly yes?: boolean;
  readonly expected?: string;
  readonly as?: Person;
}

/** Applies documents as a person, by default as an administrator. */
export function applied(
  api: Management,
  documents: readonly unknown[],
  { as = "admin", manager = "tests", ...options }: ApplyOptions = {},
): Promise<Answer> {
  return api.call(as, "POST", "/auth/apply", { body: { manager, documents, ...options } });
}

/** The changes of an answer as lines. */
export function lines(answer: Answer): readonly string[] {
  if (answer.json?.changes === undefined) return [`${answer.status} ${answer.text}`];
  return (answer.json.changes as readonly Change[]).map(({ action, kind, name, fields, drifted }) => {
    const detail = fields === undefined ? "" : ` (${fields.join(", ")})`;
    return `${action} ${kind} ${name}${detail}${drifted === true ? " drifted" : ""}`;
  });
}

export function stateOf(api: Management): Promise<DirectoryState> {
  return api.authorizer.directory.batches.state({ secrets: true });
}

/** Changes the directory as somebody who knows nothing of documents. */
export function meanwhile(api: Management, operations: readonly BatchOperation[]): Promise<unknown> {
  return api.authorizer.directory.batches.apply(operations, { managed: false });
}

export const allow = (action: readonly string[], resource = "*") => ({ effect: "allow", action, resource });
export const document = (sections: object) => ({ format: 1, ...sections });
export const CREW = document({
  policies: [{ name: "Own", statement: [allow(["fs:ReadObject"])] }],
  groups: [{ name: "Crew", policies: ["Own"] }],
  users: [{ username: "ann", groups: ["Crew"] }],
});

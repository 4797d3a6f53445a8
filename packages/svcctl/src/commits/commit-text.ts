/** Commits as text, in the form of the data server's own tool. */

import { safeMessage, safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { JsonObject } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import { formatDate } from "../output/dates.ts";
import { textField } from "../output/fields.ts";
import type { Style } from "../style.ts";

/** Width of the keys of metadata. */
const KEY = 18;

/** Ids of the parents of a commit. */
export function parentsOf(commit: JsonObject): readonly string[] {
  const { parents } = commit;
  return Array.isArray(parents) ? parents.map((parent) => safeText(String(parent))) : [];
}

/** A commit of a log, with an empty line before it. */
export function commitText(commit: JsonObject, style: Style, showMetaRange: boolean): string {
  const field = (name: string): string => safeText(textField(commit, name));
  const committer = field("committer");
  const parents = parentsOf(commit);
  const lines = [
    "",
    `ID:            ${style.yellow(field("id"))}`,
    ...(committer === "" ? [] : [`Author:        ${committer}`]),
    `Date:          ${formatDate(commit["creation_date"])}`,
    ...(showMetaRange ? [`Meta Range ID: ${field("meta_range_id")}`] : []),
    ...(parents.length > 1 ? [`Merge:         ${style.bold(parents.join(", "))}`] : []),
    "",
    `\t${safeMessage(textField(commit, "message"))}`,
  ];
  return `${lines.join("\n")}\n${metadataText(commit["metadata"])}`;
}

/** As in the data server's own tool, the last line has no end: the next commit begins with one. */
function metadataText(metadata: unknown): string {
  const entries = isObject(metadata) ? Object.entries(metadata) : [];
  if (entries.length === 0) return "";
  const lines = entries
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, value]) => `\n\t${safeText(key).padEnd(KEY)} = ${safeText(String(value))}\n\t`);
  return `\nMetadata:\n\t${lines.join("")}`;
}

/** Returns the text that is printed after a commit on a branch. */
export function createdCommitText(branch: string, commit: JsonObject, { yellow }: Style): string {
  const lines = [
    `Commit for branch "${branch}" completed.`,
    "",
    `ID: ${yellow(safeText(textField(commit, "id")))}`,
    `Message: ${safeMessage(textField(commit, "message"))}`,
    `Timestamp: ${formatDate(commit["creation_date"])}`,
    `Parents: ${parentsOf(commit).join(", ")}`,
    "",
  ];
  return `${lines.join("\n")}\n`;
}

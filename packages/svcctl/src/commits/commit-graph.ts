/** Commits as nodes of a graph in the language of Graphviz (`svcctl log --dot`). */

import type { JsonObject } from "../api/api-client.ts";
import type { CommandContext } from "../command-context.ts";
import { textField } from "../output/fields.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { parentsOf } from "./commit-text.ts";
import { escapeHtml } from "./escape-html.ts";

/** Digits of an id in the label of its node. */
const SHORT_ID = 8;

/** The node of a commit, which links to its page, and an edge from each parent. */
export function dotCommit(commit: JsonObject, repository: string, context: CommandContext): string {
  const id = idOf(textField(commit, "id"));
  const parents = parentsOf(commit).map(idOf);
  const plain = `${id.slice(0, SHORT_ID)}<br/> ${escapeHtml(textField(commit, "message"))}`;
  const label = parents.length > 1 ? `<b>${plain}</b>` : plain;
  const base = loadSettings(context).endpointUrl.replace(/(\/api\/v1)?\/*$/, "");
  const page = `${base}/repositories/${encodeURIComponent(repository)}/commits/${id}`;
  const node = `\n\t"${id}" [shape=note target="_blank" href="${page}" label=< ${label} >]\n`;
  return node + parents.map((parent) => `\t"${parent}" -> "${id}";\n`).join("");
}

/** Ids are hexadecimal; nothing else may end the quotes that they stand in. */
function idOf(text: string): string {
  return text.replace(/[^\w.-]/g, "");
}

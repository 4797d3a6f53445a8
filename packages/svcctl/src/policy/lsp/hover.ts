/** The texts of the language server about the word under the cursor, in Markdown. */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { compileWildcard } from "@svc-authorizer/policy/engine/patterns/wildcard.ts";
import { operatorOf } from "@svc-authorizer/policy/model/condition-operators.ts";
import { compileTemplate } from "@svc-authorizer/policy/model/template.ts";
import type { Cursor } from "./cursor.ts";

/** Most actions that are listed for a pattern. */
const LISTED = 12;

/** The meaning of an action, an ARN or an operator; undefined where there is none. */
export function hoverAt({ keys, isKey, word: { text } }: Cursor, catalog: Catalog): string | undefined {
  if (text === "") return undefined;
  const key = keys.at(-1);
  if (key === "action" && !isKey) return aboutAction(text, catalog);
  if (key === "resource" && !isKey) return aboutResource(text, catalog);
  const name = text.replace(/:$/, "");
  if (keys.includes("condition") && operatorOf(name) !== undefined) {
    return `Condition operator **${name}**. A field that the request does not have does not satisfy it.`;
  }
  return undefined;
}

function aboutAction(text: string, catalog: Catalog): string | undefined {
  const known = catalog.actions.get(text);
  if (known !== undefined) return `**${text}**: ${known.meaning}.`;
  if (!/[*?]/.test(text)) return undefined;
  const pattern = compileWildcard(text);
  const matching = [...catalog.actions.keys()].filter((action) => pattern.match(action));
  const listed = matching.slice(0, LISTED).map((action) => `- ${action}`);
  const more = matching.length > LISTED ? [`- and ${matching.length - LISTED} more`] : [];
  return [`**${text}** stands for ${matching.length} actions:`, "", ...listed, ...more].join("\n");
}

function aboutResource(text: string, catalog: Catalog): string | undefined {
  if (text === "*") return "Every resource.";
  const types = [...catalog.resourceTypes.values()].filter(
    (type) => compileTemplate(type).fromArn(text) !== undefined,
  );
  if (types.length === 0) return undefined;
  return types.map(({ type, arn }) => `Resource type **${type}**: \`${arn}\``).join("\n\n");
}

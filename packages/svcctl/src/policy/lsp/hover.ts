/** The texts of the language server about the word under the cursor, in Markdown. */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { USER_PLACEHOLDER } from "@svc-authorizer/policy/engine/patterns/resource-pattern.ts";
import { compileWildcard } from "@svc-authorizer/policy/engine/patterns/wildcard.ts";
import { operatorOf } from "@svc-authorizer/policy/model/condition-operators.ts";
import type { Vocabulary } from "@svc-authorizer/policy/model/policy-warnings.ts";
import { doubtText, type QuestionDoubt, questionJudge } from "@svc-authorizer/policy/model/question-judge.ts";
import type { Cursor } from "./cursor.ts";

/** Most actions that are listed for a pattern. */
const LISTED = 12;
const WILDCARD = /[*?]/;

/** The meaning of an action, an ARN or an operator, or the doubts about it; undefined where there is nothing to say. */
export function hoverAt(
  { keys, isKey, word: { text } }: Cursor,
  catalog: Catalog,
  vocabulary: Vocabulary,
): string | undefined {
  if (text === "") return undefined;
  const key = keys.at(-1);
  if (key === "action" && !isKey) return aboutAction(text, catalog, vocabulary);
  if (key === "resource" && !isKey) return aboutResource(text, vocabulary);
  const name = text.replace(/:$/, "");
  if (keys.includes("condition") && operatorOf(name) !== undefined) {
    return `Condition operator **${name}**. A field that the request does not have does not satisfy it.`;
  }
  return undefined;
}

function aboutAction(text: string, catalog: Catalog, vocabulary: Vocabulary): string | undefined {
  const known = vocabulary.actions.get(text);
  const judge = questionJudge(vocabulary);
  if (known !== undefined) {
    const meaning = catalog.actions.get(text)?.meaning ?? "an action of a data set";
    const kinds = known.resources.map((kind) =>
      kind === "*" ? "`*`" : `\`${judge.forms.arnOf(kind) ?? kind}\``,
    );
    const about = kinds.length === 0 ? [] : [`Asked about ${kinds.join(" or ")}`];
    return [`**${text}**: ${meaning}.`, ...about, ...doubtTexts(judge.doubts({ action: text }))].join("\n\n");
  }
  if (!WILDCARD.test(text)) return doubtTexts(judge.doubts({ action: text })).join("\n\n") || undefined;
  const pattern = compileWildcard(text);
  const matching = [...vocabulary.actions.keys()].filter((action) => pattern.match(action));
  const listed = matching.slice(0, LISTED).map((action) => `- ${action}`);
  const more = matching.length > LISTED ? [`- and ${matching.length - LISTED} more`] : [];
  return [`**${text}** stands for ${matching.length} actions:`, "", ...listed, ...more].join("\n");
}

function aboutResource(text: string, vocabulary: Vocabulary): string | undefined {
  if (text === "*") return "Every resource.";
  const judge = questionJudge(vocabulary);
  const types = judge.forms.typesOf(text.replaceAll(USER_PLACEHOLDER, "*"));
  if (types.length > 0)
    return types.map((type) => `Resource type **${type}**: \`${judge.forms.arnOf(type)}\``).join("\n\n");
  if (WILDCARD.test(text) || text.includes(USER_PLACEHOLDER)) return undefined;
  return doubtTexts(judge.doubts({ resource: text })).join("\n\n") || undefined;
}

function doubtTexts(doubts: readonly QuestionDoubt[]): readonly string[] {
  return doubts.map((doubt) => `⚠ ${doubtText(doubt)}`);
}

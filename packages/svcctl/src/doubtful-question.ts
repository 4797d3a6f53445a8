/** Warnings about questions that cannot have an answer: everybody is refused, which looks like one. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { type AskedQuestion, doubtText, questionJudge } from "@svc-authorizer/policy/model/question-judge.ts";
import type { ApiClient, JsonObject } from "./api/api-client.ts";
import { isObject } from "./api/pages.ts";
import type { CommandContext } from "./command-context.ts";

const DEFAULT_PARTITION = "svc";
const PARTITION = /^arn:([a-z][a-z0-9-]*):/;

/**
 * Warns of a question that no service asks, such as one with a mistyped action. The server is asked about what the
 * catalog does not know, because its data sets can add actions and resource types.
 * @param api undefined without a server
 */
export async function warnOfDoubts(
  context: CommandContext,
  question: AskedQuestion,
  api: ApiClient | undefined,
): Promise<void> {
  const partition = PARTITION.exec(question.resource ?? "")?.[1] ?? DEFAULT_PARTITION;
  const doubts = questionJudge(await openCatalog({ partition })).doubts(question);
  if (doubts.length === 0 && partition === DEFAULT_PARTITION) return;
  const texts = (api && (await doubtsOfServer(api, question))) ?? doubts.map(doubtText);
  for (const text of texts) context.err(`warning: ${safeText(text)}\n`);
}

/** The doubts of the server; undefined for a server that does not judge questions. */
async function doubtsOfServer(
  api: ApiClient,
  question: AskedQuestion,
): Promise<readonly string[] | undefined> {
  const { status, json } = await api.ask({
    method: "POST",
    path: ["auth", "question"],
    body: { ...question },
  });
  if (status >= 400) return undefined;
  const doubts = isObject(json) ? json["doubts"] : undefined;
  return Array.isArray(doubts) ? doubts.filter(isDoubt).map(doubtText) : undefined;
}

function isDoubt(value: unknown): value is Parameters<typeof doubtText>[0] {
  if (!isObject(value)) return false;
  const { message, meant }: JsonObject = value;
  return typeof message === "string" && Array.isArray(meant) && meant.every((one) => typeof one === "string");
}

/** Warnings about questions that cannot have an answer: everybody is refused, which looks like one. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { type AskedQuestion, doubtText, questionJudge } from "@svc-authorizer/policy/model/question-judge.ts";
import type { ApiClient, JsonObject } from "./api/api-client.ts";
import { isObject } from "./api/pages.ts";
import type { CommandContext } from "./command-context.ts";

const UNJUDGED =
  "the server does not say whether it knows the action and the resource: judged by the catalog of this svcctl alone";
const UNAUTHENTICATED = 401;
const DEFAULT_PARTITION = "svc";
const PARTITION = /^arn:([a-z][a-z0-9-]*):/;

/**
 * Warns of a question that no service asks, such as one with a mistyped action. The server is always asked: its data sets
 * can add actions and resource types, or put types in place of those that ship.
 * @param api undefined without a server
 */
export async function warnOfDoubts(
  context: CommandContext,
  question: AskedQuestion,
  api: ApiClient | undefined,
): Promise<void> {
  if (Object.keys(question).length === 0) return;
  const texts = (api && (await doubtsOfServer(api, question))) ?? (await doubtsOfCatalog(question, api));
  for (const text of texts) context.err(`warning: ${safeText(text)}\n`);
}

/** The doubts of the catalog that ships; of a server that does not judge questions, it knows only a part. */
async function doubtsOfCatalog(
  question: AskedQuestion,
  api: ApiClient | undefined,
): Promise<readonly string[]> {
  const partition = PARTITION.exec(question.resource ?? "")?.[1] ?? DEFAULT_PARTITION;
  const doubts = questionJudge(await openCatalog({ partition }))
    .doubts(question)
    .map(doubtText);
  return api === undefined ? doubts : [...doubts, UNJUDGED];
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
  // The call that follows says what is wrong with the key.
  if (status === UNAUTHENTICATED) return [];
  if (status >= 400) return undefined;
  const doubts = isObject(json) ? json["doubts"] : undefined;
  return Array.isArray(doubts) ? doubts.filter(isDoubt).map(doubtText) : undefined;
}

function isDoubt(value: unknown): value is Parameters<typeof doubtText>[0] {
  if (!isObject(value)) return false;
  const { message, meant }: JsonObject = value;
  return typeof message === "string" && Array.isArray(meant) && meant.every((one) => typeof one === "string");
}

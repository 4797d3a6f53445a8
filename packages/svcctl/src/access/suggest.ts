/** `svcctl access suggest`. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openApi } from "../api/api-client.ts";
import { type Answer, answerTo } from "../api/operation.ts";
import type { CommandCall } from "../command.ts";
import { timeOf } from "../decisions/decision-filters.ts";
import { objectsIn } from "../output/fields.ts";
import { jsonText } from "../output/json-text.ts";
import { printObject } from "../output/print.ts";
import { ANSWER_MS, printWarnings } from "./answers.ts";

/**
 * Fetches a suggestion. Prints it as a statement document, which `auth policies create` reads, and what is proven to
 * standard error.
 */
export async function suggestPolicy(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const [user, group] = [textOption(options, "user"), textOption(options, "group")];
  if ((user === undefined) === (group === undefined)) throw new UsageFailure("give either --user or --group");
  const body = {
    ...(user === undefined ? { group } : { user }),
    since: timeOf(String(options["since"]), "since", Date.now()),
    generalise: options["generalise"],
  };
  const api = openApi(context, ANSWER_MS);
  const answer = await answerTo(api, "POST /auth/access/suggest", { body, members: ["policies", "proof"] });
  const [policy] = objectsIn(answer.policies);
  const statement = policy === undefined ? [] : policy.statement;
  await printObject(call, answer, () => jsonText({ statement }));
  for (const line of summaryOf(answer)) context.err(`${line}\n`);
  printWarnings(call, answer);
}

function summaryOf(answer: Answer<"POST /auth/access/suggest">): readonly string[] {
  const [before] = objectsIn([answer.before]);
  const [after] = objectsIn([answer.after]);
  const replaced = objectsIn(answer.replaces).map(({ id }) => safeText(String(id)));
  return [
    `${count(answer.decisions, "decision")}, ${count(answer.requests, "different request")}: all of them allowed, and nothing that is not allowed today`,
    `${count(before?.policies, "policy", "policies")} with ${count(before?.statements, "statement")} (${replaced.join(", ")}) -> ${count(after?.policies, "policy", "policies")} with ${count(after?.statements, "statement")}`,
  ];
}

function count(number: unknown, noun: string, several = `${noun}s`): string {
  return `${Number(number ?? 0)} ${number === 1 ? noun : several}`;
}

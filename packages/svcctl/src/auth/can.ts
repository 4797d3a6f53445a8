/** `svcctl auth can`: asks the server for a decision (spec/decision-api §3, spec/decision-api §5). */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { CheckAnswer, SimulateAnswer } from "@svc-authorizer/contract/management-api.gen.ts";
import { openApi } from "../api/api-client.ts";
import { namedOrCurrentUser } from "../api/current-user.ts";
import { answerTo } from "../api/operation.ts";
import type { CommandCall } from "../command.ts";
import { contextFields } from "../context-fields.ts";
import { warnOfDoubts } from "../doubtful-question.ts";
import { given } from "../given.ts";
import { objectsIn, textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";
import { explanationText } from "./explanation-text.ts";

/** Exit code for a refusal, which is an answer and no failure. */
const REFUSED = 3;

export async function can(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const fields = contextFields(options["context"]);
  const api = openApi(context);
  const required = { action: given(call, "action"), resource: given(call, "resource") };
  await warnOfDoubts(context, required, api);
  const user = await namedOrCurrentUser(api, call, "user");
  const explain = options["explain"] === true;
  const body = {
    user,
    required,
    ...(fields !== undefined && { context: fields }),
    ...(explain && { explain }),
  };
  await printDecision(call, user, await answerTo(api, "POST /auth/check", { body }));
}

/** Prints a decision about a user and ends with the exit code of it. */
export async function printDecision(call: CommandCall, user: string, answer: SimulateAnswer): Promise<void> {
  if (!("allowed" in answer) || typeof answer.allowed !== "boolean")
    throw new Error("Bad response from server");
  call.context.finish(answer.allowed ? 0 : REFUSED);
  await printObject(call, answer, () => answerText(call, user, answer));
}

function answerText(call: CommandCall, user: string, answer: CheckAnswer): string {
  const { style } = call.context;
  const allowed = answer.allowed === true;
  const sentence = `${user} ${allowed ? "may" : "may not"} ${given(call, "action")} on ${given(call, "resource")}`;
  const verdict = allowed ? style.green("Allowed") : style.red("Refused");
  const lines = [`${verdict}: ${safeText(sentence)}`];
  const reason = REASONS.get(textField(answer, "reason")) ?? textField(answer, "message");
  if (!allowed && reason !== "") lines.push(safeText(reason));
  for (const one of objectsIn([answer.explanation])) lines.push("", ...explanationText({ ...one }, style));
  return `${lines.join("\n")}\n`;
}

const REASONS: ReadonlyMap<string, string> = new Map([["unknown_user", "there is no such user"]]);

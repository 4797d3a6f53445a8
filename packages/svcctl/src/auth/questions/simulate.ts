/** `svcctl auth simulate`: what would be decided from other policies. */

import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import { openApi } from "../../api/api-client.ts";
import { namedOrCurrentUser } from "../../api/current-user.ts";
import { answerTo } from "../../api/operation.ts";
import type { CommandCall } from "../../command.ts";
import type { CommandContext } from "../../command-context.ts";
import { contextFields } from "../../context-fields.ts";
import { warnOfDoubts } from "../../doubtful-question.ts";
import { given } from "../../given.ts";
import { needPolicies } from "../../policy/load-policies.ts";
import { printDecision } from "../can.ts";

export async function simulate(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const fields = contextFields(options["context"]);
  const [policies, replace, remove] = ["policies", "replace", "remove"].map((name) => listOf(options[name]));
  const changes = [...(replace ?? []), ...(remove ?? [])];
  if ((policies ?? []).length > 0 === changes.length > 0) {
    throw new UsageFailure("expected either --policies, or --replace or --remove");
  }
  const what =
    changes.length === 0
      ? { policies: await policiesOf(context, policies ?? []) }
      : { candidate: { replace: await policiesOf(context, replace ?? []), remove: remove ?? [] } };
  const api = openApi(context);
  const required = { action: given(call, "action"), resource: given(call, "resource") };
  await warnOfDoubts(context, required, api);
  const user = await namedOrCurrentUser(api, call, "user");
  const body = {
    user,
    ...what,
    required,
    ...(fields !== undefined && { context: fields }),
    ...(options["explain"] === true && { explain: true }),
  };
  await printDecision(call, user, await answerTo(api, "POST /auth/simulate", { body }));
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value : [];
}

async function policiesOf(context: CommandContext, patterns: readonly string[]) {
  if (patterns.length === 0) return [];
  const documents = await needPolicies(context, patterns);
  return documents.flatMap((document) =>
    document.policies.map(({ name, statement }) => ({ name, statement })),
  );
}

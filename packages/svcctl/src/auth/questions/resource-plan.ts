/** `svcctl auth plan`: the resources on which a user may do something, as patterns. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { Plan } from "@svc-authorizer/contract/management-api.gen.ts";
import { openApi } from "../../api/api-client.ts";
import { namedOrCurrentUser } from "../../api/current-user.ts";
import { answerTo } from "../../api/operation.ts";
import type { CommandCall } from "../../command.ts";
import { contextFields } from "../../context-fields.ts";
import { warnOfDoubts } from "../../doubtful-question.ts";
import { given } from "../../given.ts";
import { objectsIn, textField } from "../../output/fields.ts";
import { printObject } from "../../output/print.ts";
import { structuredText } from "../../output/structured.ts";

export async function resourcePlan(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const fields = contextFields(options["context"]);
  const type = textOption(options, "type");
  const api = openApi(context);
  await warnOfDoubts(context, { action: given(call, "action"), ...(type !== undefined && { type }) }, api);
  const user = await namedOrCurrentUser(api, call, "user");
  const body = {
    user,
    action: given(call, "action"),
    ...(type !== undefined && { type }),
    ...(fields !== undefined && { context: fields }),
  };
  const plan = await answerTo(api, "POST /auth/plan", { body });
  if (!KINDS.has(textField(plan, "kind"))) throw new Error("Bad response from server");
  if (context.format === "csv" && options["json"] !== true) {
    return context.out(await structuredText("csv", rowsOf(plan), ["effect", "resource", "condition"]));
  }
  await printObject(call, plan, () => planText(call, user, plan));
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ["always", "all resources"],
  ["never", "no resource"],
  ["conditional", "these resources"],
]);

interface PlanRow {
  readonly effect: string;
  readonly resource: string;
  readonly condition?: unknown;
}

function rowsOf(plan: Plan): readonly PlanRow[] {
  const texts = (name: "allow" | "deny"): readonly string[] => {
    const list: unknown = plan[name];
    return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
  };
  return [
    ...texts("allow").map((resource) => ({ effect: "allow", resource })),
    ...texts("deny").map((resource) => ({ effect: "deny", resource })),
    ...objectsIn(plan.conditional).map((one) => ({
      effect: textField(one, "effect"),
      resource: textField(one, "resource"),
      condition: one.condition,
    })),
  ];
}

function planText({ context: { style }, options }: CommandCall, user: string, plan: Plan): string {
  const which = KINDS.get(textField(plan, "kind")) ?? "";
  const action = textOption(options, "action") ?? "";
  const lines = rowsOf(plan).map(({ effect, resource, condition }) => {
    const paint = effect === "allow" ? style.green : style.red;
    const only = condition === undefined ? "" : ` if ${safeText(JSON.stringify(condition))} holds`;
    return `  ${paint(effect.padEnd("allow".length))} ${safeText(resource)}${only}`;
  });
  const colon = lines.length === 0 ? "" : ":";
  const reason = plan.reason === "unknown_user" ? ["there is no such user"] : [];
  return `${[`${safeText(`${user} may ${action} on ${which}`)}${colon}`, ...lines, ...reason].join("\n")}\n`;
}

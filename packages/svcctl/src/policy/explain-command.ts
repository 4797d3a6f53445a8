/** `svcctl policy explain`: a decision with its reasons, from files only. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { isMissing, PolicyWorld } from "@svc-authorizer/policy/analysis/files/policy-world.ts";
import { unknownFieldsText } from "@svc-authorizer/policy/analysis/files/registered-world.ts";
import {
  type OfflineExplanation,
  offlineExplanation,
} from "@svc-authorizer/policy/analysis/files/run-tests.ts";
import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { explain } from "@svc-authorizer/policy/engine/explain/explain.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Via } from "@svc-authorizer/policy/model/policy.ts";
import { explanationText } from "../auth/explanation-text.ts";
import type { CommandCall } from "../command.ts";
import { contextFields } from "../context-fields.ts";
import { warnOfDoubts } from "../doubtful-question.ts";
import { jsonText } from "../output/json-text.ts";
import { addDocument } from "./documents-in-world.ts";
import { needPolicies } from "./load-policies.ts";

/** Exit code for a refusal. A refusal is an answer, not a failure. */
const REFUSED = 3;

/** Decides one request and prints why. */
export async function explainRequest({ context, options }: CommandCall): Promise<void> {
  const user = textOption(options, "user") ?? "";
  const action = textOption(options, "action") ?? "";
  const resource = textOption(options, "resource") ?? "";
  const partition = textOption(options, "partition") ?? "svc";
  const fields = new Map(Object.entries(contextFields(options["context"]) ?? {}));
  const documents = await needPolicies(context, options["policies"] as readonly string[]);
  const world = new PolicyWorld();
  for (const document of documents) await addDocument(world, document, partition);
  if (world.problems.length > 0) {
    throw new AuthorizerError("invalid_request", "the policies contradict each other", {
      problems: world.problems,
    });
  }
  const held = heldPolicies(world, user);
  const compiled = compile(
    held.map(({ policy }) => policy),
    { partition, evaluator: "extended" },
  );
  const via = new Map(held.map((one) => [one.policy.name, one.via]));
  const required = { action, resource };
  const { unknown, ...known } = world.registered.fieldsOf(user, required, fields, compiled);
  const doubt = unknownFieldsText(unknown);
  if (doubt !== undefined) context.err(`warning: ${safeText(doubt)}\n`);
  await warnOfDoubts(context, required, undefined);
  const outcome = explain(compiled, { user, required, ...known });
  const explanation = offlineExplanation(outcome, (policy) => via.get(policy) ?? []);
  const allowed = outcome.effect === "allow";
  context.finish(allowed ? 0 : REFUSED);
  if (options["json"] === true)
    return context.out(jsonText({ allowed, ...explanation, message: outcome.message }));
  const { style } = context;
  const verdict = allowed ? style.green("Allowed") : style.red("Refused");
  const sentence = `${user} ${allowed ? "may" : "may not"} ${action} on ${resource}`;
  const lines = [`${verdict}: ${safeText(sentence)}`];
  if (outcome.message !== undefined) lines.push(safeText(outcome.message));
  lines.push("", ...explanationText(printable(explanation), style));
  context.out(`${lines.join("\n")}\n`);
}

/** Returns the policies of the user if the files contain users, else all policies of the files. */
function heldPolicies(
  world: PolicyWorld,
  user: string,
): readonly { readonly policy: PolicyWorld["policies"][number]; readonly via: readonly Via[] }[] {
  if (world.users.length === 0) return world.policies.map((policy) => ({ policy, via: [{ user }] }));
  const held = world.heldBy(user);
  if (!isMissing(held)) return held;
  throw new AuthorizerError("invalid_request", `the files have users, but ${held.join("; ")}`);
}

function printable(explanation: OfflineExplanation): Readonly<Record<string, unknown>> {
  return { ...explanation };
}

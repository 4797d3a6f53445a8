/** `svcctl policy diff`. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import { worldDifference } from "@svc-authorizer/policy/analysis/difference/world-difference.ts";
import type { PolicyDocument } from "@svc-authorizer/policy/analysis/files/policy-documents.ts";
import { PolicyWorld } from "@svc-authorizer/policy/analysis/files/policy-world.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { CommandCall } from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonText } from "../output/json-text.ts";
import { reportText } from "./diff-report.ts";
import { isCut, isPartlyKnown, NOT_ALL_SHOWN, summaryOf } from "./difference-lines.ts";
import { addDocument } from "./documents-in-world.ts";
import { needPolicies } from "./load-policies.ts";

/** Compares what two sets of policies allow, and prints everything that is gained and lost. */
export async function diff({ context, options, args }: CommandCall): Promise<void> {
  const [before, after, ...more] = args;
  if (before === undefined || after === undefined || more.length > 0) {
    throw new UsageFailure("accepts 2 args: the old and the new file, folder or glob");
  }
  const limit = options["limit"] as number;
  if (limit < 1) throw new UsageFailure(`invalid argument "${limit}" for "--limit" flag: must be at least 1`);
  const partition = textOption(options, "partition") ?? "svc";
  const vocabulary = await openCatalog({ partition });
  const [old, now] = await worldsOf(context, [before, after], partition);
  const scopes = worldDifference(old, now, { vocabulary, limit });
  const widens = scopes.some(({ gains }) => gains.length > 0);
  const isJson = options["json"] === true;
  const complete = isJson ? !scopes.some(isPartlyKnown) : !isCut(scopes);
  const whole = { widens, complete, summary: summaryOf(scopes), scopes };
  context.out(isJson ? jsonText(whole) : reportText(scopes, context.style));
  context.finish(complete ? (widens ? EXIT.failed : EXIT.ok) : NOT_ALL_SHOWN);
}

async function worldsOf(
  context: CommandContext,
  [before, after]: readonly [string, string],
  partition: string,
): Promise<readonly [PolicyWorld, PolicyWorld]> {
  const [old, now] = await Promise.all([needPolicies(context, [before]), needPolicies(context, [after])]);
  return Promise.all([worldOf(sameName(old, now), partition), worldOf(sameName(now, old), partition)]);
}

async function worldOf(documents: readonly PolicyDocument[], partition: string): Promise<PolicyWorld> {
  const world = new PolicyWorld();
  for (const document of documents) await addDocument(world, document, partition);
  if (world.problems.length > 0) {
    throw new AuthorizerError("invalid_request", "the policies contradict each other", {
      problems: world.problems,
    });
  }
  return world;
}

/** Gives two single statement documents with different file names one common name, so that they are compared. */
function sameName(
  documents: readonly PolicyDocument[],
  others: readonly PolicyDocument[],
): readonly PolicyDocument[] {
  const document = documents[0];
  const policy = lonePolicy(documents);
  if (document === undefined || policy === undefined || policy.named) return documents;
  if (lonePolicy(others)?.name === policy.name) return documents;
  return [{ ...document, policies: [{ ...policy, name: "policy" }] }];
}

function lonePolicy(documents: readonly PolicyDocument[]): PolicyDocument["policies"][number] | undefined {
  const policies = documents.flatMap((document) => document.policies);
  return documents.length === 1 && policies.length === 1 ? policies[0] : undefined;
}

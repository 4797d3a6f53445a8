/** `svcctl policy diff`. */

import {
  countChanges,
  type DiffScope,
  diffWorlds,
  type ScopeDiff,
} from "../../../analysis/compare/policy-diff.ts";
import type { PolicyDocument } from "../../../analysis/files/policy-documents.ts";
import { PolicyWorld } from "../../../analysis/files/policy-world.ts";
import { openCatalog } from "../../../catalog/open-catalog.ts";
import { AuthorizerError } from "../../../errors.ts";
import { textOption } from "../../command-spec.ts";
import { EXIT } from "../../exit-codes.ts";
import { UsageFailure } from "../../failure.ts";
import { safeText } from "../../safe-text.ts";
import type { CommandCall } from "../command.ts";
import type { CommandContext } from "../command-context.ts";
import { jsonText } from "../output/json-text.ts";
import type { Style } from "../style.ts";
import { changeLines } from "./change-lines.ts";
import { addDocument } from "./documents-in-world.ts";
import { needPolicies } from "./load-policies.ts";
import { countOf } from "./placed-text.ts";

/** Compares what two sets of policies allow, and prints every difference with a request that shows it. */
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
  const scopes = diffWorlds(old, now, { vocabulary, limit });
  const widens = scopes.some(({ wider }) => wider.length > 0);
  context.out(
    options["json"] === true ? jsonText({ widens, scopes }) : reportText(scopes, limit, context.style),
  );
  context.finish(widens ? EXIT.failed : EXIT.ok);
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

function scopeText(scope: DiffScope): string {
  if ("user" in scope) return `For the user ${safeText(scope.user)}`;
  return "policy" in scope
    ? `For users who have only ${safeText(scope.policy)}`
    : "For users who have all policies";
}

function reportText(scopes: readonly ScopeDiff[], limit: number, style: Style): string {
  if (scopes.length === 0) return "Nothing is allowed or refused that was not before.\n";
  const sections = scopes.flatMap(({ scope, wider, narrower }) => [
    style.bold(scopeText(scope)),
    ...wider.flatMap((one) => changeLines(one, "wider", style)),
    ...narrower.flatMap((one) => changeLines(one, "narrower", style)),
    ...(Math.max(wider.length, narrower.length) >= limit
      ? ["  and perhaps more: --limit shows further changes"]
      : []),
    "",
  ]);
  const widenings = countChanges(scopes, "wider");
  const wider = countOf(widenings, "widening");
  const narrower = countOf(countChanges(scopes, "narrower"), "narrowing");
  const summary = `${widenings > 0 ? style.red(wider) : wider}, ${narrower}`;
  return `${[...sections, summary].join("\n")}\n`;
}

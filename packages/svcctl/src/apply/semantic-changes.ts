/** Access that changed policies give or take from now on. */

import type { AppliedChange } from "@svc-authorizer/contract/management-api.gen.ts";
import type { AccessDifference } from "@svc-authorizer/policy/analysis/difference/line.ts";
import { worldDifference } from "@svc-authorizer/policy/analysis/difference/world-difference.ts";
import { readPolicies } from "@svc-authorizer/policy/analysis/files/policy-documents.ts";
import { PolicyWorld } from "@svc-authorizer/policy/analysis/files/policy-world.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";

/** Most lines that are shown in each direction of a policy. */
const LIMIT = 100;

/** The changes of what one policy allows. */
export interface PolicyEffect extends AccessDifference {
  readonly policy: string;
}

/** Compares each changed policy with what it was. New and removed policies are compared with nothing. */
export async function effectsOf(
  changes: readonly AppliedChange[],
  partition: string,
): Promise<readonly PolicyEffect[]> {
  const policies = changes.filter(({ kind, action }) => kind === "policy" && action !== "keep");
  if (policies.length === 0) return [];
  const vocabulary = await openCatalog({ partition });
  return policies.flatMap(({ name, before, after }) => {
    const [old, now] = [worldOf(name, before), worldOf(name, after)];
    return worldDifference(old, now, { vocabulary, limit: LIMIT }).flatMap(({ scope, ...effect }) =>
      "policy" in scope ? [{ policy: name, ...effect }] : [],
    );
  });
}

function worldOf(name: string, fields: AppliedChange["before"]): PolicyWorld {
  const world = new PolicyWorld();
  const statement = fields?.["statement"];
  if (!Array.isArray(statement)) return world;
  const source = { file: name, value: { name, statement }, locate: () => new Map() };
  world.addPolicies(readPolicies(source, name).policies, "");
  if (world.problems.length === 0) return world;
  throw new AuthorizerError("internal", "a policy is in the difference twice");
}

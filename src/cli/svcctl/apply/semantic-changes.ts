/** The requests that changed policies allow or refuse from now on. */

import { diffWorlds, type ScopeDiff } from "../../../analysis/compare/policy-diff.ts";
import { PolicyWorld } from "../../../analysis/files/policy-world.ts";
import { openCatalog } from "../../../catalog/open-catalog.ts";
import { AuthorizerError } from "../../../errors.ts";
import type { Statement } from "../../../model/policy.ts";
import type { AppliedChange } from "./difference.ts";

/** Most requests that are shown in each direction of a policy. */
const LIMIT = 5;

/** The changes of what one policy allows. */
export interface PolicyEffect extends Omit<ScopeDiff, "scope"> {
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
    return diffWorlds(old, now, { vocabulary, limit: LIMIT }).flatMap(({ scope, ...effect }) =>
      "policy" in scope ? [{ policy: name, ...effect }] : [],
    );
  });
}

function worldOf(name: string, fields: AppliedChange["before"]): PolicyWorld {
  const world = new PolicyWorld();
  const statement = fields?.["statement"];
  if (!Array.isArray(statement)) return world;
  world.addPolicies([{ name, statement: statement as Statement[] }], "");
  if (world.problems.length === 0) return world;
  throw new AuthorizerError("internal", "a policy is in the difference twice");
}

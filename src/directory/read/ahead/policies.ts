/** Policies, whoever has them: users who have many of their own need not read these then. */

import type { AheadVisitor } from "../../ahead-visitor.ts";
import { type DirectoryContext, read } from "../../context.ts";
import { toStoredPolicy } from "../../records/policy-records.ts";
import { nextPortion } from "./portions.ts";

/** Policies of a portion. */
const TOGETHER = 50;

/** Reads policies in the order of their names, as many as are remembered. */
export async function readPoliciesAhead(
  context: DirectoryContext,
  visitor: Pick<AheadVisitor, "policies">,
  signal: AbortSignal,
): Promise<void> {
  const { holderLists } = context;
  const { policiesById } = holderLists;
  let after = "";
  while (!policiesById.isFull && (await nextPortion(signal))) {
    const page = await read(context, async (reader) => {
      const state = holderLists.opened(reader);
      const found = await reader.scan("policy", { after, limit: TOGETHER });
      const policies = found.map(({ key, record }) => toStoredPolicy(key, record));
      policiesById.keep(state, policies);
      return policies;
    });
    await visitor.policies(page);
    if (page.length < TOGETHER) return;
    after = page.at(-1)!.name;
  }
}

/** Groups that are read before somebody asks about their members: the first questions after a start need many at once. */

import type { HeldPolicies } from "@svc-authorizer/policy/model/held-policies.ts";
import { Turns } from "../../schedule/turns.ts";
import { type DirectoryContext, read } from "../context.ts";
import { readGroupPrincipal } from "./principals.ts";

/** Groups that are read together: about a turn of work. */
const TOGETHER = 20;

/** As {@link Directory.readGroupsAhead}. */
export async function readGroupsAhead(
  context: DirectoryContext,
  visit: (held: HeldPolicies) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { policies } = context.holderLists;
  const turns = new Turns();
  let after = "";
  for (
    let groups = 0;
    groups < policies.mostKept && !policies.isFull && !signal.aborted;
    groups += TOGETHER
  ) {
    await turns.yield();
    const page = await read(context, (reader) => reader.scan("group", { after, limit: TOGETHER }));
    const { held } = await readGroupPrincipal(
      context,
      page.map(({ key }) => key),
    );
    for (const one of held) {
      if (turns.spent) await turns.yield();
      if (signal.aborted) return;
      await visit(one);
    }
    if (page.length < TOGETHER) return;
    after = page.at(-1)!.key;
  }
}

/** Reading before somebody asks: the first questions after a start need much at once. */

import type { AheadVisitor } from "../../ahead-visitor.ts";
import type { DirectoryContext } from "../../context.ts";
import { readGroupsAhead } from "./groups.ts";
import { readLongListsAhead } from "./long-lists.ts";
import { readPoliciesAhead } from "./policies.ts";

/** Users whose policies are read: of those who have very many, there are few. */
const USERS = 16;

/** As {@link Directory.readAhead}. */
export async function readAhead(
  context: DirectoryContext,
  visitor: AheadVisitor,
  signal: AbortSignal,
): Promise<void> {
  const { mostKept } = context.holderLists.policies;
  await readPoliciesAhead(context, visitor, signal);
  await readGroupsAhead(context, visitor, { signal, most: mostKept - USERS });
  await readLongListsAhead(context, visitor, { signal, most: USERS });
}

/** The policies of groups, which all members share. */

import { Turns } from "../../../schedule/turns.ts";
import type { AheadVisitor } from "../../ahead-visitor.ts";
import { type DirectoryContext, read } from "../../context.ts";
import { ListMaker } from "./list-maker.ts";
import { nextPortion } from "./portions.ts";

/** Groups of a portion. */
const TOGETHER = 20;

/**
 * Reads groups of known policies in the order of their names.
 * @param most groups
 */
export async function readGroupsAhead(
  context: DirectoryContext,
  visitor: Pick<AheadVisitor, "attached">,
  { signal, most }: { readonly signal: AbortSignal; readonly most: number },
): Promise<void> {
  const turns = new Turns();
  let after = "";
  for (let looked = 0; looked < most && (await nextPortion(signal)); looked += TOGETHER) {
    const limit = Math.min(TOGETHER, most - looked);
    const { page, lists } = await read(context, async (reader) => {
      const page = await reader.scan("group", { after, limit });
      const maker = new ListMaker(reader, context.holderLists);
      const lists = page.map(({ key, record }) => maker.of("group_policy", { id: record.id, name: key }));
      return { page, lists: await Promise.all(lists) };
    });
    for (const list of lists) {
      if (turns.spent) await turns.yield();
      if (signal.aborted) return;
      if (list !== undefined) await visitor.attached("group", list);
    }
    if (page.length < limit) return;
    after = page.at(-1)!.key;
  }
}

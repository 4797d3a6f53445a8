/** Policies of the users with the most of their own: what takes longest when one of them asks for the first time. */

import type { AheadVisitor } from "../../ahead-visitor.ts";
import { type DirectoryContext, read } from "../../context.ts";
import { splitKey } from "../../records/layout.ts";
import { LONG_LIST } from "../holder-lists.ts";
import type { Reader } from "../reader.ts";
import { ListMaker } from "./list-maker.ts";
import { nextPortion } from "./portions.ts";

/** Attachments that are looked at, of a directory that may have millions: about 100 ms of work. */
const MOST_LOOKED_AT = 50_000;
/** Attachments of a portion. */
const TOGETHER = 1_000;

/**
 * Reads the own policies of users with many, where they are known and the user is found among the first attachments.
 * @param most users
 */
export async function readLongListsAhead(
  context: DirectoryContext,
  visitor: Pick<AheadVisitor, "attached">,
  { signal, most }: { readonly signal: AbortSignal; readonly most: number },
): Promise<void> {
  const search = new LongListSearch();
  let users = 0;
  for (let looked = 0; looked < MOST_LOOKED_AT && !search.isAtEnd; looked += TOGETHER) {
    if (!(await nextPortion(signal))) return;
    const found = await read(context, (reader) => search.next(reader));
    for (const id of found) {
      if (users === most || !(await nextPortion(signal))) return;
      const list = await read(context, (reader) =>
        new ListMaker(reader, context.holderLists).of("user_policy", { id }),
      );
      if (list === undefined) continue;
      await visitor.attached("user", list);
      users++;
    }
  }
}

/** Looks for users with many attachments, which stand together. */
class LongListSearch {
  /** True once nothing is left to look at. */
  isAtEnd = false;
  #after = "";
  /** The user of the last attachment, and how many were seen. */
  #user = "";
  #amount = 0;

  /** The ids of users of whom the next attachments are the many-th. */
  async next(reader: Reader): Promise<readonly string[]> {
    const found: string[] = [];
    const { end } = await reader.search("user_policy", { after: this.#after, limit: TOGETHER }, (key) => {
      const { id } = splitKey(key);
      this.#amount = id === this.#user ? this.#amount + 1 : 1;
      this.#user = id;
      if (this.#amount === LONG_LIST) found.push(id);
      return false;
    });
    this.isAtEnd = end === undefined;
    this.#after = end ?? this.#after;
    return found;
  }
}

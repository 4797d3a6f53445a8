/**
 * Lists of what holders have, made of policies that are known. A list with another policy is not made: it is read when it is
 * needed, so that what is read ahead takes no more memory than the known policies.
 */

import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import { type AttachmentPartition, readAttachments } from "../attachments.ts";
import type { HolderLists } from "../holder-lists.ts";
import type { Reader } from "../reader.ts";
import type { ReadState } from "../told-commits.ts";

/** Most policies of a list. */
const LONGEST = 20_000;

/** Makes lists from one state. */
export class ListMaker {
  readonly #reader: Reader;
  readonly #lists: HolderLists;
  readonly #state: ReadState;

  constructor(reader: Reader, lists: HolderLists) {
    this.#reader = reader;
    this.#lists = lists;
    this.#state = lists.opened(reader);
  }

  /**
   * The policies of a holder, which are remembered then; undefined if one of them is not known, and where there is no room.
   * @param holder of a group, also the name
   */
  async of(
    partition: AttachmentPartition,
    holder: { readonly id: string; readonly name?: string },
  ): Promise<readonly StoredPolicy[] | undefined> {
    const attachments = await readAttachments(this.#reader, partition, holder.id, LONGEST);
    if (attachments.length > LONGEST) return undefined;
    const found = this.#lists.policiesById.at(this.#state, attachments);
    if (found.includes(undefined)) return undefined;
    const list = found as readonly StoredPolicy[];
    if (!this.#lists.policies.fits(list)) return undefined;
    this.#lists.policies.keep(this.#state, holder, list);
    return list;
  }
}

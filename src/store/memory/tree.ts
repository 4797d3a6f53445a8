/** The tree of the store in memory: a copy-on-write B+ tree of records by partition and key. */

import { createRequire } from "node:module";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import type sortedBTree from "sorted-btree";
import type { StoredRecord, VersionedRecord } from "../port.ts";

/** Records by {@link pathOf}. */
export type Tree = sortedBTree.default<string, StoredRecord>;

// Required, not imported: loaders of tests and Node disagree about what the default import of this package is.
const { default: BTree } = createRequire(import.meta.url)("sorted-btree") as typeof sortedBTree;

/** Records of a page of the whole state. */
const STATE_PAGE = 500;

/** An empty tree. */
export function newTree(): Tree {
  return new BTree<string, StoredRecord>(undefined, compareUtf8);
}

/** One text for both: NUL is in no partition and no key, and sorts before everything. */
export function pathOf(partition: string, key: string): string {
  return `${partition}\0${key}`;
}

/** Every record, in order. */
export async function* pagesOf(tree: Tree): AsyncGenerator<readonly VersionedRecord[]> {
  let page: VersionedRecord[] = [];
  for (const [name, { value, version }] of tree.entries()) {
    const end = name.indexOf("\0");
    page.push({ partition: name.slice(0, end), key: name.slice(end + 1), value, version: Number(version) });
    if (page.length < STATE_PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** Records of many holders read together: those of holders that were made together stand together. */

import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import { Turns } from "../../schedule/turns.ts";
import type { ScanOptions } from "../../store/port.ts";
import { under } from "../records/layout.ts";

/** Records of a page behind a gap, and of the longest page. A page doubles as long as half of the last one was wanted. */
const FEW = 4;
const MOST = 1_000;

/**
 * Every record below each of some ids, in the order of the ids given.
 * @param scan reads a page of the partition
 * @param ids distinct, not empty, without "/"
 */
export async function scanBelowEach<T extends { readonly key: string }>(
  scan: (range: ScanOptions) => Promise<readonly T[]>,
  ids: readonly string[],
): Promise<readonly (readonly T[])[]> {
  const below = ids.map((id): { readonly prefix: string; readonly found: T[] } => {
    return { prefix: under(id, ""), found: [] };
  });
  const lists = below.map(({ found }) => found);
  below.sort((a, b) => compareUtf8(a.prefix, b.prefix));
  const turns = new Turns();
  let next = 0;
  for (let [after, limit] = [below[0]?.prefix ?? "", FEW]; next < below.length; ) {
    const page = await scan({ after, limit });
    let wanted = 0;
    for (const one of page) {
      while (next < below.length && isBefore(below[next]!.prefix, one.key)) next++;
      if (next === below.length) break;
      if (!one.key.startsWith(below[next]!.prefix)) continue;
      below[next]!.found.push(one);
      wanted++;
    }
    if (page.length < limit || next === below.length) break;
    const last = page.at(-1)!.key;
    const { prefix } = below[next]!;
    after = compareUtf8(prefix, last) <= 0 ? last : prefix;
    limit = wanted * 2 >= page.length ? Math.min(MOST, limit * 2) : FEW;
    if (turns.spent) await turns.yield();
  }
  return lists;
}

/** True if every key with the prefix comes before a key. */
function isBefore(prefix: string, key: string): boolean {
  return !key.startsWith(prefix) && compareUtf8(prefix, key) < 0;
}

/**
 * Pages of the users or groups that a policy is attached to, in UTF-8 byte order of their names. The index of a policy
 * knows its holders by id, so all users or groups are read through, in turns and with the bound of a search: a page may
 * have fewer items than were asked for, and another after it.
 */

import type { Page } from "../directory.ts";
import { type RecordTypes, under } from "../records/layout.ts";
import type { Range } from "./list-source.ts";
import { EMPTY_PAGE } from "./pages.ts";
import type { Reader } from "./reader.ts";
import { searchPage } from "./search-page.ts";

/** A kind of holder, with its letter in the index. */
const LETTERS = { user: "u", group: "g" } as const;

/** Reads a page of the holders of one kind. */
export async function listPolicyHolders<K extends "user" | "group", T>(
  reader: Reader,
  policyId: string,
  kind: K,
  range: Range,
  make: (name: string, record: RecordTypes[K]) => T,
): Promise<Page<T>> {
  const base = under(policyId, `${LETTERS[kind]}/`);
  const ids = new Set<string>();
  for await (const page of reader.scanAll("policy_holder", base)) {
    for (const { key } of page) ids.add(key.slice(base.length));
  }
  if (ids.size === 0) return EMPTY_PAGE;
  return searchPage(reader, range, {
    partition: kind,
    base: "",
    mayBeItem: (stored) => hasIdOf(stored, ids),
    items: (found, names) =>
      found.map(({ record }, index) =>
        ids.has(record.id) ? make(names[index] as string, record) : undefined,
      ),
  });
}

const MEMBER = '"id":"';

/** False only if no member `id` of a JSON text, at any depth, is one of these; ids are written as they are. */
function hasIdOf(stored: string, ids: ReadonlySet<string>): boolean {
  for (let at = stored.indexOf(MEMBER); at >= 0; at = stored.indexOf(MEMBER, at + 1)) {
    const begin = at + MEMBER.length;
    if (ids.has(stored.slice(begin, stored.indexOf('"', begin)))) return true;
  }
  return false;
}

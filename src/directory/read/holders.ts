/**
 * Users who have one of some policies, in UTF-8 byte order of their names, without looking at anybody else where
 * the references lead to them. It is for narrowing: an attachment that is void, since group or user is another by
 * now, may still name somebody; whoever asks goes on to read what the user really has.
 */

import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import type { Pause } from "../../schedule/pace.ts";
import type { HolderTest } from "../directory.ts";
import { splitKey, under } from "../records/layout.ts";
import type { Reader } from "./reader.ts";

/** Sizes of reads. */
export interface HolderSizes {
  /** More policies or groups than this, and all users are read in their order instead of lists of them. */
  readonly mostLists: number;
  /** Records of all lists together, and of each at least. */
  readonly listed: number;
  readonly leastListed: number;
  /** Records of users. */
  readonly users: number;
}

const SIZES: HolderSizes = { mostLists: 500, listed: 2_048, leastListed: 16, users: 500 };

/** A part of a list of users: who passed up to a name, or to the end. */
interface Part {
  readonly names: readonly string[];
  /** The list is read up to this name; undefined: to its end. */
  readonly upTo: string | undefined;
}

/** Reads what follows a name. */
type List = (after: string) => Promise<Part>;

/** A list with the part of it that was read and not given out. */
interface Cursor {
  readonly list: List;
  waiting: readonly string[];
  upTo: string | undefined;
}

async function partOf(
  names: readonly string[],
  limit: number,
  passes: (index: number) => boolean,
  pause: Pause,
): Promise<Part> {
  const upTo = names.length < limit ? undefined : names.at(-1);
  const passed: string[] = [];
  for (const [index, name] of names.entries()) {
    if (passes(index)) passed.push(name);
    await pause();
  }
  return { names: passed, upTo };
}

function membersList(
  reader: Reader,
  groupId: string,
  tests: readonly HolderTest[],
  limit: number,
  pause: Pause,
): List {
  const base = under(groupId, "");
  return async (after) => {
    const found = await reader.scan("group_user", { prefix: base, after: base + after, limit });
    const names = found.map(({ key }) => key.slice(base.length));
    return partOf(names, limit, (index) => tests.some((passes) => passes(names[index]!)), pause);
  };
}

function usersList(
  reader: Reader,
  limit: number,
  passes: (id: string, username: string) => boolean,
  pause: Pause,
): List {
  return async (after) => {
    const found = await reader.scan("user", { limit, ...(after !== "" && { after }) });
    const names = found.map(({ key }) => key);
    return partOf(names, limit, (index) => passes(found[index]!.record.id, names[index]!), pause);
  };
}

/** Tests by internal id of a user or group. */
type TestsById = Map<string, HolderTest[]>;

function add(tests: TestsById, id: string, test: HolderTest): void {
  const known = tests.get(id);
  if (known === undefined) tests.set(id, [test]);
  else known.push(test);
}

/** The lists that lead to all holders; their number is bounded. */
async function listsOf(
  reader: Reader,
  policies: ReadonlyMap<string, HolderTest>,
  { mostLists, listed, leastListed, users }: HolderSizes,
  pause: Pause,
): Promise<readonly List[]> {
  const everyone = [usersList(reader, users, () => true, pause)];
  if (policies.size > mostLists) return everyone;
  const direct: TestsById = new Map();
  const groups: TestsById = new Map();
  for (const [policyId, test] of policies) {
    const base = under(policyId, "");
    for await (const page of reader.scanAll("policy_holder", base)) {
      for (const { key } of page) {
        const { id: kind, rest: holderId } = splitKey(key.slice(base.length));
        add(kind === "u" ? direct : groups, holderId, test);
      }
    }
    if (groups.size > mostLists) return everyone;
    await pause();
  }
  const limit = Math.max(leastListed, Math.floor(listed / Math.max(1, groups.size)));
  const lists = [...groups].map(([groupId, tests]) => membersList(reader, groupId, tests, limit, pause));
  if (direct.size === 0) return lists;
  const passes = (id: string, username: string): boolean =>
    direct.get(id)?.some((test) => test(username)) ?? false;
  return [...lists, usersList(reader, users, passes, pause)];
}

async function refill(cursors: readonly Cursor[], pause: Pause): Promise<void> {
  for (const cursor of cursors) {
    if (cursor.waiting.length > 0 || cursor.upTo === undefined) continue;
    const { names, upTo } = await cursor.list(cursor.upTo);
    cursor.waiting = names;
    cursor.upTo = upTo;
    await pause();
  }
}

/** Takes the names that no list can add to any more: those up to where every list is read. */
function take(cursors: readonly Cursor[]): string[] {
  let bound: string | undefined;
  for (const { upTo } of cursors) {
    if (upTo !== undefined && (bound === undefined || compareUtf8(upTo, bound) < 0)) bound = upTo;
  }
  const taken = new Set<string>();
  for (const cursor of cursors) {
    const beyond =
      bound === undefined ? -1 : cursor.waiting.findIndex((name) => compareUtf8(name, bound) > 0);
    const count = beyond < 0 ? cursor.waiting.length : beyond;
    for (const name of cursor.waiting.slice(0, count)) taken.add(name);
    cursor.waiting = cursor.waiting.slice(count);
  }
  return [...taken].sort(compareUtf8);
}

/**
 * Names of the users after `after` who hold one of the policies directly or through a group, and whose name passes the
 * test of the policy; in pages in UTF-8 byte order, some of which may be empty.
 * @param policies by internal id
 * @param pause waits if it is time to let other work run
 */
export async function* readHolders(
  reader: Reader,
  policies: ReadonlyMap<string, HolderTest>,
  after: string,
  pause: Pause,
  sizes: HolderSizes = SIZES,
): AsyncGenerator<readonly string[]> {
  const lists = await listsOf(reader, policies, sizes, pause);
  let cursors: readonly Cursor[] = lists.map((list) => ({ list, waiting: [], upTo: after }));
  while (cursors.length > 0) {
    await refill(cursors, pause);
    yield take(cursors);
    cursors = cursors.filter(({ waiting, upTo }) => waiting.length > 0 || upTo !== undefined);
  }
}

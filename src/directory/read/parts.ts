/** Everything of a kind in one state, a part at a time: for who walks through a large directory. */

import type { Credential, Group, User } from "@svc-authorizer/policy/model/entities.ts";
import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import type { Part, PartRange } from "../directory.ts";
import { toGroup } from "../records/group-records.ts";
import { splitKey, under } from "../records/layout.ts";
import { datesOf, isListed } from "../records/owned-records.ts";
import { toStoredPolicy } from "../records/policy-records.ts";
import { toUser } from "../records/user-records.ts";
import type { Found, Reader } from "./reader.ts";

type Listed = "user" | "group" | "policy" | "key";

async function partOf<P extends Listed, T>(
  reader: Reader,
  partition: P,
  { after, limit }: PartRange,
  items: (found: readonly Found<P>[]) => readonly T[] | Promise<readonly T[]>,
): Promise<Part<T>> {
  const found = await reader.scan(partition, { limit, ...(after !== "" && { after }) });
  return { items: await items(found), upTo: found.length < limit ? undefined : found.at(-1)?.key };
}

/** Users after a name. */
export function userPart(reader: Reader, range: PartRange): Promise<Part<User>> {
  return partOf(reader, "user", range, (found) => found.map(({ key, record }) => toUser(key, record)));
}

/** Groups after a name. */
export function groupPart(reader: Reader, range: PartRange): Promise<Part<Group>> {
  return partOf(reader, "group", range, (found) => found.map(({ key, record }) => toGroup(key, record)));
}

/** Policies after a name. */
export function policyPart(reader: Reader, range: PartRange): Promise<Part<StoredPolicy>> {
  return partOf(reader, "policy", range, (found) =>
    found.map(({ key, record }) => toStoredPolicy(key, record)),
  );
}

/**
 * Access keys after an id: those that lists have.
 * @param now Unix seconds
 */
export function keyPart(reader: Reader, range: PartRange, now: number): Promise<Part<Credential>> {
  return partOf(reader, "key", range, async (found) => {
    const users = await reader.getMany(
      "user",
      found.map(({ record }) => record.username),
    );
    // A key of a user who is gone is void.
    const valid = found.filter(
      ({ record }, index) => users[index]?.id === record.id && isListed(record, now),
    );
    return valid.map(({ key, record }) => {
      return { access_key_id: key, ...datesOf(record), username: record.username };
    });
  });
}

/** The numbers of users and groups that a policy is attached to, in pages; none if there is no such policy. */
export async function* attachmentCounts(reader: Reader, policy: string): AsyncGenerator<number> {
  const record = isPossibleName(policy) ? await reader.get("policy", policy) : undefined;
  if (record === undefined) return;
  const base = under(record.id, "");
  for await (const page of reader.scanAll("policy_holder", base)) {
    const holders = page.map(({ key }) => splitKey(key.slice(base.length)).rest);
    // What a deleted holder had attached is void, and waits to be swept.
    const gone = await reader.getMany("sweep", holders);
    yield gone.filter((one) => one === undefined).length;
  }
}

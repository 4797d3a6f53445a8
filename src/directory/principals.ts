/** What a decision about a user needs, read from one state of the store. */

import { isPossibleName } from "../model/names.ts";
import type { EffectivePolicy, Via } from "../model/policy.ts";
import { compareUtf8 } from "../model/utf8-order.ts";
import { type DirectoryContext, read } from "./context.ts";
import type { Principal } from "./directory.ts";
import { toPolicy } from "./policy-records.ts";
import type { Found, Reader } from "./reader.ts";
import { under } from "./records.ts";

interface Attachment {
  readonly policyId: string;
  readonly via: Via;
}

type AttachmentPartition = "user_policy" | "group_policy";

/** The user with its effective policies, or undefined where there is no such user. */
export async function readPrincipal(
  context: DirectoryContext,
  username: string,
): Promise<Principal | undefined> {
  if (!isPossibleName(username)) return undefined;
  return read(context, async (reader) => {
    const user = await reader.get("user", username);
    if (user === undefined) return undefined;
    const groups = await groupsOf(reader, user.id);
    const lists = await Promise.all([
      attachments(reader, "user_policy", user.id, { user: username }),
      ...groups.map(({ id, name }) => attachments(reader, "group_policy", id, { group: name })),
    ]);
    return {
      id: user.id,
      username,
      properties: user.properties ?? {},
      groups: groups.map(({ id }) => id),
      policies: await effectivePolicies(reader, lists.flat()),
    };
  });
}

async function groupsOf(reader: Reader, userId: string): Promise<{ id: string; name: string }[]> {
  const base = under(userId, "");
  const groups: { id: string; name: string }[] = [];
  for await (const page of reader.scanAll("user_group", base)) {
    const names = page.map(({ key }) => key.slice(base.length));
    const records = await reader.getMany("group", names);
    for (const [index, record] of records.entries()) {
      if (record?.id === page[index]!.record.id) groups.push({ id: record.id, name: names[index]! });
    }
  }
  return groups;
}

async function attachments(
  reader: Reader,
  partition: AttachmentPartition,
  holderId: string,
  via: Via,
): Promise<readonly (readonly [string, Attachment])[]> {
  const base = under(holderId, "");
  const found: Found<AttachmentPartition>[] = [];
  for await (const page of reader.scanAll(partition, base)) found.push(...page);
  return found.map(({ key, record }) => [key.slice(base.length), { policyId: record.id, via }]);
}

async function effectivePolicies(
  reader: Reader,
  attached: readonly (readonly [string, Attachment])[],
): Promise<EffectivePolicy[]> {
  const byName = new Map<string, Attachment[]>();
  for (const [name, attachment] of attached) {
    const known = byName.get(name);
    if (known === undefined) byName.set(name, [attachment]);
    else known.push(attachment);
  }
  const names = [...byName.keys()].sort(compareUtf8);
  const records = await reader.getMany("policy", names);
  return records.flatMap((record, index) => {
    if (record === undefined) return [];
    const name = names[index]!;
    // An attachment to an earlier policy of the same name is void.
    const live = byName.get(name)!.filter(({ policyId }) => policyId === record.id);
    if (live.length === 0) return [];
    const { id, rev: version } = record;
    return [{ ...toPolicy(name, record), id, version, via: live.map(({ via }) => via) }];
  });
}

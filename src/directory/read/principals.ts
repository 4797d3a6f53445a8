/** What a decision about a user needs, read from one state of the store. */

import { isPossibleName } from "../../model/names.ts";
import type { EffectivePolicy, Via } from "../../model/policy.ts";
import { compareUtf8 } from "../../model/utf8-order.ts";
import { type DirectoryContext, read } from "../context.ts";
import type { Principal } from "../directory.ts";
import { type RecordTypes, under } from "../records/layout.ts";
import { toPolicy } from "../records/policy-records.ts";
import type { Found, Reader } from "./reader.ts";

interface Attachment {
  readonly policyId: string;
  readonly via: Via;
}

/** Attachments of one holder, by name of the policy. */
type Attachments = readonly (readonly [string, Attachment])[];
type AttachmentPartition = "user_policy" | "group_policy";

/** Groups, their attachments and policies kept while many users are read from one state; then anew. */
const MOST_KEPT = 4_096;

/** The user with its effective policies, or undefined where there is no such user. */
export async function readPrincipal(
  context: DirectoryContext,
  username: string,
): Promise<Principal | undefined> {
  if (!isPossibleName(username)) return undefined;
  return read(context, (reader) => new PrincipalReader(reader).read(username));
}

/** Reads users from one state; the groups and policies that they share are read once. */
export class PrincipalReader {
  readonly #reader: Reader;
  readonly #groups: Kept<"group">;
  readonly #policies: Kept<"policy">;
  readonly #ofGroups = new Map<string, Attachments>();

  constructor(reader: Reader) {
    this.#reader = reader;
    this.#groups = new Kept(reader, "group");
    this.#policies = new Kept(reader, "policy");
  }

  /** The user with its effective policies, or undefined where there is no such user. */
  async read(username: string): Promise<Principal | undefined> {
    const user = await this.#reader.get("user", username);
    if (user === undefined) return undefined;
    const groups = await this.#groupsOf(user.id);
    const lists = await Promise.all([
      attachments(this.#reader, "user_policy", user.id, { user: username }),
      ...groups.map(({ id, name }) => this.#attachedTo(id, name)),
    ]);
    return {
      id: user.id,
      username,
      properties: user.properties ?? {},
      groups: groups.map(({ id }) => id),
      policies: await this.#effectivePolicies(lists.flat()),
    };
  }

  async #groupsOf(userId: string): Promise<{ id: string; name: string }[]> {
    const base = under(userId, "");
    const groups: { id: string; name: string }[] = [];
    for await (const page of this.#reader.scanAll("user_group", base)) {
      const names = page.map(({ key }) => key.slice(base.length));
      const records = await this.#groups.getMany(names);
      for (const [index, record] of records.entries()) {
        if (record?.id === page[index]!.record.id) groups.push({ id: record.id, name: names[index]! });
      }
    }
    return groups;
  }

  async #attachedTo(groupId: string, name: string): Promise<Attachments> {
    const known = this.#ofGroups.get(groupId);
    if (known !== undefined) return known;
    const found = await attachments(this.#reader, "group_policy", groupId, { group: name });
    if (this.#ofGroups.size >= MOST_KEPT) this.#ofGroups.clear();
    this.#ofGroups.set(groupId, found);
    return found;
  }

  async #effectivePolicies(attached: Attachments): Promise<EffectivePolicy[]> {
    const byName = new Map<string, Attachment[]>();
    for (const [name, attachment] of attached) {
      const known = byName.get(name);
      if (known === undefined) byName.set(name, [attachment]);
      else known.push(attachment);
    }
    const names = [...byName.keys()].sort(compareUtf8);
    const records = await this.#policies.getMany(names);
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
}

/** Records of a partition, each read once from a state. */
class Kept<P extends "group" | "policy"> {
  readonly #reader: Reader;
  readonly #partition: P;
  readonly #records = new Map<string, RecordTypes[P] | undefined>();

  constructor(reader: Reader, partition: P) {
    this.#reader = reader;
    this.#partition = partition;
  }

  async getMany(names: readonly string[]): Promise<readonly (RecordTypes[P] | undefined)[]> {
    const known = new Map(names.map((name) => [name, this.#records.get(name)]));
    const missing = names.filter((name) => !this.#records.has(name));
    const read = await this.#reader.getMany(this.#partition, missing);
    if (this.#records.size >= MOST_KEPT) this.#records.clear();
    for (const [index, name] of missing.entries()) {
      this.#records.set(name, read[index]);
      known.set(name, read[index]);
    }
    return names.map((name) => known.get(name));
  }
}

async function attachments(
  reader: Reader,
  partition: AttachmentPartition,
  holderId: string,
  via: Via,
): Promise<Attachments> {
  const base = under(holderId, "");
  const found: Found<AttachmentPartition>[] = [];
  for await (const page of reader.scanAll(partition, base)) found.push(...page);
  return found.map(({ key, record }) => [key.slice(base.length), { policyId: record.id, via }]);
}

/** Reads the input of decisions about a user from one snapshot of the store. */

import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import type { HeldPolicies, StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import type { EffectivePolicy } from "@svc-authorizer/policy/model/policy.ts";
import { withChanged } from "@svc-authorizer/policy/model/policy-lists.ts";
import { trimmed } from "@svc-authorizer/policy/model/trimmed.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import { Turns } from "../../schedule/turns.ts";
import { type DirectoryContext, read } from "../context.ts";
import type { GroupPrincipal, Principal } from "../principal.ts";
import { type UserRecord, under } from "../records/layout.ts";
import { toStoredPolicy } from "../records/policy-records.ts";
import {
  type AttachmentPartition,
  attachmentOf,
  type PolicyAttachment,
  readAttachments,
} from "./attachments.ts";
import { effectivePolicies } from "./effective-policies.ts";
import { type HolderLists, LONG_LIST } from "./holder-lists.ts";
import { type ListedGroup, type Memberships, SharedMemberships } from "./memberships.ts";
import type { StateReader } from "./reader.ts";
import { RecordCache } from "./record-cache.ts";
import type { KnownList } from "./remembered-lists.ts";
import type { ReadState } from "./told-commits.ts";

/** Groups kept while many users are read from one state; then anew. */
const MOST_KEPT = 4_096;

/** The user with its effective policies, or undefined if there is no such user. */
export async function readPrincipal(
  context: DirectoryContext,
  username: string,
): Promise<Principal | undefined> {
  if (!isPossibleName(username)) return undefined;
  return read(context, (reader) => new PrincipalReader(reader, context.holderLists).read(username));
}

/** The groups that exist among these distinct names, with their policies. */
export async function readGroupPrincipal(
  context: DirectoryContext,
  names: readonly string[],
): Promise<GroupPrincipal> {
  const possible = names.filter(isPossibleName);
  return read(context, (reader) => new PrincipalReader(reader, context.holderLists).readGroups(possible));
}

/** The state of a reader that remembers nothing, which needs no revision. */
const NOWHERE: ReadState = { revision: 0, base: undefined, epoch: 0 };

/** Reads users from one state; the groups and policies that they share are read once. */
export class PrincipalReader {
  readonly #reader: StateReader;
  /** The state, whose revision a store may have to read, for what is remembered. */
  readonly #state: ReadState;
  readonly #known: HolderLists | undefined;
  readonly #groups: RecordCache<"group">;
  readonly #policies: RecordCache<"policy">;
  readonly #ofGroups = new Map<string, readonly StoredPolicy[]>();

  /** @param known what is remembered between reads; absent: everything is read */
  constructor(reader: StateReader, known?: HolderLists) {
    this.#reader = reader;
    this.#state = known?.opened(reader) ?? NOWHERE;
    this.#known = known;
    this.#groups = new RecordCache(reader, "group");
    this.#policies = new RecordCache(reader, "policy");
  }

  /**
   * The user with its effective policies, or undefined if there is no such user.
   * @param options `onceActive`: an inactive user is read with the policies that it would have
   */
  async read(username: string, { onceActive = false } = {}): Promise<Principal | undefined> {
    const user = await this.#reader.get("user", username);
    if (user === undefined) return undefined;
    const groups = await this.#groupsOf(user.id);
    if (user.inactive === true && !onceActive) {
      return new ReadPrincipal(user, username, { groups: groups.map(({ id }) => id), held: [] });
    }
    const own = await this.#ofUser(user.id);
    const memberships = await this.#membershipsIn(groups);
    if (own.length === 0) return new ReadPrincipal(user, username, memberships);
    const held = [{ holder: user.id, via: { user: username }, policies: own }, ...memberships.held];
    return new ReadPrincipal(user, username, { groups: memberships.groups, held });
  }

  /** The policies that a member of the groups has through them. */
  async readGroups(names: readonly string[]): Promise<GroupPrincipal> {
    const records = await this.#groups.getMany(names);
    const groups = names.flatMap((name, index) => {
      const record = records[index];
      return record === undefined ? [] : [{ id: record.id, name }];
    });
    groups.sort((a, b) => compareUtf8(a.name, b.name));
    const found = groups.map(({ name }) => name);
    return new ReadGroupPrincipal(found, await this.#membershipsIn(groups), found.length === names.length);
  }

  async #membershipsIn(groups: readonly ListedGroup[]): Promise<Memberships> {
    const lists = await this.#ofGroupsWith(groups);
    return (this.#known?.memberships ?? new SharedMemberships()).of(groups, lists);
  }

  /** The policies of each group. What is known of none of several is read together. */
  async #ofGroupsWith(groups: readonly ListedGroup[]): Promise<readonly (readonly StoredPolicy[])[]> {
    const lists = groups.map(({ id }) => this.#inForce(id));
    const unknown = groups.filter(
      ({ id }, index) => lists[index] === undefined && this.#knownOf(id) === undefined,
    );
    const read =
      unknown.length > 1 ? await this.#readGroupPolicies(unknown) : new Map<string, StoredPolicy[]>();
    for (const [index, group] of groups.entries())
      lists[index] ??= read.get(group.id) ?? (await this.ofGroup(group));
    return lists as readonly (readonly StoredPolicy[])[];
  }

  /** Reads the policies of groups, by id. A policy that several have is one object. */
  async #readGroupPolicies(
    groups: readonly ListedGroup[],
  ): Promise<ReadonlyMap<string, readonly StoredPolicy[]>> {
    const ids = groups.map(({ id }) => id);
    const attached = await this.#reader.scanBelowEach("group_policy", ids);
    const attachments = attached.map((found, index) => found.map((one) => attachmentOf(ids[index]!, one)));
    const distinct = new Map(attachments.flat().map((one) => [under(one.id, one.name), one]));
    const policies = await this.#policiesOf([...distinct.values()]);
    const byKey = new Map(policies.map((policy) => [under(policy.id, policy.name), policy]));
    const read = new Map<string, readonly StoredPolicy[]>();
    const turns = new Turns();
    for (const [index, group] of groups.entries()) {
      const { id } = group;
      const found: StoredPolicy[] = [];
      for (const one of attachments[index]!) {
        const policy = byKey.get(under(one.id, one.name));
        if (policy !== undefined) found.push(policy);
      }
      const list = trimmed(found);
      read.set(id, list);
      this.#keepOfGroup(group, list);
      if (turns.spent) await turns.yield();
    }
    return read;
  }

  /** The policies of distinct attachments, in their order, without those that are void. */
  async #policiesOf(attachments: readonly PolicyAttachment[]): Promise<readonly StoredPolicy[]> {
    const found = this.#known?.policiesById.at(this.#state, attachments) ?? [];
    const missing = attachments.flatMap((_, index) => (found[index] === undefined ? [index] : []));
    if (missing.length === 0) return found as StoredPolicy[];
    const records = await this.#policies.getMany(missing.map((index) => attachments[index]!.name));
    const read: StoredPolicy[] = [];
    for (const [place, record] of records.entries()) {
      const index = missing[place]!;
      const { id, name } = attachments[index]!;
      // An attachment to an earlier policy of the same name is void.
      if (record?.id !== id) continue;
      const policy = toStoredPolicy(name, record);
      found[index] = policy;
      read.push(policy);
    }
    this.#known?.policiesById.keep(this.#state, read);
    return found.filter((policy) => policy !== undefined);
  }

  async #groupsOf(userId: string): Promise<readonly ListedGroup[]> {
    const known = this.#known?.groups.at(this.#state, userId);
    if (known !== undefined) {
      if (known.touched.length === 0) return known.list;
      const names = known.touched.map(({ name }) => name);
      const records = await this.#groups.getMany(names);
      // A group with another name is found by the membership alone.
      if (records.every((record, index) => record?.id === known.touched[index]?.id)) {
        this.#known?.groups.keep(this.#state, { id: userId }, known.list, known);
        return known.list;
      }
    }
    const groups = await this.#readGroupsOf(userId);
    if (groups.length >= LONG_LIST) this.#known?.groups.keep(this.#state, { id: userId }, groups);
    return groups;
  }

  async #readGroupsOf(userId: string): Promise<readonly ListedGroup[]> {
    const base = under(userId, "");
    const groups: ListedGroup[] = [];
    for await (const page of this.#reader.scanAll("user_group", base)) {
      const listed = page.map(({ key, record }) => ({ id: record.id, name: key.slice(base.length) }));
      const isKnown = listed.map(({ id, name }) => this.#knownOf(id)?.name === name);
      const records = await this.#groups.getMany(
        listed.flatMap(({ name }, index) => (isKnown[index] ? [] : [name])),
      );
      let next = 0;
      // A membership of an earlier group of the same name is void.
      for (const [index, group] of listed.entries())
        if (isKnown[index] || records[next++]?.id === group.id) groups.push(group);
    }
    return groups;
  }

  /** The policies of a group: what is remembered where it holds in this state, else read. */
  async ofGroup(group: ListedGroup): Promise<readonly StoredPolicy[]> {
    const { id } = group;
    const read = this.#inForce(id);
    if (read !== undefined) return read;
    const known = this.#knownOf(id);
    const renewed = await this.#renewed(known);
    const found = renewed ?? (await this.#attachedTo("group_policy", id));
    this.#keepOfGroup(group, found, renewed && known);
    return found;
  }

  #keepOfGroup(group: ListedGroup, found: readonly StoredPolicy[], renewed?: KnownList<StoredPolicy>): void {
    if (this.#ofGroups.size >= MOST_KEPT) this.#ofGroups.clear();
    this.#ofGroups.set(group.id, found);
    this.#known?.policies.keep(this.#state, group, found, renewed);
  }

  #knownOf(holder: string): KnownList<StoredPolicy> | undefined {
    return this.#known?.policies.at(this.#state, holder);
  }

  /** The policies of a group, where they are known at once. */
  #inForce(groupId: string): readonly StoredPolicy[] | undefined {
    const read = this.#ofGroups.get(groupId);
    if (read !== undefined) return read;
    const known = this.#knownOf(groupId);
    return known?.touched.length === 0 ? known.list : undefined;
  }

  /** A user's own policies, as {@link ofGroup}. */
  async #ofUser(userId: string): Promise<readonly StoredPolicy[]> {
    const known = this.#knownOf(userId);
    if (known !== undefined && known.touched.length === 0) return known.list;
    const renewed = await this.#renewed(known);
    const found = renewed ?? (await this.#attachedTo("user_policy", userId));
    if (found.length >= LONG_LIST)
      this.#known?.policies.keep(this.#state, { id: userId }, found, renewed && known);
    return found;
  }

  /** A remembered list with the policies that were touched read again; undefined where one is gone. */
  async #renewed(known: KnownList<StoredPolicy> | undefined): Promise<readonly StoredPolicy[] | undefined> {
    if (known === undefined) return undefined;
    const names = known.touched.map(({ name }) => name);
    const records = await this.#policies.getMany(names);
    const changed = new Map<StoredPolicy, StoredPolicy>();
    for (const [index, record] of records.entries()) {
      const before = known.touched[index]!;
      if (record === undefined || record.id !== before.id) return undefined;
      changed.set(before, toStoredPolicy(before.name, record));
    }
    this.#known?.policiesById.keep(this.#state, [...changed.values()]);
    return withChanged(known.list, changed);
  }

  /** The policies of one holder, in the order of their names. */
  async #attachedTo(partition: AttachmentPartition, holderId: string): Promise<readonly StoredPolicy[]> {
    return trimmed(await this.#policiesOf(await readAttachments(this.#reader, partition, holderId)));
  }
}

const NO_PROPERTIES: Properties = Object.freeze({});

/** A user as read. */
class ReadPrincipal implements Principal {
  readonly id: string;
  readonly username: string;
  readonly properties: Properties;
  readonly groups: readonly string[];
  readonly held: readonly HeldPolicies[];
  readonly isInactive: boolean;
  readonly isOfService: boolean;
  #policies: readonly EffectivePolicy[] | undefined;

  constructor(
    user: Pick<UserRecord, "id" | "properties" | "inactive" | "works_for">,
    username: string,
    { groups, held }: Memberships,
  ) {
    this.id = user.id;
    this.username = username;
    this.properties = user.properties ?? NO_PROPERTIES;
    this.groups = groups;
    this.held = held;
    this.isInactive = user.inactive === true;
    this.isOfService = user.works_for !== undefined;
  }

  get policies(): readonly EffectivePolicy[] {
    this.#policies ??= effectivePolicies(this.held);
    return this.#policies;
  }
}

/** Groups as read, for a subject that is no user. */
class ReadGroupPrincipal extends ReadPrincipal implements GroupPrincipal {
  readonly names: readonly string[];
  readonly isComplete: boolean;

  constructor(names: readonly string[], memberships: Memberships, isComplete: boolean) {
    super({ id: "" }, "", memberships);
    this.names = names;
    this.isComplete = isComplete;
  }
}

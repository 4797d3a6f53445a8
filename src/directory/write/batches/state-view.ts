/** Parts of one state of the directory, as batches compare them with what is wanted. */

import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import { TextFilter } from "../../../compact/text-filter.ts";
import type {
  Applied,
  GroupState,
  HeldMembership,
  Managed,
  ManagedPolicy,
  StateView,
  TextOwner,
  UniqueText,
  UserState,
  ViewedUser,
} from "../../batch.ts";
import type { StateReader } from "../../read/reader.ts";
import { toGroup } from "../../records/group-records.ts";
import {
  type GroupRecord,
  type MembershipRecord,
  type Partition,
  type PolicyRecord,
  resourceKey,
  splitKey,
  type UserRecord,
  under,
} from "../../records/layout.ts";
import { toPolicy } from "../../records/policy-records.ts";
import { toUser } from "../../records/user-records.ts";
import { everyApplied } from "../applied.ts";
import { toResource, toResourceType } from "../resources.ts";
import type { OpenSecret } from "./batch-state.ts";
import { managed, markOf, membershipOf } from "./managed-marks.ts";

const UNIQUE: Readonly<Record<UniqueText, "key" | "principal" | "external_id">> = {
  access_key: "key",
  external_principal: "principal",
  external_id: "external_id",
};

/** Most names of groups and policies whose ids are remembered. */
const MOST_NAMES = 50_000;

/** Users for each of whom every partition is looked at; for more of them it is found out first who has something there. */
const MOST_ONE_BY_ONE = 10_000;

/** Partitions with keys below the id of the user who has something. */
const OF_USERS = ["user_group", "user_policy", "user_key", "user_principal"] as const;

/** Partitions that a view reads. */
export const VIEWED: readonly Partition[] = [
  ...(["user", "group", "policy", "group_policy", "resource_type", "resource"] as const),
  ...OF_USERS,
  ...Object.values(UNIQUE),
  "applied",
];

/** Ids of the holders of what is in a partition. */
type Holders = Map<Partition, TextFilter>;

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

/** The state of a reader. */
export class ReaderView implements StateView {
  readonly #reader: StateReader;
  readonly #open: OpenSecret;
  /** Users who were looked at by their names. */
  #looked = 0;
  #holders: Promise<Holders> | undefined;
  readonly #ids = { group: new Map<string, string>(), policy: new Map<string, string>() };

  constructor(reader: StateReader, open: OpenSecret) {
    this.#reader = reader;
    this.#open = open;
  }

  get revision(): number {
    return this.#reader.revision;
  }

  async users(names: readonly string[]): Promise<ReadonlyMap<string, UserState>> {
    const records = await this.#reader.getMany("user", names);
    this.#looked += names.length;
    const holders = this.#looked > MOST_ONE_BY_ONE ? await this.#allHolders() : undefined;
    const users = new Map<string, UserState>();
    for (const [index, record] of records.entries())
      if (record !== undefined) users.set(names[index]!, await this.#user(names[index]!, record, holders));
    return users;
  }

  async *everyUser(): AsyncGenerator<ViewedUser> {
    const holders = await this.#allHolders();
    for await (const page of this.#reader.scanAll("user"))
      for (const { key, record } of page) yield await this.#user(key, record, holders);
  }

  /** @param holders users who may have something in a partition; a partition that is not in it is looked at for each */
  async #user(name: string, record: UserRecord, holders: Holders = new Map()): Promise<ViewedUser> {
    const { id } = record;
    const hasNone = (partition: Partition): boolean => holders.get(partition)?.mayHave(id) === false;
    return {
      origin: record.origin ?? id,
      user: managed(toUser(name, record), record),
      ...(record.works_for !== undefined && { isOfService: true }),
      groups: hasNone("user_group") ? NONE : await this.#references("user_group", id, "group"),
      policies: hasNone("user_policy") ? NONE : await this.#references("user_policy", id, "policy"),
      credentials: hasNone("user_key") ? NONE : await this.#credentials(id),
      externalPrincipals: hasNone("user_principal") ? NONE : await this.#principals(id),
    };
  }

  async isOfService(name: string): Promise<boolean> {
    return (await this.#reader.get("user", name))?.works_for !== undefined;
  }

  #allHolders(): Promise<Holders> {
    this.#holders ??= (async () => {
      const holders: Holders = new Map();
      for (const partition of OF_USERS) holders.set(partition, await this.#holdersIn(partition));
      return holders;
    })();
    return this.#holders;
  }

  async #holdersIn(partition: Partition): Promise<TextFilter> {
    const filter = new TextFilter();
    for await (const page of this.#reader.scanAll(partition))
      for (const { key } of page) filter.add(splitKey(key).id);
    return filter;
  }

  async groups(names: readonly string[]): Promise<ReadonlyMap<string, GroupState>> {
    const records = await this.#reader.getMany("group", names);
    const groups = new Map<string, GroupState>();
    for (const [index, record] of records.entries())
      if (record !== undefined) groups.set(names[index]!, await this.#group(names[index]!, record));
    return groups;
  }

  async *everyGroup(): AsyncGenerator<GroupState> {
    for await (const page of this.#reader.scanAll("group"))
      for (const { key, record } of page) yield await this.#group(key, record);
  }

  async #group(name: string, record: GroupRecord): Promise<GroupState> {
    const policies = await this.#references("group_policy", record.id, "policy");
    return { group: managed(toGroup(name, record), record), policies };
  }

  async marks(kind: "group" | "policy", names: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
    const records = await this.#reader.getMany(kind, names);
    const marks = new Map<string, boolean>();
    for (const [index, record] of records.entries())
      if (record !== undefined) marks.set(names[index]!, record.managed === true);
    return marks;
  }

  async policies(names: readonly string[]): Promise<ReadonlyMap<string, ManagedPolicy>> {
    const records = await this.#reader.getMany("policy", names);
    const policies = new Map<string, ManagedPolicy>();
    for (const [index, record] of records.entries())
      if (record !== undefined) policies.set(names[index]!, policyState(names[index]!, record));
    return policies;
  }

  async *everyPolicy(): AsyncGenerator<ManagedPolicy> {
    for await (const page of this.#reader.scanAll("policy"))
      for (const { key, record } of page) yield policyState(key, record);
  }

  async resources(names: readonly { readonly type: string; readonly id: string }[]) {
    const keys = names.map(({ type, id }) => resourceKey(type, id));
    const records = await this.#reader.getMany("resource", keys);
    return records.map((record, index) => record && managed(toResource(names[index]!.id, record), record));
  }

  async resourceTypes() {
    const types = new Map<string, Managed<ReturnType<typeof toResourceType>>>();
    for await (const page of this.#reader.scanAll("resource_type"))
      for (const { key, record } of page) types.set(key, managed(toResourceType(record), record));
    return types;
  }

  async owners(kind: UniqueText, texts: readonly string[]): Promise<readonly (TextOwner | undefined)[]> {
    const records = await this.#reader.getMany(UNIQUE[kind], texts);
    const names = records.flatMap((record) => record?.username ?? []);
    const users = await this.#reader.getMany("user", names);
    const byName = new Map(names.map((name, index) => [name, users[index]]));
    return records.map((record) => {
      const user = record && byName.get(record.username);
      if (record === undefined || user?.id !== record.id) return undefined;
      const isManaged = record.managed === true;
      return { username: record.username, isManaged, isUserManaged: user.managed === true };
    });
  }

  async *names(kind: "user" | "group" | "policy"): AsyncGenerator<readonly Managed<string>[]> {
    for await (const page of this.#reader.scanAll(kind))
      yield page.map(({ key, record }) => managed(key, record));
  }

  async *resourceNames() {
    for await (const page of this.#reader.scanAll("resource"))
      yield page.map(({ key, record }) => managed({ type: record.type, id: splitKey(key).rest }, record));
  }

  async *everyResource() {
    const types = new Set<string>();
    for await (const page of this.resourceNames()) for (const { value } of page) types.add(value.type);
    for (const type of [...types].sort(compareUtf8))
      for await (const page of this.#reader.scanAll("resource", resourceKey(type, "")))
        for (const { key, record } of page) yield managed(toResource(splitKey(key).rest, record), record);
  }

  everyApplied(): AsyncGenerator<Applied> {
    return everyApplied(this.#reader, async (kind, name) =>
      kind === "user" ? (await this.#reader.get("user", name))?.id : this.#idOf(kind, name),
    );
  }

  /** Names below an id that lead to what has the name now. */
  async #references(
    partition: "user_group" | "user_policy" | "group_policy",
    id: string,
    kind: "group" | "policy",
  ): Promise<ReadonlyMap<string, HeldMembership>> {
    const found = await this.#below(partition, id);
    const references = new Map<string, HeldMembership>();
    for (const { name, record } of found) {
      const reference = record as MembershipRecord;
      if ((await this.#idOf(kind, name)) === reference.id) references.set(name, membershipOf(reference));
    }
    return references;
  }

  async #credentials(id: string): Promise<UserState["credentials"]> {
    const found = await this.#below("user_key", id);
    const keys = found.map(({ name }) => name);
    const records = await this.#reader.getMany("key", keys);
    const credentials = new Map<string, ReturnType<UserState["credentials"]["get"]> & object>();
    for (const [index, record] of records.entries()) {
      if (record?.id !== id || record.expires_at !== undefined) continue;
      const key = keys[index]!;
      const { creation_date } = record;
      const secret_access_key = this.#open(key, id, record.secret);
      credentials.set(key, managed({ secret_access_key, creation_date }, record));
    }
    return credentials;
  }

  async #principals(id: string): Promise<ReadonlyMap<string, Managed<true>>> {
    const found = await this.#below("user_principal", id);
    const names = found.map(({ name }) => name);
    const records = await this.#reader.getMany("principal", names);
    const principals = new Map<string, Managed<true>>();
    for (const [index, record] of records.entries())
      if (record?.id === id) principals.set(names[index]!, markOf(record));
    return principals;
  }

  async #below(partition: Partition, id: string) {
    const found: { readonly name: string; readonly record: unknown }[] = [];
    for await (const page of this.#reader.scanAll(partition, under(id, "")))
      for (const { key, record } of page) found.push({ name: splitKey(key).rest, record });
    return found;
  }

  async #idOf(kind: "group" | "policy", name: string): Promise<string | undefined> {
    const ids = this.#ids[kind];
    const known = ids.get(name);
    if (known !== undefined) return known;
    const id = (await this.#reader.get(kind, name))?.id;
    if (id === undefined) return undefined;
    if (ids.size >= MOST_NAMES) ids.clear();
    ids.set(name, id);
    return id;
  }
}

function policyState(name: string, record: PolicyRecord): ManagedPolicy {
  return { ...managed(toPolicy(name, record), record), partial: record.whole !== true };
}

/** Reads the whole directory from one state. */

import type { RegisteredResource, ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import { bulkPause } from "../../../schedule/bulk-pause.ts";
import type { DirectoryState, GroupState, Managed, ManagedPolicy, UserState } from "../../batch.ts";
import { type DirectoryContext, read } from "../../context.ts";
import type { Found, StateReader } from "../../read/reader.ts";
import { toGroup } from "../../records/group-records.ts";
import { type Partition, splitKey } from "../../records/layout.ts";
import { toPolicy } from "../../records/policy-records.ts";
import { toUser } from "../../records/user-records.ts";
import { readApplied } from "../applied.ts";
import { toResource, toResourceType } from "../resources.ts";
import { managed, markOf, membershipOf } from "./managed-marks.ts";

type Marks = ReadonlyMap<string, Managed<true>>;
type Keys = UserState["credentials"];

interface UserEntry {
  readonly id: string;
  readonly user: UserState["user"];
  groups: Marks;
  policies: Marks;
  credentials: Keys;
  externalPrincipals: Marks;
}

interface GroupEntry {
  readonly id: string;
  readonly group: GroupState["group"];
  policies: Marks;
}

// One for all who have none: maps of their own for each of 100,000 users weigh more than the users.
const NONE: ReadonlyMap<string, never> = new Map<string, never>();

/** The map with an entry more: itself, unless it is the one for all. */
function withEntry<T>(map: ReadonlyMap<string, T>, key: string, value: T): ReadonlyMap<string, T> {
  if (map === NONE) return new Map([[key, value]]);
  return (map as Map<string, T>).set(key, value);
}

async function each<P extends Partition>(
  reader: StateReader,
  partition: P,
  visit: (found: Found<P>) => void,
): Promise<void> {
  const pause = bulkPause();
  for await (const page of reader.scanAll(partition)) {
    for (const found of page) visit(found);
    await pause();
  }
}

/** Reads attachments and memberships into the entries of their holders. */
class WholeState {
  readonly users = new Map<string, UserEntry>();
  readonly groups = new Map<string, GroupEntry>();
  readonly policies = new Map<string, ManagedPolicy>();
  readonly #usersById = new Map<string, UserEntry>();
  readonly #groupsById = new Map<string, GroupEntry>();
  readonly #policyIds = new Map<string, string>();
  readonly #reader: StateReader;

  constructor(reader: StateReader) {
    this.#reader = reader;
  }

  /** Internal id of the entity that has a name. */
  idOf(kind: "user" | "group" | "policy", name: string): string | undefined {
    if (kind === "policy") return this.#policyIds.get(name);
    return (kind === "user" ? this.users : this.groups).get(name)?.id;
  }

  async readEntities(): Promise<void> {
    await each(this.#reader, "user", ({ key, record }) => {
      const entry: UserEntry = {
        id: record.id,
        user: managed(toUser(key, record), record),
        groups: NONE,
        policies: NONE,
        credentials: NONE,
        externalPrincipals: NONE,
      };
      this.users.set(key, entry);
      this.#usersById.set(record.id, entry);
    });
    await each(this.#reader, "group", ({ key, record }) => {
      const group = managed(toGroup(key, record), record);
      const entry: GroupEntry = { id: record.id, group, policies: NONE };
      this.groups.set(key, entry);
      this.#groupsById.set(record.id, entry);
    });
    await each(this.#reader, "policy", ({ key, record }) => {
      this.policies.set(key, {
        ...managed(toPolicy(key, record), record),
        partial: record.whole !== true,
      });
      this.#policyIds.set(key, record.id);
    });
  }

  async readReferences(): Promise<void> {
    const nameIn = (key: string): string => splitKey(key).rest;
    const holderIn = (key: string): string => splitKey(key).id;
    await each(this.#reader, "user_group", ({ key, record }) => {
      const user = this.#usersById.get(holderIn(key));
      if (user === undefined || this.groups.get(nameIn(key))?.id !== record.id) return;
      user.groups = withEntry(user.groups, nameIn(key), membershipOf(record));
    });
    for (const [partition, holders] of [
      ["user_policy", this.#usersById],
      ["group_policy", this.#groupsById],
    ] as const) {
      await each(this.#reader, partition, ({ key, record }) => {
        const holder = holders.get(holderIn(key));
        if (holder === undefined || this.#policyIds.get(nameIn(key)) !== record.id) return;
        holder.policies = withEntry(holder.policies, nameIn(key), markOf(record));
      });
    }
    await each(this.#reader, "principal", ({ key, record }) => {
      const user = this.#usersById.get(record.id);
      if (user !== undefined) {
        user.externalPrincipals = withEntry(user.externalPrincipals, key, markOf(record));
      }
    });
  }

  async readCredentials(open: OpenSecret) {
    await each(this.#reader, "key", ({ key, record }) => {
      const { id, secret, creation_date, expires_at } = record;
      const user = this.#usersById.get(id);
      // Documents know no keys that expire: one that was written into them would be made again without its term.
      if (user === undefined || expires_at !== undefined) return;
      const value = { secret_access_key: open(key, id, secret), creation_date };
      user.credentials = withEntry(user.credentials, key, managed(value, record));
    });
  }
}

async function readResourceTypes(reader: StateReader): Promise<Map<string, Managed<ResourceType>>> {
  const types = new Map<string, Managed<ResourceType>>();
  await each(reader, "resource_type", ({ key, record }) => {
    types.set(key, managed(toResourceType(record), record));
  });
  return types;
}

async function readResources(
  reader: StateReader,
): Promise<Map<string, Map<string, Managed<RegisteredResource>>>> {
  const byType = new Map<string, Map<string, Managed<RegisteredResource>>>();
  await each(reader, "resource", ({ key, record }) => {
    const id = splitKey(key).rest;
    const resources = byType.get(record.type) ?? new Map<string, Managed<RegisteredResource>>();
    resources.set(id, managed(toResource(id, record), record));
    byType.set(record.type, resources);
  });
  return new Map([...byType].sort(([a], [b]) => compareUtf8(a, b)));
}

/** Opens the sealed secret of an access key; undefined leaves it out. */
export type OpenSecret = (accessKeyId: string, userId: string, sealed: string) => string | undefined;

/** The whole directory from one state; `secrets: true` decrypts credentials. */
export function readDirectoryState(
  context: DirectoryContext,
  options: { readonly secrets: boolean },
): Promise<DirectoryState> {
  return read(context, (reader) => readStateOf(reader, opening(context, options)));
}

/** Returns what opens secrets where they are asked for. */
export function opening({ secrets }: DirectoryContext, options: { readonly secrets: boolean }): OpenSecret {
  return (accessKeyId, userId, sealed) =>
    options.secrets ? secrets.open(sealed, { kind: "access_key", accessKeyId, userId }) : undefined;
}

/** The whole directory as a reader has it. */
export async function readStateOf(reader: StateReader, open: OpenSecret): Promise<DirectoryState> {
  const state = new WholeState(reader);
  await state.readEntities();
  await state.readReferences();
  await state.readCredentials(open);
  return {
    users: state.users,
    groups: state.groups,
    policies: state.policies,
    resourceTypes: await readResourceTypes(reader),
    resources: await readResources(reader),
    applied: await readApplied(reader, (kind, name) => state.idOf(kind, name)),
  };
}

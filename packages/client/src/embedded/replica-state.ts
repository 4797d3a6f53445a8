/** The part of the directory that decisions need, in memory, as the replica stream sends it (spec/journal §6.5). */

import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import type { ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";

/** A record of the stream: partition, key and fields; without fields it is removed. */
export type ReplicaRecord = readonly [partition: string, key: string, fields?: object];

/** A user. */
export interface ReplicaUser {
  /** Internal id, never reused. */
  readonly id: string;
  readonly properties?: Properties;
}

/** A policy. */
export interface ReplicaPolicy {
  readonly id: string;
  /** Changes with each write of the policy. */
  readonly rev: string;
  readonly statement: readonly Statement[];
}

interface ReplicaResource {
  readonly type: string;
  readonly properties?: Properties;
}

/** Refers to an entity by name; it holds only while the entity of that name has this id. */
interface Reference {
  readonly id: string;
}

/** References by owner, then by name. */
class References {
  readonly #owners = new Map<string, Map<string, string>>();

  set(key: string, reference: Reference | undefined): void {
    const slash = key.indexOf("/");
    const [owner, name] = [key.slice(0, slash), key.slice(slash + 1)];
    const known = this.#owners.get(owner);
    if (reference === undefined) {
      known?.delete(name);
      if (known?.size === 0) this.#owners.delete(owner);
    } else if (known === undefined) this.#owners.set(owner, new Map([[name, reference.id]]));
    else known.set(name, reference.id);
  }

  of(owner: string): Iterable<readonly [name: string, id: string]> {
    return this.#owners.get(owner) ?? [];
  }
}

/** The partitions of the records that are known. */
const KNOWN = [
  "user",
  "group",
  "policy",
  "resource_type",
  "user_group",
  "user_policy",
  "group_policy",
  "resource",
] as const;
type Partition = (typeof KNOWN)[number];
const PARTITIONS: ReadonlySet<string> = new Set(KNOWN);

/** One state of the directory. */
export class ReplicaState {
  readonly users = new Map<string, ReplicaUser>();
  readonly groups = new Map<string, Reference>();
  readonly policies = new Map<string, ReplicaPolicy>();
  readonly resourceTypes = new Map<string, ResourceType>();
  readonly userGroups = new References();
  readonly userPolicies = new References();
  readonly groupPolicies = new References();
  /** By type and id, and by the key of the record, which alone a removal names. */
  readonly #resources = new Map<string, Map<string, Properties>>();
  readonly #typeOfKey = new Map<string, string>();

  readonly #setters: Readonly<Record<Partition, (key: string, fields: object | undefined) => void>> = {
    user: (key, fields) => put(this.users, key, fields as ReplicaUser | undefined),
    group: (key, fields) => put(this.groups, key, fields as Reference | undefined),
    policy: (key, fields) => put(this.policies, key, fields as ReplicaPolicy | undefined),
    resource_type: (key, fields) =>
      put(this.resourceTypes, key, fields && ({ ...fields, type: key } as ResourceType)),
    user_group: (key, fields) => this.userGroups.set(key, fields as Reference | undefined),
    user_policy: (key, fields) => this.userPolicies.set(key, fields as Reference | undefined),
    group_policy: (key, fields) => this.groupPolicies.set(key, fields as Reference | undefined),
    resource: (key, fields) => this.#setResource(key, fields as ReplicaResource | undefined),
  };

  /** The properties of a registered resource; undefined for one that is not registered. */
  resource(type: string, id: string): Properties | undefined {
    return this.#resources.get(type)?.get(id);
  }

  /** @throws Error for a record of a partition that this version does not know: the state would be incomplete */
  static assertKnown([partition]: ReplicaRecord): void {
    if (PARTITIONS.has(partition)) return;
    throw new Error(`the service sends records of a kind that this client does not know: ${partition}`);
  }

  /** Applies a record; throws as {@link assertKnown}. */
  apply(record: ReplicaRecord): void {
    ReplicaState.assertKnown(record);
    const [partition, key, fields] = record;
    this.#setters[partition as Partition](key, fields);
  }

  #setResource(key: string, resource: ReplicaResource | undefined): void {
    const id = key.slice(key.indexOf("/") + 1);
    const type = resource?.type ?? this.#typeOfKey.get(key);
    if (type === undefined) return;
    if (resource === undefined) {
      this.#typeOfKey.delete(key);
      this.#resources.get(type)?.delete(id);
      return;
    }
    this.#typeOfKey.set(key, type);
    const known = this.#resources.get(type) ?? new Map<string, Properties>();
    this.#resources.set(type, known.set(id, resource.properties ?? {}));
  }
}

function put<T>(map: Map<string, T>, key: string, value: T | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

/**
 * Reading and changing the whole directory at once: what data sets, exports and bootstrap use (spec/decision-api §6).
 * A batch is one commit of any size (spec/journal §2): all or nothing, for readers and after a crash.
 */

import type { Group, User } from "@svc-authorizer/policy/model/entities.ts";
import type { Policy } from "@svc-authorizer/policy/model/policy.ts";
import type { RegisteredResource, ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import type { LongList } from "../compact/long-list.ts";
import type { NewGroup, NewPolicy, NewUser } from "./new-entities.ts";

/**
 * One change. `put_*` creates, or replaces what differs; an entity that exists keeps its internal id. `partial`: the
 * policy comes from a state in which it was so ({@link ManagedPolicy}). `preconfigured`: it comes with the service, so that a
 * data set does not take back what people made of it ({@link BatchOptions.leaves}).
 */
export type BatchOperation =
  | {
      readonly op: "put_user";
      readonly user: NewUser;
      /** The {@link ViewedUser.origin} of a user who is brought back; absent: whoever is made is somebody new. */
      readonly origin?: string;
    }
  | { readonly op: "delete_user"; readonly username: string }
  | ({ readonly op: "put_group"; readonly preconfigured?: true } & NewGroup)
  | { readonly op: "delete_group"; readonly name: string }
  | {
      readonly op: "put_policy";
      readonly policy: NewPolicy;
      readonly partial?: boolean;
      readonly preconfigured?: true;
    }
  | { readonly op: "delete_policy"; readonly name: string }
  | {
      readonly op: "add_member";
      readonly group: string;
      readonly username: string;
      /** Name of the issuer whose claims may take the membership back; absent: nobody's. */
      readonly by?: string;
    }
  | { readonly op: "remove_member"; readonly group: string; readonly username: string }
  | { readonly op: "attach_to_user" | "detach_from_user"; readonly username: string; readonly policy: string }
  | {
      readonly op: "attach_to_group" | "detach_from_group";
      readonly group: string;
      readonly policy: string;
      readonly preconfigured?: true;
    }
  | {
      readonly op: "put_credential";
      readonly username: string;
      readonly access_key_id: string;
      readonly secret_access_key: string;
      readonly creation_date?: number;
    }
  | { readonly op: "delete_credential"; readonly username: string; readonly access_key_id: string }
  | {
      readonly op: "put_principal" | "delete_principal";
      readonly username: string;
      readonly principal: string;
    }
  | { readonly op: "put_resource_type"; readonly resourceType: ResourceType }
  | { readonly op: "delete_resource_type"; readonly type: string }
  | { readonly op: "put_resource"; readonly resource: RegisteredResource }
  | { readonly op: "delete_resource"; readonly type: string; readonly id: string }
  | ({ readonly op: "put_applied" } & Omit<Applied, "entity">)
  | ({ readonly op: "delete_applied" } & EntityName);

/** A kind of entity, and the name of one. */
export interface EntityName {
  readonly kind: "user" | "group" | "policy";
  readonly name: string;
}

/** The text of a document about an entity: its fields without its name, and the names that it refers to. */
export interface Said {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Groups of a user. */
  readonly groups?: readonly string[];
  /** Policies that are attached to a user or a group. */
  readonly policies?: readonly string[];
}

/** The last state that a manager's documents gave an entity (spec/management-cli §10). */
export interface Applied extends EntityName {
  readonly manager: string;
  readonly said: Said;
  /** The documents of the manager no longer name the entity, and it was left as it is. */
  readonly dropped: boolean;
  /** `same`: it exists still; `gone`: nothing has this name; `other`: somebody has deleted it and made a new one. */
  readonly entity: "same" | "gone" | "other";
}

/** Returns the key of an entity: its kind and its name. */
export function entityKey({ kind, name }: EntityName): string {
  return `${kind}/${name}`;
}

/** Options of a batch. */
export interface BatchOptions {
  /** Marks what the batch puts as made by a data set, so that a later `sync` may remove it. */
  readonly managed: boolean;
  /**
   * Of the state that the batch is written to, which may have more than the one that its operations were planned from:
   * `existing`: what is there is not replaced; `unmanaged`: what no data set made is not removed, and not replaced where it is
   * preconfigured. Default: all is.
   */
  readonly leaves?: "existing" | "unmanaged";
  /** The batch is "invalid_request" where the state that it is written to has a user, a group or a policy. */
  readonly intoEmpty?: boolean;
  /** Called now and then with operations done and in all. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Breaks the batch off before its commit, with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** A mark to leave with the batch, see {@link DirectoryBatches.applyMarked}. */
  readonly mark?: { readonly name: string; readonly value: unknown };
}

/** A thing of the directory with the mark of {@link BatchOptions.managed}. */
export interface Managed<T> {
  readonly value: T;
  readonly managed: boolean;
}

/** A policy, with what is known of how it was written. */
export interface ManagedPolicy extends Managed<NewPolicy> {
  /** True: an earlier version wrote it, which may have dropped members of its statements (spec/evaluation §11.1). */
  readonly partial: boolean;
}

/** A membership of a user. */
export interface HeldMembership extends Managed<true> {
  /** Name of the issuer whose claims made it: its next claims may take it back. */
  readonly by?: string;
}

/** A user with all that refers to it, keys by name or id. */
export interface UserState {
  readonly user: Managed<NewUser>;
  /** Present: it works for the service itself, whose matter it is, with the policy of its name. */
  readonly isOfService?: true;
  readonly groups: ReadonlyMap<string, HeldMembership>;
  readonly policies: ReadonlyMap<string, Managed<true>>;
  /** By access key id; the secret in clear, or undefined when secrets were not asked for. */
  readonly credentials: ReadonlyMap<
    string,
    Managed<{ readonly secret_access_key: string | undefined; readonly creation_date: number }>
  >;
  readonly externalPrincipals: ReadonlyMap<string, Managed<true>>;
}

/** A user of a state, and who it is. */
export interface ViewedUser extends UserState {
  /** Another one for a later user of the name, the same for one whom a restore brought back. */
  readonly origin: string;
}

/** A group with its policies. */
export interface GroupState {
  readonly group: Managed<Group>;
  readonly policies: ReadonlyMap<string, Managed<true>>;
}

/** Most operations of a commit that is made at once. */
export const MAX_AT_ONCE = 2_000_000;

/** The whole directory, read from one state; maps are in UTF-8 byte order of their keys. */
export interface DirectoryState {
  readonly users: ReadonlyMap<string, UserState>;
  readonly groups: ReadonlyMap<string, GroupState>;
  readonly policies: ReadonlyMap<string, ManagedPolicy>;
  readonly resourceTypes: ReadonlyMap<string, Managed<ResourceType>>;
  /** By type, then id. */
  readonly resources: ReadonlyMap<string, ReadonlyMap<string, Managed<RegisteredResource>>>;
  /** By {@link entityKey}. */
  readonly applied: ReadonlyMap<string, Applied>;
}

/** One state as the plan of a marked batch sees it: what the batch will find. */
export interface MarkedState {
  /** The value of the mark, or undefined. */
  readonly mark: unknown;
  user(username: string): Promise<User | undefined>;
  group(name: string): Promise<Group | undefined>;
  policy(name: string): Promise<Policy | undefined>;
  /** Names of the policies attached to a group, in UTF-8 byte order; empty for an unknown group. */
  groupPolicies(name: string): Promise<readonly string[]>;
  /** Name of some member of a group, or undefined. */
  someMember(group: string): Promise<string | undefined>;
  /** Name of an active member of `Admins` with an access key or a principal, or undefined. */
  someAdministrator(): Promise<string | undefined>;
  /** Name of the owner of an access key, or undefined. */
  keyOwner(accessKeyId: string): Promise<string | undefined>;
}

/** The plan of a marked batch. */
export interface MarkedPlan<T> {
  readonly operations: readonly BatchOperation[];
  /** JSON to keep as the mark from now on. */
  readonly mark: unknown;
  readonly result: T;
}

/** A plan made from one state. */
export interface StatePlan<T> {
  readonly operations: readonly BatchOperation[];
  readonly result: T;
}

/** A kind of text that belongs to one user. */
export type UniqueText = "access_key" | "external_principal" | "external_id";

/** The user that a text belongs to. */
export interface TextOwner {
  readonly username: string;
  /** A data set gave it to the user; never so of external ids. */
  readonly isManaged: boolean;
  /** A data set made the user. */
  readonly isUserManaged: boolean;
}

/** Names a resource. */
interface ResourceName {
  readonly type: string;
  readonly id: string;
}

/** Parts of one state, for who compares more than fits into memory. Names that nothing has are left out. */
export interface StateView {
  /** Revision of the state. */
  readonly revision: number;
  users(names: readonly string[]): Promise<ReadonlyMap<string, UserState>>;
  /** All users in UTF-8 byte order of their names; cheaper for each than {@link users}. */
  everyUser(): AsyncIterable<ViewedUser>;
  /** True for the name of a user that works for the service itself: that of its policy, too. */
  isOfService(name: string): Promise<boolean>;
  groups(names: readonly string[]): Promise<ReadonlyMap<string, GroupState>>;
  /** All groups in UTF-8 byte order of their names. */
  everyGroup(): AsyncIterable<GroupState>;
  policies(names: readonly string[]): Promise<ReadonlyMap<string, ManagedPolicy>>;
  /** All policies in UTF-8 byte order of their names. */
  everyPolicy(): AsyncIterable<ManagedPolicy>;
  /** True of those that a data set made. */
  marks(kind: "group" | "policy", names: readonly string[]): Promise<ReadonlyMap<string, boolean>>;
  /** In the order of the names. */
  resources(names: readonly ResourceName[]): Promise<readonly (Managed<RegisteredResource> | undefined)[]>;
  resourceTypes(): Promise<ReadonlyMap<string, Managed<ResourceType>>>;
  /** In the order of the texts. */
  owners(kind: UniqueText, texts: readonly string[]): Promise<readonly (TextOwner | undefined)[]>;
  /** All names in UTF-8 byte order, page by page. */
  names(kind: "user" | "group" | "policy"): AsyncIterable<readonly Managed<string>[]>;
  /** All registered resources, page by page. */
  resourceNames(): AsyncIterable<readonly Managed<ResourceName>[]>;
  /** All registered resources in UTF-8 byte order of their types, then their ids. */
  everyResource(): AsyncIterable<Managed<RegisteredResource>>;
  /** The last states that documents gave, in UTF-8 byte order of their keys. */
  everyApplied(): AsyncIterable<Applied>;
}

/** Operations in order. */
export type OperationList = LongList<BatchOperation>;

/** The bulk side of the directory. */
export interface DirectoryBatches {
  /** Reads everything; `secrets: true` decrypts credentials. */
  state(options: { readonly secrets: boolean }): Promise<DirectoryState>;
  /** Runs `look` on one state, of which it reads parts; `secrets: true` decrypts credentials. */
  viewing<T>(options: { readonly secrets: boolean }, look: (view: StateView) => Promise<T>): Promise<T>;
  /**
   * Applies operations in order, all or nothing. Everything a put refers to must exist before it or be put earlier
   * in the batch, else "invalid_request" with the index of the operation in each problem's pointer (`/3`).
   * Deleting or detaching what is absent is no error. Many operations are staged in pieces where the store can do that; where
   * it cannot, more than {@link MAX_AT_ONCE} are "invalid_request".
   * @returns the number of operations that were not applied ({@link BatchOptions.leaves})
   */
  apply(operations: OperationList, options: BatchOptions): Promise<number>;
  /**
   * Reads what a batch left under a name; undefined if none did.
   * @returns `revision`: of the entry that wrote it
   */
  mark(name: string): Promise<{ readonly value: unknown; readonly revision: number } | undefined>;
  /**
   * Plans from one state and applies the plan together with a durable mark, atomically. If another writer, also of
   * another process, changes something that the plan read, it is planned again.
   * @param name of the mark
   * @param plan may run more than once; undefined leaves everything as it is
   * @returns the plan's result, or undefined
   */
  applyMarked<T>(
    name: string,
    plan: (state: MarkedState) => Promise<MarkedPlan<T> | undefined>,
  ): Promise<T | undefined>;
}

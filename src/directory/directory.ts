/**
 * The directory: who exists and what is attached to whom, as use cases over the store port
 * (spec/authorization-api §5 to spec/authorization-api §7). This file is its contract; `open-directory.ts` builds it.
 *
 * Every method takes names, resolves them to internal ids inside one snapshot, and throws AuthorizerError:
 * "not_found" (message names what is missing), "already_exists", "invalid_request" (with problems), "conflict"
 * after repeated lost races, "unavailable" when the store fails. A look-up with a text that can be no name
 * (spec/security §3.0) is "not_found" or an empty page and never reaches the store.
 */

import type {
  Credential,
  CredentialWithSecret,
  ExpiringCredential,
  ExternalPrincipal,
  Group,
  Properties,
  User,
} from "@svc-authorizer/policy/model/entities.ts";
import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import type { NamedStatements, Policy } from "@svc-authorizer/policy/model/policy.ts";
import type { RegisteredResource, ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import type { Pause } from "../schedule/pace.ts";
import type { Change } from "../store/port.ts";
import type { AheadVisitor } from "./ahead-visitor.ts";
import type { DirectoryBatches, DirectoryState, StatePlan } from "./batch.ts";
import type { Beside } from "./beside.ts";
import type { DirectoryHistory } from "./history.ts";
import type { IssuedSessions } from "./issued-sessions.ts";
import type { NewGroup, NewPolicy, NewUser } from "./new-entities.ts";
import type { Passwords } from "./passwords.ts";
import type { GroupPrincipal, Principal } from "./principal.ts";
import type { Provisioning } from "./provisioning.ts";
import type { ServiceUsers } from "./service-users.ts";

export type { NewGroup, NewPolicy, NewUser };

/** A part of a list: names that begin with `prefix`, after `after` (exclusive), at most `amount`. */
export interface PageRequest {
  readonly prefix?: string;
  /**
   * Only items with this text in their names, in letters of any case; in lists of users and groups also in what people
   * know them by. A call looks at a bounded part of the list, so a page may have few items, or none, and a next one.
   */
  readonly search?: string;
  readonly after?: string;
  /** 1…1000. */
  readonly amount: number;
}

/** A part of a list in UTF-8 byte order of its keys. */
export interface Page<T> {
  readonly results: readonly T[];
  /** Key of the last item, of a search that of the last item looked at; "" on the last page (also when it is full). */
  readonly next_offset: string;
}

/** Fields of a user that can change; undefined leaves a field, null removes it. */
export interface UserChange {
  readonly friendly_name?: string | null;
  readonly email?: string | null;
  readonly encryptedPassword?: string | null;
  readonly properties?: Properties | null;
  /** True takes every right away until somebody makes the user active again. */
  readonly inactive?: boolean;
}

/** Exactly one of these finds users by an exact text. An empty text matches no user. */
export interface UserFilter {
  readonly email?: string;
  readonly external_id?: string;
}

export interface Users {
  newId(): string;
  create(user: NewUser, id?: string): Promise<User>;
  get(username: string): Promise<User>;
  list(page: PageRequest, filter?: UserFilter): Promise<Page<User>>;
  update(username: string, change: UserChange): Promise<User>;
  /** Removes the user; credentials, memberships, attachments and principals are unreachable at once. */
  delete(username: string): Promise<void>;
  groups(username: string, page: PageRequest): Promise<Page<Group>>;
  /** The first memberships of a user in the order of the groups' names, with who made them. */
  memberships(username: string, most: number): Promise<readonly Membership[]>;
  /** Directly attached policies. */
  policies(username: string, page: PageRequest): Promise<Page<Policy>>;
  attachPolicy(username: string, policy: string): Promise<void>;
  detachPolicy(username: string, policy: string): Promise<void>;
}

export interface Groups {
  create(group: NewGroup): Promise<Group>;
  get(name: string): Promise<Group>;
  list(page: PageRequest): Promise<Page<Group>>;
  delete(name: string): Promise<void>;
  members(name: string, page: PageRequest): Promise<Page<User>>;
  addMember(group: string, username: string): Promise<void>;
  removeMember(group: string, username: string): Promise<void>;
  policies(name: string, page: PageRequest): Promise<Page<Policy>>;
  attachPolicy(group: string, policy: string): Promise<void>;
  detachPolicy(group: string, policy: string): Promise<void>;
}

export interface Policies {
  create(policy: NewPolicy): Promise<Policy>;
  get(name: string): Promise<Policy>;
  list(page: PageRequest): Promise<Page<Policy>>;
  /**
   * Replaces statements, acl and creation_date; "not_found" when there is none of that name.
   * @param expected what is replaced has to say this still, else "conflict"; absent: whatever it says
   * @param partial true: it goes back to what an earlier version stored, which may have dropped members
   */
  update(policy: NewPolicy, expected?: NamedStatements, partial?: boolean): Promise<Policy>;
  delete(name: string): Promise<void>;
  /** Users that the policy is attached to directly. A page may have few of them, or none, and a next one. */
  users(name: string, page: PageRequest): Promise<Page<User>>;
  /** The same for groups. */
  groups(name: string, page: PageRequest): Promise<Page<Group>>;
}

export interface Credentials {
  /**
   * Creates a key: both values given = import (unique over all users: "already_exists"), both absent = generated
   * (spec/authorization-api §11: `AKIAJ` + 14 of `A–Z2–7` + `Q`; secret base64 of 30 random bytes). One alone is
   * "invalid_request". With `expires_in`, in seconds, the key is as absent for every reader once that time is over.
   */
  create(
    username: string,
    key?: {
      access_key_id?: string;
      secret_access_key?: string;
      creation_date?: number;
      expires_in?: number | undefined;
    },
  ): Promise<CredentialWithSecret>;
  /**
   * Creates a key that is over after some seconds and that no list has. "not_found" for an unknown or inactive user,
   * "conflict" for one who has too many of them.
   * @param userId "not_found" where the name is that of a user with another internal id; undefined: whoever has it
   */
  createTemporary(username: string, seconds: number, userId?: string): Promise<ExpiringCredential>;
  /** By key id over all users, with the secret in clear. */
  getWithSecret(accessKeyId: string): Promise<CredentialWithSecret>;
  get(username: string, accessKeyId: string): Promise<Credential>;
  list(username: string, page: PageRequest): Promise<Page<Credential>>;
  delete(username: string, accessKeyId: string): Promise<void>;
}

/** The user who has an external principal. */
interface PrincipalOwner {
  readonly username: string;
  /** Internal id, never reused. */
  readonly userId: string;
  readonly isInactive: boolean;
}

export interface ExternalPrincipals {
  create(username: string, principalId: string): Promise<void>;
  /** "not_found" for one that nobody has, and for that of an inactive user. */
  get(principalId: string): Promise<ExternalPrincipal>;
  /** The user who has a principal, inactive or not; undefined where nobody has it. */
  owner(principalId: string): Promise<PrincipalOwner | undefined>;
  list(username: string, page: PageRequest): Promise<Page<ExternalPrincipal>>;
  delete(username: string, principalId: string): Promise<void>;
}

/** An access key as it is verified: with its owner. */
export interface OwnedKey {
  readonly accessKeyId: string;
  /** In clear. */
  readonly secretAccessKey: string;
  /** Internal id, never reused. */
  readonly userId: string;
  readonly username: string;
  /** Unix seconds: from this second on it is as absent; undefined: it does not expire. */
  readonly expiresAt: number | undefined;
  /** Present where the owner works for the service itself: such a key signs in to nothing. */
  readonly isOfService?: true;
}

/** The state that a session of a user depends on, read from one snapshot of the store. */
export interface Session {
  /** Internal id, never reused. */
  readonly userId: string;
  /** Unix seconds; of an imported user, the date it was imported with. */
  readonly creation_date: number;
  /** Revision of the state that this was read from, for nodes of version 0.2. */
  readonly revision: number;
  /** Tokens that this service issued with another value are invalid (spec/journal §5); "" if no session was ended. */
  readonly since: string;
  /**
   * Tokens that this service issued without such a value are invalid if they are of an earlier revision; undefined: all of
   * them are.
   */
  readonly validFrom: number | undefined;
  /** Unix milliseconds: tokens that a data server issued at this time or before are invalid; 0 if no session was ended. */
  readonly validAfter: number;
  /** True if the given access key belongs to this user and has not expired, or if none was given. */
  readonly holdsKey: boolean;
  /** Unix seconds at which the given access key expires; undefined: it does not, or none was given. */
  readonly keyExpiresAt: number | undefined;
  /** True if the given token id is claimed; false if none was given. */
  readonly isTokenClaimed: boolean;
}

/** Owners of access keys, and the validity of sessions (spec/security §4.4). */
export interface Sessions {
  /** An access key with its owner and the secret in clear; "not_found" when there is none. */
  key(accessKeyId: string): Promise<OwnedKey>;
  /** True for the id of an access key that is kept, also of one that has expired or whose user is inactive. */
  hasKey(text: string): Promise<boolean>;
  /** The state that a session of the user depends on; "not_found" for an unknown user. */
  get(username: string, of?: { accessKeyId?: string; tokenId?: string }): Promise<Session>;
  /** Ends all sessions of a user; access keys stay. "not_found" for an unknown user. */
  end(username: string): Promise<void>;
}

/** A membership of a user. */
export interface Membership {
  readonly group: string;
  /** Name of the issuer whose claims made it; absent where none did. */
  readonly by?: string;
  /** True: a data set that is kept in sync made it. */
  readonly managed: boolean;
}

export interface TokenClaims {
  /**
   * Claims a one-time token id until `expiresAt` (Unix seconds); "invalid_request" when it is claimed already.
   * @param said a short text for {@link TokenClaims.said}; no secret
   */
  claim(tokenId: string, expiresAt: number, said?: string): Promise<void>;
  /** The text that was said with the claim of an id, until it expires; undefined where there is none. */
  said(tokenId: string): Promise<string | undefined>;
}

/** The entities that a committed write touched, by internal ids. */
export type DirectoryChange = Change;

/** Registered resources and resource types declared by data sets. */
export interface Resources {
  types(): Promise<readonly ResourceType[]>;
  /**
   * The first of some names that is registered; all are looked up in one state, of which listeners to changes have heard
   * when the promise resolves.
   */
  firstOf(named: Iterable<Pick<RegisteredResource, "type" | "id">>): Promise<RegisteredResource | undefined>;
  /** A page of the resources of a type, of a state as that of {@link firstOf}. */
  list(type: string, page: PageRequest): Promise<Page<RegisteredResource>>;
}

/** A part of everything of a kind: at most `limit` after a key, "" for the beginning. */
export interface PartRange {
  readonly after: string;
  readonly limit: number;
}

/** The content of a part, in UTF-8 byte order of the keys. */
export interface Part<T> {
  readonly items: readonly T[];
  /** The last key that was looked at; undefined at the end. */
  readonly upTo: string | undefined;
}

/** True if a user with this name is a candidate. */
export type HolderTest = (username: string) => boolean;

/** One state of the directory, to be looked through: what searches read. */
export interface Survey {
  /** Revision of the state. */
  readonly revision: number;
  /** All policies, sorted by name in UTF-8 byte order. */
  policies(): Promise<readonly StoredPolicy[]>;
  /** A policy by name. */
  policy(name: string): Promise<StoredPolicy | undefined>;
  /** All access keys of users, in pages. */
  keys(): AsyncIterable<readonly Credential[]>;
  /** Users after a name. */
  userPart(range: PartRange): Promise<Part<User>>;
  /** Groups after a name. */
  groupPart(range: PartRange): Promise<Part<Group>>;
  /** Policies after a name. */
  policyPart(range: PartRange): Promise<Part<StoredPolicy>>;
  /** Access keys of users after an id. */
  keyPart(range: PartRange): Promise<Part<Credential>>;
  /** The numbers of users and groups that a policy is attached to, in pages. */
  attachments(policy: string): AsyncIterable<number>;
  /** The members of a group, in pages in UTF-8 byte order of their names; undefined if there is no such group. */
  members(group: string): Promise<AsyncIterable<readonly User[]> | undefined>;
  /**
   * Names of the users after `after` who hold one of the policies, directly or through a group, and whose name passes
   * the test of the policy: in pages in UTF-8 byte order, some of them empty. No holder is missing; some of the users
   * may not be holders.
   * @param policies by internal id
   */
  holders(policies: ReadonlyMap<string, HolderTest>, after: string): AsyncIterable<readonly string[]>;
  /** Registered properties of a user, or undefined when there is no such user. */
  properties(username: string): Promise<Properties | undefined>;
  /** As {@link Directory.principal}. */
  principal(username: string): Promise<Principal | undefined>;
  /** As {@link Directory.principalOfGroups}. */
  principalOfGroups(names: readonly string[]): Promise<GroupPrincipal>;
  /** The first of some names that is registered. */
  firstResource: Resources["firstOf"];
}

/** The state that a write runs on. Whatever is read of it may not change before the commit, else the write runs again. */
export interface JudgedState {
  /** The user with its effective policies, or undefined if there is no such user. */
  principal(username: string): Promise<Principal | undefined>;
  /** A user as it is stored; "not_found" for an unknown name. */
  user(username: string): Promise<User>;
  /** As `principal`, with the policies that an inactive user would have again: what who acts as the user can gain. */
  principalOnceActive(username: string): Promise<Principal | undefined>;
  /** A policy; "not_found" for an unknown name. */
  policy(name: string): Promise<Policy>;
  /** The policies of a group in UTF-8 byte order of their names; "not_found" for an unknown name. */
  groupPolicies(name: string): Promise<readonly StoredPolicy[]>;
  /** As `sessions.get` of the directory. */
  session(
    username: string,
    of?: { readonly accessKeyId?: string; readonly tokenId?: string },
  ): Promise<Session>;
}

/** Throws where the author may not make the write in this state. Caches have heard of all that it has. */
export type Judge = (state: JudgedState) => Promise<void>;

/**
 * Somebody for whom writes are made. The name is kept with their entries. The right to a write is judged in the state of
 * each attempt, so that no entry exists whose author had lost it in an earlier one (spec/journal §2.1).
 */
export interface Author {
  /** Name for the log. */
  readonly name: string;
  readonly judge?: Judge;
}

/** The directory. */
export interface Directory {
  readonly users: Users;
  readonly groups: Groups;
  readonly policies: Policies;
  readonly credentials: Credentials;
  readonly externalPrincipals: ExternalPrincipals;
  readonly tokenClaims: TokenClaims;
  readonly sessions: Sessions;
  readonly issuedSessions: IssuedSessions;
  readonly passwords: Passwords;
  readonly serviceUsers: ServiceUsers;
  readonly resources: Resources;
  readonly batches: DirectoryBatches;
  /**
   * The use cases of an identity provider.
   * @param isProtected true for the name of a group that it may not change
   */
  provisioning(isProtected: (group: string) => boolean): Provisioning;
  readonly history: DirectoryHistory;
  /**
   * Plans from everything that the directory has, without secrets, and applies the plan atomically. If another writer
   * changes the directory before the commit, it is planned again (spec/journal §2).
   * @param plan may run more than once, and also where nothing is applied
   * @param options `dryRun`: the plan is made and tried, and nothing is written
   */
  applyPlanned<T>(
    plan: (state: DirectoryState, judged: JudgedState) => Promise<StatePlan<T>>,
    options: { readonly dryRun: boolean },
  ): Promise<T>;
  /** Runs work on behalf of somebody, whose name its writes carry and whose right to them is judged (spec/journal §2.1). */
  actingFor<T>(author: Author, work: () => Promise<T>): Promise<T>;
  /** Runs work whose writes one more judge has to let pass, in the state of each attempt. */
  alsoJudged<T>(judge: Judge, work: () => Promise<T>): Promise<T>;
  /** Runs work with one write, which is made in one commit with other records, or not at all. */
  writingBeside<T>(beside: Beside, work: () => Promise<T>): Promise<T>;
  /** The user with its effective policies, or undefined when there is no such user. */
  principal(username: string): Promise<Principal | undefined>;
  /** The policies of the groups that exist among these distinct names, as a member would have them. */
  principalOfGroups(names: readonly string[]): Promise<GroupPrincipal>;
  /** Reads ahead as much as is remembered, in portions. The signal ends it. */
  readAhead(visitor: AheadVisitor, signal: AbortSignal): Promise<void>;
  /**
   * Runs `work` on one snapshot of the directory.
   * @param pause called between reads; waits if it is time to let other work run
   */
  survey<T>(work: (survey: Survey) => Promise<T>, pause: Pause): Promise<T>;
  /**
   * Calls `listener` synchronously after each commit that changed something and before the write's promise
   * resolves, so that a cache evicts before the writer hears of success. Returns what unsubscribes.
   */
  onChange(listener: (change: DirectoryChange) => void): () => void;
  /**
   * True while the listeners of {@link onChange} receive every change, whoever writes it. A value that was read and not
   * touched since is then still valid.
   */
  tellsEveryChange(): boolean;
  /** Rejects with "unavailable" when the store does not work. */
  health(): Promise<void>;
  /** Waits for sweeps under way. Does not close the store. */
  close(): Promise<void>;
}

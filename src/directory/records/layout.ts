/**
 * The directory's layout over the store port. Every record is a JSON object, one partition per kind.
 *
 * Entities stand under their name and hold an internal id that is never reused; everything that refers to an entity
 * holds the id and reads as absent if the entity of that name is gone or has another id. So deleting an entity is
 * one small commit (its record, a `sweep` record), and re-creating its name brings nothing back, also after a crash
 * before the sweep. Keys of references contain names, so that a scan lists them in UTF-8 byte order of the names.
 *
 * | partition        | key                              | record                      |
 * |------------------|----------------------------------|-----------------------------|
 * | `meta`           | `layout`, `kdf`, `key/<id>`, `sealing`, `partition`, `node/<id>`, `mark/<name>` | {@link MetaRecord}          |
 * | `user`           | `<username>`                     | {@link UserRecord}          |
 * | `group`          | `<name>`                         | {@link GroupRecord}         |
 * | `policy`         | `<name>`                         | {@link PolicyRecord}        |
 * | `external_id`    | `<external id>`                  | {@link OwnerRecord}         |
 * | `email`          | `<SHA-256 of it>/<username>`     | {@link RefRecord} (user)    |
 * | `folded_name`    | `<SHA-256 of the name in lower case>/<username>` | {@link RefRecord} (user): of names that are not in lower case |
 * | `user_group`     | `<user id>/<group name>`         | {@link MembershipRecord} (group) |
 * | `group_user`     | `<group id>/<username>`          | {@link RefRecord} (user)    |
 * | `user_policy`    | `<user id>/<policy name>`        | {@link RefRecord} (policy)  |
 * | `group_policy`   | `<group id>/<policy name>`       | {@link RefRecord} (policy)  |
 * | `policy_holder`  | `<policy id>/u/<user id>`, `/g/` | {}: finds attachments to sweep |
 * | `key`            | `<access key id>`                | {@link KeyRecord}           |
 * | `user_key`       | `<user id>/<access key id>`      | {@link UserKeyRecord}       |
 * | `key_expiry`     | `<16 digits>/<access key id>`    | {}: finds expired keys to drop |
 * | `principal`      | `<principal id>`                 | {@link OwnerRecord}         |
 * | `user_principal` | `<user id>/<principal id>`       | {}                          |
 * | `claim`          | `<token id>`                     | {@link ClaimRecord}         |
 * | `claim_expiry`   | `<16 digits>/<token id>`         | {}: finds claims to drop    |
 * | `resource_type`  | `<type>`                         | {@link ResourceTypeRecord}  |
 * | `resource`       | `<SHA-256 of the type>/<id>`     | {@link ResourceRecord}      |
 * | `applied`        | `user/<name>`, `group/<name>`, `policy/<name>` | {@link AppliedRecord} |
 * | `session`        | `<user id>`                      | {@link SessionRecord}       |
 * | `issued`         | `<user id>/<token id>`           | {@link IssuedRecord}        |
 * | `issued_expiry`  | `<16 digits>/<user id>/<token id>` | {}: finds those that are over |
 * | `password`       | `<user id>`                      | {@link PasswordRecord}      |
 * | `provisioned`    | `<id of a user or group>`        | {@link ProvisionedRecord}   |
 * | `sweep`          | `<id of what was deleted>`       | {@link SweepRecord}         |
 *
 * The partitions `outbox`, `outbox_failed` and `invitation` belong to `src/mail`. The directory knows only that queued
 * mails have a sealed secret ({@link SealedMailRecord}), which it seals anew when the key changes. `mirror` and
 * `mirror_progress` belong to `src/mirroring`.
 */

import { createHash } from "node:crypto";
import type { Group, Properties, User } from "@svc-authorizer/policy/model/entities.ts";
import type { Policy } from "@svc-authorizer/policy/model/policy.ts";
import type { ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import type { Said } from "../batch.ts";

/** Number of this layout, kept in `meta/layout`; a store with a higher one is refused. */
export const LAYOUT = 1;

/** Common fields of entity records. */
interface EntityHead {
  /** Internal id, never reused. */
  readonly id: string;
  /** Made by a data set: a later `sync` may remove it. */
  readonly managed?: true;
}

/** A user; its name is the key. */
export interface UserRecord extends EntityHead, Omit<User, "username"> {
  /**
   * Unix milliseconds: what was issued to the user then or before is over (spec/security §4.4). Set when the user is
   * made, so that nothing issued to an earlier user of the name holds; absent in records of earlier versions.
   */
  readonly sessions_valid_after?: number;
  /** Internal id that the user had before a restore brought it back; the first one, where there were several. */
  readonly origin?: string;
  /** The work that the user does for the service itself; present: nobody can sign in as it. */
  readonly works_for?: string;
}

/** A group; its name is the key. */
export interface GroupRecord extends EntityHead, Omit<Group, "name"> {
  /** Id of the group at the identity provider that fills it. */
  readonly external_id?: string;
}

/** A policy; its name is the key. */
export interface PolicyRecord extends EntityHead, Omit<Policy, "name"> {
  /** New with every write of the policy; never repeats. */
  readonly rev: string;
  /** Written by a version that drops no member (spec/evaluation §11.1). Absent: an earlier one may have dropped some. */
  readonly whole?: true;
}

/** A reference to the entity whose name is in the key; holds only while that name has this id. */
export interface RefRecord {
  readonly id: string;
  readonly managed?: true;
}

/** A group of a user. */
export interface MembershipRecord extends RefRecord {
  /** Name of the issuer whose claims made it: its next claims may take it back. */
  readonly by?: string;
}

/** A text that belongs to one user: holds only while that user name has this id. */
export interface OwnerRecord extends RefRecord {
  readonly username: string;
}

/** The time at which an access key is over, and whether lists have it. */
interface KeyTerm {
  /** Unix seconds: from this second on the key is as absent; undefined: it does not expire. */
  readonly expires_at?: number;
  /** Issued for a token of an identity provider: no list has it. */
  readonly temporary?: true;
}

/** An access key with its sealed secret. */
export interface KeyRecord extends OwnerRecord, KeyTerm {
  /** Sealed by `secrets.ts`. */
  readonly secret: string;
  readonly creation_date: number;
}

/** Fields of a queued mail in `outbox` that seal its secret. */
export interface SealedMailRecord {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  /** Sealed by `secrets.ts`. */
  readonly secret: string;
}

/** Listing entry of an access key under its user. */
export interface UserKeyRecord extends KeyTerm {
  readonly creation_date: number;
}

/** A claimed one-time token. */
export interface ClaimRecord {
  /** Unix seconds. */
  readonly expires_at: number;
  /** A text for those who ask for the claim; see `TokenClaims.said`. */
  readonly said?: string;
}

/** A resource type declared by a data set. */
export type ResourceTypeRecord = ResourceType & { readonly managed?: true };

/** A registered resource; its id is in the key. */
export interface ResourceRecord {
  readonly type: string;
  readonly properties?: Properties;
  readonly managed?: true;
}

/** The sessions of a user (spec/journal §5); absent until some were ended. */
interface SessionRecord {
  /** New with each writing; random. Login tokens carry that of their issue, and hold only with it. */
  readonly since: string;
  /**
   * True: tokens that carry none do not hold. Absent in a record that version 0.2 wrote: those hold from the revision on
   * that is the version of this record.
   */
  readonly strict?: true;
}

/** A login token that was issued, without the token. It is shown, and nothing is authenticated by it. */
export interface IssuedRecord {
  /** Unix seconds. */
  readonly issued_at: number;
  /** Unix seconds. */
  readonly expires_at: number;
  /** The beginning of the user's sessions at which it was issued: with another one it is over. */
  readonly since: string;
  readonly how?: string;
  readonly issuer?: string;
  readonly access_key_id?: string;
  readonly source?: string;
}

/** The password of a user. It stands under the internal id, so that a later user of the name never has it. */
export interface PasswordRecord {
  /** The hash of the password, sealed by `secrets.ts`. */
  readonly secret: string;
  /** Unix milliseconds. */
  readonly set_at: number;
}

/** The name of an entity that an identity provider knows by its id. Stale where that name has another id. */
export interface ProvisionedRecord {
  readonly kind: "user" | "group";
  readonly name: string;
}

/** The last state that a manager's documents gave an entity (spec/management-cli §10). It holds for this id only. */
export interface AppliedRecord {
  /** Internal id of the entity. */
  readonly id: string;
  readonly manager: string;
  readonly said: Said;
  /** The documents of the manager no longer name the entity, and it was left as it is. */
  readonly dropped?: true;
}

/** A deleted entity whose references wait to be removed. */
export interface SweepRecord {
  readonly kind: "user" | "group" | "policy";
  readonly name: string;
}

/** Records of the store as a whole. */
export interface MetaRecord {
  /** `layout`: number of the layout. */
  readonly layout?: number;
  /** `kdf`: salt (base64) and scrypt parameters of this store. */
  readonly salt?: string;
  readonly N?: number;
  readonly r?: number;
  readonly p?: number;
  /** `sealing`: id of the key that seals, whatever a node is configured with (spec/journal §4.10). */
  readonly key?: string;
  /** `partition`: that of the ARNs in this store (spec/journal §5). */
  readonly partition?: string;
  /** `node/<id>`: ids of the keys that a node of several holds, until it stops. */
  readonly holds?: readonly string[];
  /** `node/<id>`: `authorizer.node_name`; version 0.2 wrote none. */
  readonly name?: string;
  /** `key/<id>`: a key that secrets in this store are sealed with; Unix seconds of its first use. */
  readonly since?: number;
  /** `mark/<name>`: what a marked batch left, to be known to the next one. */
  readonly mark?: unknown;
}

/** Record type of each partition. */
export interface RecordTypes {
  meta: MetaRecord;
  user: UserRecord;
  group: GroupRecord;
  policy: PolicyRecord;
  external_id: OwnerRecord;
  email: RefRecord;
  folded_name: RefRecord;
  user_group: MembershipRecord;
  group_user: RefRecord;
  user_policy: RefRecord;
  group_policy: RefRecord;
  policy_holder: Readonly<Record<string, never>>;
  key: KeyRecord;
  user_key: UserKeyRecord;
  key_expiry: Readonly<Record<string, never>>;
  principal: OwnerRecord;
  user_principal: Readonly<Record<string, never>>;
  claim: ClaimRecord;
  claim_expiry: Readonly<Record<string, never>>;
  resource_type: ResourceTypeRecord;
  resource: ResourceRecord;
  session: SessionRecord;
  issued: IssuedRecord;
  issued_expiry: Readonly<Record<string, never>>;
  password: PasswordRecord;
  provisioned: ProvisionedRecord;
  sweep: SweepRecord;
  applied: AppliedRecord;
}

/** Name of a partition. */
export type Partition = keyof RecordTypes;

/** The record without fields, for keys that say everything. */
export const EMPTY: Readonly<Record<string, never>> = Object.freeze({});

/** Key below an id: `<id>/<name>`. */
export function under(id: string, name: string): string {
  return `${id}/${name}`;
}

/** The parts of a key made by {@link under}. */
export function splitKey(key: string): { readonly id: string; readonly rest: string } {
  const slash = key.indexOf("/");
  return { id: key.slice(0, slash), rest: key.slice(slash + 1) };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** Key of a user in the index of e-mails; e-mails are hashed since two long texts exceed a key. */
export function emailKey(email: string, username: string): string {
  return under(hash(email), username);
}

/** A name as it is compared with others regardless of letter case. */
export function foldName(username: string): string {
  return username.toLowerCase();
}

/** Key of a user in the index of names in any letter case; it is needed where {@link foldName} changes the name. */
export function foldedKey(username: string): string {
  return under(hash(foldName(username)), username);
}

/** Key of the record that leads from a policy to a user or group it is attached to. */
export function holderKey(policyId: string, kind: "u" | "g", holderId: string): string {
  return `${policyId}/${kind}/${holderId}`;
}

/** Key of a claim or an access key in the order of expiry. */
export function expiryKey(expiresAt: number, id: string): string {
  return `${String(expiresAt).padStart(16, "0")}/${id}`;
}

/** Key of a registered resource; types are hashed as e-mails are. */
export function resourceKey(type: string, id: string): string {
  return under(hash(type), id);
}

/** `{managed: true}` or nothing, to be spread into a record. */
export function mark(managed: boolean | undefined): { managed?: true } {
  return managed === true ? { managed: true } : {};
}

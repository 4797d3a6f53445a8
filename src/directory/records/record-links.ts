/** Relations between records of the directory, which the check of a store compares. */

import {
  type ClaimRecord,
  emailKey,
  expiryKey,
  foldedKey,
  holderKey,
  type KeyRecord,
  type OwnerRecord,
  type Partition,
  type RecordTypes,
  type RefRecord,
  splitKey,
  type UserRecord,
  under,
} from "./layout.ts";

/** A record that must exist because another one does. */
interface Mirror {
  readonly partition: Partition;
  readonly key: string;
  readonly matches: (record: RecordTypes[Partition]) => boolean;
}

/** The records that a record requires. */
export interface Links {
  /** Ids of entities that must live; under this name, where one is given. */
  readonly ids: readonly { readonly id: string; readonly name?: string }[];
  /** Records that must exist while those entities exist. */
  readonly mirrors: readonly Mirror[];
}

const any = (): boolean => true;

function withId(id: string): Mirror["matches"] {
  return (record) => (record as { readonly id?: string }).id === id;
}

function userLinks(username: string, { id, external_id, email }: UserRecord): Links {
  const mirrors: Mirror[] = [];
  if (external_id !== undefined)
    mirrors.push({ partition: "external_id", key: external_id, matches: withId(id) });
  if (email !== undefined) {
    mirrors.push({ partition: "email", key: emailKey(email, username), matches: withId(id) });
  }
  return { ids: [], mirrors };
}

/** Links of a record that names one entity in its key by id and another by name, and holds the latter's id. */
function pairLinks(
  key: string,
  record: RefRecord,
  mirrorOf: (holderId: string, otherId: string) => Mirror,
): Links {
  const { id: holderId, rest } = splitKey(key);
  return { ids: [{ id: holderId }, { id: record.id, name: rest }], mirrors: [mirrorOf(holderId, record.id)] };
}

function holderLinks(key: string, nameOf: (id: string) => string | undefined): Links {
  const { id: policyId, rest } = splitKey(key);
  const { id: kind, rest: holderId } = splitKey(rest);
  const partition = kind === "u" ? "user_policy" : "group_policy";
  const policy = nameOf(policyId) ?? "";
  return {
    ids: [{ id: policyId }, { id: holderId }],
    mirrors: [{ partition, key: under(holderId, policy), matches: withId(policyId) }],
  };
}

function ownedLinks(key: string, record: OwnerRecord, partition: "user_key" | "user_principal"): Links {
  const { id, username } = record;
  return { ids: [{ id, name: username }], mirrors: [{ partition, key: under(id, key), matches: any }] };
}

/** The entry of an expiry may outlive its key, which the one who drops it finds out. */
function keyLinks(key: string, record: KeyRecord): Links {
  const { ids, mirrors } = ownedLinks(key, record, "user_key");
  const { expires_at } = record;
  if (expires_at === undefined) return { ids, mirrors };
  const expiry: Mirror = { partition: "key_expiry", key: expiryKey(expires_at, key), matches: any };
  return { ids, mirrors: [...mirrors, expiry] };
}

function ownerLinks(key: string, partition: "key" | "principal"): Links {
  const { id, rest } = splitKey(key);
  return { ids: [{ id }], mirrors: [{ partition, key: rest, matches: withId(id) }] };
}

function claimLinks(tokenId: string, { expires_at }: ClaimRecord): Links {
  const key = expiryKey(expires_at, tokenId);
  return { ids: [], mirrors: [{ partition: "claim_expiry", key, matches: any }] };
}

function expiryLinks(key: string): Links {
  const { id: expiry, rest } = splitKey(key);
  const matches: Mirror["matches"] = (record) => (record as ClaimRecord).expires_at === Number(expiry);
  return { ids: [], mirrors: [{ partition: "claim", key: rest, matches }] };
}

/**
 * The records that a record requires.
 * @param nameOf name of a living entity by id
 */
export function linksOf<P extends Partition>(
  partition: P,
  key: string,
  record: RecordTypes[P],
  nameOf: (id: string) => string | undefined,
): Links {
  const ref = record as RefRecord;
  const name = (id: string): string => nameOf(id) ?? "";
  switch (partition) {
    case "user":
      return userLinks(key, record as UserRecord);
    case "external_id": {
      const { id, username } = record as OwnerRecord;
      const matches: Mirror["matches"] = (user) => (user as UserRecord).external_id === key;
      return { ids: [{ id, name: username }], mirrors: [{ partition: "user", key: username, matches }] };
    }
    case "email": {
      const username = splitKey(key).rest;
      const matches: Mirror["matches"] = (user) =>
        emailKey((user as UserRecord).email ?? "", username) === key;
      return {
        ids: [{ id: ref.id, name: username }],
        mirrors: [{ partition: "user", key: username, matches }],
      };
    }
    case "folded_name": {
      const username = splitKey(key).rest;
      const matches: Mirror["matches"] = () => foldedKey(username) === key;
      return {
        ids: [{ id: ref.id, name: username }],
        mirrors: [{ partition: "user", key: username, matches }],
      };
    }
    case "user_group":
      return pairLinks(key, ref, (user, group) => ({
        partition: "group_user",
        key: under(group, name(user)),
        matches: withId(user),
      }));
    case "group_user":
      return pairLinks(key, ref, (group, user) => ({
        partition: "user_group",
        key: under(user, name(group)),
        matches: withId(group),
      }));
    case "user_policy":
    case "group_policy":
      return pairLinks(key, ref, (holder, policy) => ({
        partition: "policy_holder",
        key: holderKey(policy, partition === "user_policy" ? "u" : "g", holder),
        matches: any,
      }));
    case "policy_holder":
      return holderLinks(key, nameOf);
    case "key":
      return keyLinks(key, record as KeyRecord);
    case "principal":
      return ownedLinks(key, record as OwnerRecord, "user_principal");
    case "user_key":
      return ownerLinks(key, "key");
    case "user_principal":
      return ownerLinks(key, "principal");
    case "session":
    case "password":
      return { ids: [{ id: key }], mirrors: [] };
    case "claim":
      return claimLinks(key, record as ClaimRecord);
    case "claim_expiry":
      return expiryLinks(key);
    default:
      return { ids: [], mirrors: [] };
  }
}

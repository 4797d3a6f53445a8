/** The use case of a sign-in with an identity provider (spec/sign-in §1). */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { assertNoProblems, userProblems } from "../../checks.ts";
import type { DirectoryContext } from "../../context.ts";
import type { Provisioning, SignedInPerson, SignInOutcome } from "../../provisioning.ts";
import { putMember, removeMember } from "../../records/group-records.ts";
import { splitKey, type UserRecord, under } from "../../records/layout.ts";
import { putUser, userRecord } from "../../records/user-records.ts";
import type { Transaction } from "../transaction.ts";
import type { FoldedNames } from "./folded-names.ts";
import type { ProtectedTest } from "./provisioned-guard.ts";

/** Source of the users that providers of OpenID Connect make. */
const SOURCE = "oidc";

interface SignInParts {
  readonly context: DirectoryContext;
  readonly isProtected: ProtectedTest;
  readonly names: FoldedNames;
}

interface FoundUser {
  readonly username: string;
  readonly record: UserRecord;
}

/** The use case. */
export function createSignIn(parts: SignInParts): Provisioning["signIn"] {
  return async (person) => {
    await parts.names.complete();
    const attempt = () => parts.context.writer.write((tx) => signIn(tx, parts, person));
    try {
      return await attempt();
    } catch (error) {
      // Another sign-in of the same person was first: now there is a user with this external id.
      if (!isErrorCode(error, "already_exists")) throw error;
      return attempt();
    }
  };
}

async function signIn(tx: Transaction, parts: SignInParts, person: SignedInPerson): Promise<SignInOutcome> {
  const linked = await linkedUser(tx, person.externalId);
  if (linked !== undefined) {
    if (linked.record.inactive === true) return { fault: "inactive" };
    const record = { ...linked.record, ...friendlyNameOf(person) };
    if (record.friendly_name !== linked.record.friendly_name) {
      await putUser(tx, linked.username, linked.record, record);
    }
    await setGroups(tx, parts, person, linked);
    return { username: linked.username, userId: record.id, isNew: false };
  }
  const namesake = await parts.names.namesakeOf(tx, person.username);
  if (namesake !== undefined) return linkByName(tx, parts, person, namesake);
  if (!person.mayCreate) return { fault: "absent" };
  if (person.needsInitialGroups === true) {
    const groups = await tx.getMany("group", person.initialGroups);
    if (groups.includes(undefined)) return { fault: "group_missing" };
  }
  return create(tx, parts, person);
}

/** A name is weaker than an id: it leads to no user of another provider, and to no administrator. */
async function linkByName(
  tx: Transaction,
  parts: SignInParts,
  person: SignedInPerson,
  username: string,
): Promise<SignInOutcome> {
  const record = await tx.get("user", username);
  if (record === undefined || !person.byName || username !== person.username) return { fault: "name_taken" };
  if (record.works_for !== undefined) return { fault: "name_taken" };
  if (record.external_id !== undefined) return { fault: "linked_elsewhere" };
  if (record.inactive === true) return { fault: "inactive" };
  const groups = await groupsOf(tx, record.id);
  if (groups.some(({ name }) => parts.isProtected(name) && !person.isNamed(name))) {
    return { fault: "protected" };
  }
  const after = { ...record, external_id: person.externalId, ...friendlyNameOf(person) };
  await putUser(tx, username, record, after);
  await setGroups(tx, parts, person, { username, record: after });
  return { username, userId: record.id, isNew: false };
}

async function create(tx: Transaction, parts: SignInParts, person: SignedInPerson): Promise<SignInOutcome> {
  const { context } = parts;
  const { username, externalId } = person;
  const fields = {
    username,
    external_id: externalId,
    source: person.source ?? SOURCE,
    ...friendlyNameOf(person),
  };
  assertNoProblems(userProblems(fields, context.rules.guards));
  const record = userRecord(fields, {
    id: context.generateId(),
    creation_date: context.now(),
    managed: false,
    sessions_valid_after: context.nowMs(),
  });
  await putUser(tx, username, undefined, record);
  tx.put("provisioned", record.id, { kind: "user", name: username });
  const user = { username, record };
  for (const name of new Set(person.initialGroups)) await join(tx, parts, person, { user, name });
  await setGroups(tx, parts, person, user);
  return { username, userId: record.id, isNew: true };
}

/** Makes the memberships that this issuer made equal to its claims. */
async function setGroups(
  tx: Transaction,
  parts: SignInParts,
  person: SignedInPerson,
  user: FoundUser,
): Promise<void> {
  const wanted = new Set(person.groups.filter((name) => mayJoin(parts, person, name)));
  const { username, record } = user;
  for (const { name, groupId, by } of await groupsOf(tx, record.id)) {
    if (by !== person.issuer || wanted.has(name)) continue;
    await removeMember(tx, { group: name, groupId, username, userId: record.id });
  }
  for (const name of wanted) await join(tx, parts, person, { user, name, by: person.issuer });
}

function mayJoin({ isProtected }: SignInParts, person: SignedInPerson, name: string): boolean {
  return !isProtected(name) || person.isNamed(name);
}

/** Adds the user to a group that exists; a membership that is there stays whose it is. */
async function join(
  tx: Transaction,
  parts: SignInParts,
  person: SignedInPerson,
  { user, name, by }: { readonly user: FoundUser; readonly name: string; readonly by?: string },
): Promise<void> {
  if (!mayJoin(parts, person, name)) return;
  const group = await tx.get("group", name);
  if (group === undefined) return;
  const ends = { group: name, groupId: group.id, username: user.username, userId: user.record.id };
  const before = await tx.get("user_group", under(user.record.id, name));
  if (before?.id !== group.id) await putMember(tx, ends, false, by);
}

async function linkedUser(tx: Transaction, externalId: string): Promise<FoundUser | undefined> {
  const owner = await tx.get("external_id", externalId);
  const record = owner && (await tx.get("user", owner.username));
  if (owner === undefined || record?.id !== owner.id || record.external_id !== externalId) return undefined;
  return { username: owner.username, record };
}

/** The groups of a user that exist, with who made the membership. */
async function groupsOf(tx: Transaction, userId: string) {
  const found: { readonly name: string; readonly groupId: string; readonly by: string | undefined }[] = [];
  for await (const page of tx.scanAll("user_group", under(userId, ""))) {
    for (const { key, record } of page) {
      const name = splitKey(key).rest;
      if ((await tx.get("group", name))?.id !== record.id) continue;
      found.push({ name, groupId: record.id, by: record.by });
    }
  }
  return found;
}

function friendlyNameOf({ friendlyName }: SignedInPerson): { readonly friendly_name?: string } {
  return friendlyName === undefined ? {} : { friendly_name: friendlyName };
}

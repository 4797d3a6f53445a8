/** The reads of a marked batch's plan: each look-up by name is an expectation of the commit. */

import type { MarkedState } from "../batch.ts";
import { toGroup } from "../records/group-records.ts";
import { splitKey, under } from "../records/layout.ts";
import { liveKey } from "../records/owned-records.ts";
import { toPolicy } from "../records/policy-records.ts";
import { toUser } from "../records/user-records.ts";
import type { Transaction } from "./transaction.ts";

/** More than any group has, or any plan wants to know of. */
const MOST = 100_000;

/** Key of a mark in `meta`. */
export function markKey(name: string): string {
  return `mark/${name}`;
}

/**
 * The state that a transaction works on.
 * @param now Unix seconds
 */
export async function readMarkedState(
  tx: Transaction,
  name: string,
  now: number,
): Promise<Omit<MarkedState, "someAdministrator">> {
  const stored = await tx.get("meta", markKey(name));
  return {
    mark: stored?.mark,
    async user(username) {
      const record = await tx.get("user", username);
      return record && toUser(username, record);
    },
    async group(groupName) {
      const record = await tx.get("group", groupName);
      return record && toGroup(groupName, record);
    },
    async policy(policyName) {
      const record = await tx.get("policy", policyName);
      return record && toPolicy(policyName, record);
    },
    groupPolicies: (groupName) => groupPolicies(tx, groupName),
    someMember: (groupName) => someMember(tx, groupName),
    keyOwner: async (accessKeyId) => (await liveKey(tx, accessKeyId, now))?.username,
  };
}

async function groupPolicies(tx: Transaction, groupName: string): Promise<readonly string[]> {
  const group = await tx.get("group", groupName);
  if (group === undefined) return [];
  const names: string[] = [];
  const found = await tx.scan("group_policy", { prefix: under(group.id, ""), limit: MOST });
  for (const { key, record } of found) {
    const { rest } = splitKey(key);
    if ((await tx.get("policy", rest))?.id === record.id) names.push(rest);
  }
  return names;
}

async function someMember(tx: Transaction, groupName: string): Promise<string | undefined> {
  const group = await tx.get("group", groupName);
  if (group === undefined) return undefined;
  const found = await tx.scan("group_user", { prefix: under(group.id, ""), limit: MOST });
  for (const { key, record } of found) {
    const username = splitKey(key).rest;
    if ((await tx.get("user", username))?.id === record.id) return username;
  }
  return undefined;
}

/** Use cases on users that work for the service itself. */

import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import { alreadyExists, assertNoProblems } from "../checks.ts";
import { type DirectoryContext, read } from "../context.ts";
import type { NewPolicy } from "../new-entities.ts";
import type { PolicyRecord, UserRecord } from "../records/layout.ts";
import { attach, policyRecord, putPolicy, removePolicy } from "../records/policy-records.ts";
import { putUser, removeUser, userRecord } from "../records/user-records.ts";
import type { ServiceUser, ServiceUsers } from "../service-users.ts";
import { newPolicyProblems, readServices } from "./policy-rules.ts";
import { putTemporaryKey } from "./temporary-keys.ts";
import type { Transaction } from "./transaction.ts";

/** The use cases of a directory. */
export function createServiceUsers(context: DirectoryContext): ServiceUsers {
  const { writer, rules } = context;
  return {
    createKey: ({ username, worksFor, policy: content }, seconds) =>
      writer.write(async (tx) => {
        const policy = { ...content, name: username };
        assertNoProblems(newPolicyProblems(policy, rules, await readServices(tx, rules)));
        const { id, isNewUser } = await requireServiceUser(tx, context, { username, worksFor });
        const policyId = await requireOwnPolicy(tx, context, policy, isNewUser);
        const holder = { kind: "user", id, name: username } as const;
        await attach(tx, holder, { name: username, id: policyId }, false);
        const key = await putTemporaryKey(tx, context, { id, username }, seconds);
        context.wakeMaintenance();
        return { key, isNewUser };
      }),

    worksFor: async (username) => {
      if (!isPossibleName(username)) return undefined;
      return read(context, async (reader) => (await reader.get("user", username))?.works_for);
    },

    async delete(username, worksFor) {
      const isDeleted = await writer.write(async (tx) => {
        const user = await tx.get("user", username);
        if (user?.works_for !== worksFor) return false;
        const policy = await tx.get("policy", username);
        if (policy !== undefined) removePolicy(tx, username, policy);
        removeUser(tx, username, user);
        return true;
      });
      if (isDeleted) context.wakeMaintenance();
      return isDeleted;
    },
  };
}

/** The user, made where there is none; one that did another work is replaced, since that is over. */
async function requireServiceUser(
  tx: Transaction,
  context: DirectoryContext,
  { username, worksFor }: Pick<ServiceUser, "username" | "worksFor">,
): Promise<{ readonly id: string; readonly isNewUser: boolean }> {
  const before = await tx.get("user", username);
  if (before?.works_for === worksFor) return { id: before.id, isNewUser: false };
  if (before !== undefined && before.works_for === undefined) throw alreadyExists("user", username);
  if (before !== undefined) removeUser(tx, username, before);
  const head = {
    id: context.generateId(),
    creation_date: context.now(),
    managed: false,
    sessions_valid_after: context.nowMs(),
    works_for: worksFor,
  };
  const record: UserRecord = userRecord({ username }, head);
  await putUser(tx, username, undefined, record);
  return { id: record.id, isNewUser: true };
}

/** The policy, as it has to be. With a new user, one that says anything else is somebody's. */
async function requireOwnPolicy(
  tx: Transaction,
  context: DirectoryContext,
  policy: NewPolicy,
  isNewUser: boolean,
): Promise<string> {
  const before = await tx.get("policy", policy.name);
  const head = {
    id: before?.id ?? context.generateId(),
    creation_date: before?.creation_date ?? context.now(),
    managed: before?.managed === true,
  };
  const after = policyRecord(policy, head);
  if (before !== undefined && saysSame(before, after)) return before.id;
  if (before !== undefined && isNewUser) throw alreadyExists("policy", policy.name);
  putPolicy(tx, policy.name, after);
  return after.id;
}

function saysSame(left: PolicyRecord, right: PolicyRecord): boolean {
  return JSON.stringify(left.statement) === JSON.stringify(right.statement);
}

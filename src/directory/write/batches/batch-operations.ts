/** Single operations of a batch inside its transaction. */

import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import { type BatchOperation, entityKey } from "../../batch.ts";
import { assertNoProblems, groupProblems, userProblems } from "../../checks.ts";
import { putGroup, putMember, removeGroup, removeMember, requireGroup } from "../../records/group-records.ts";
import { mark } from "../../records/layout.ts";
import {
  attach,
  detach,
  policyRecord,
  putPolicy,
  removePolicy,
  requirePolicy,
} from "../../records/policy-records.ts";
import { putUser, removeUser, requireUser, userRecord } from "../../records/user-records.ts";
import { putApplied } from "../applied.ts";
import { endUnlisted } from "../end-unlisted.ts";
import { newPolicyProblems, servicesOf } from "../policy-rules.ts";
import { applyOwned } from "./batch-owned.ts";
import { applyResource } from "./batch-resources.ts";
import type { BatchScope } from "./batch-scope.ts";

type Op<T extends BatchOperation["op"]> = Extract<BatchOperation, { readonly op: T }>;
type Attachment = Extract<BatchOperation, { readonly policy: string }>;

/** Applies one operation. Throws AuthorizerError if the batch must fail. */
export async function applyOperation(scope: BatchScope, operation: BatchOperation): Promise<void> {
  if (await scope.left?.has(scope, operation)) return;
  switch (operation.op) {
    case "put_user":
      return applyUser(scope, operation);
    case "put_group":
      return applyGroup(scope, operation);
    case "put_policy":
      return applyPolicy(scope, operation);
    case "delete_user":
    case "delete_group":
    case "delete_policy":
      return applyDelete(scope, operation);
    case "add_member":
    case "remove_member":
      return applyMember(scope, operation);
    case "attach_to_user":
    case "attach_to_group":
    case "detach_from_user":
    case "detach_from_group":
      return applyAttachment(scope, operation);
    case "put_credential":
    case "delete_credential":
    case "put_principal":
    case "delete_principal":
      return applyOwned(scope, operation);
    case "put_resource_type":
    case "delete_resource_type":
    case "put_resource":
    case "delete_resource":
      return applyResource(scope, operation);
    case "put_applied":
      return putApplied(scope.tx, operation);
    case "delete_applied":
      return scope.tx.delete("applied", entityKey(operation));
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Id, date and mark for a record that replaces another or is new. */
function headOf(
  { context, managed }: BatchScope,
  before: { readonly id: string; readonly creation_date: number; readonly managed?: true } | undefined,
) {
  return {
    id: before?.id ?? context.generateId(),
    creation_date: before?.creation_date ?? context.now(),
    managed: managed || before?.managed === true,
  };
}

async function applyUser(scope: BatchScope, { user, ...made }: Op<"put_user">): Promise<void> {
  assertNoProblems(userProblems(user, scope.context.rules.guards));
  const before = await scope.tx.get("user", user.username);
  const validAfter = before === undefined ? scope.context.nowMs() : before.sessions_valid_after;
  const head = headOf(scope, before);
  // Who does not say so leaves an inactive user inactive.
  const inactive = user.inactive ?? before?.inactive === true;
  const origin = before === undefined ? made.origin : before.origin;
  const after = userRecord(
    { ...user, inactive },
    {
      ...head,
      ...(validAfter !== undefined && { sessions_valid_after: validAfter }),
      ...(before?.works_for !== undefined && { works_for: before.works_for }),
      ...(origin !== undefined && { origin }),
    },
  );
  if (!isSame(before, after)) await putUser(scope.tx, user.username, before, after);
  // Else they would hold again once the user is active.
  if (after.inactive === true && before !== undefined && before.inactive !== true)
    await endUnlisted(scope.tx, user.username, after, scope.context.nowMs());
}

async function applyGroup(scope: BatchScope, operation: Op<"put_group">): Promise<void> {
  assertNoProblems(groupProblems(operation, scope.context.rules.guards));
  const { name, description, creation_date } = operation;
  const before = await scope.tx.get("group", name);
  const head = headOf(scope, before);
  const after = {
    id: head.id,
    ...mark(head.managed),
    creation_date: creation_date ?? head.creation_date,
    ...(description !== undefined && { description }),
    ...(before?.external_id !== undefined && { external_id: before.external_id }),
  };
  if (isSame({ ...before, id: head.id }, after)) return;
  putGroup(scope.tx, name, after);
}

async function applyPolicy(scope: BatchScope, { policy, partial }: Op<"put_policy">): Promise<void> {
  const { tx, context, resourceTypes } = scope;
  const services = new Set(context.rules.services);
  for (const type of resourceTypes.values()) for (const service of servicesOf(type)) services.add(service);
  assertNoProblems(newPolicyProblems(policy, context.rules, services));
  const before = await tx.get("policy", policy.name);
  // Who knows nothing of accepted findings leaves them; an empty list removes them.
  const { accept = before?.accept, ...given } = policy;
  const kept = accept === undefined ? given : { ...given, accept };
  const after = policyRecord(kept, headOf(scope, before), partial);
  if (before === undefined) return putPolicy(tx, policy.name, after);
  const unrevised = { ...after, rev: before.rev };
  if (isSame(before, unrevised)) return;
  const { managed: _before, ...content } = before;
  const { managed: _after, ...newContent } = unrevised;
  // A new mark alone is no new revision: whoever has compiled the policy may keep it.
  if (isSame(content, newContent)) tx.put("policy", policy.name, unrevised);
  else putPolicy(tx, policy.name, after);
}

async function applyDelete(
  { tx }: BatchScope,
  operation: Op<"delete_user" | "delete_group" | "delete_policy">,
): Promise<void> {
  const name = operation.op === "delete_user" ? operation.username : operation.name;
  if (!isPossibleName(name)) return;
  if (operation.op === "delete_user") {
    const user = await tx.get("user", name);
    if (user !== undefined) removeUser(tx, name, user);
  } else if (operation.op === "delete_group") {
    const group = await tx.get("group", name);
    if (group !== undefined) removeGroup(tx, name, group);
  } else {
    const policy = await tx.get("policy", name);
    if (policy !== undefined) removePolicy(tx, name, policy);
  }
}

async function applyMember(
  { tx, managed }: BatchScope,
  operation: Op<"add_member" | "remove_member">,
): Promise<void> {
  const { op, group, username } = operation;
  if (op === "add_member") {
    const { id: groupId } = await requireGroup(tx, group);
    const { id: userId } = await requireUser(tx, username);
    await putMember(tx, { group, groupId, username, userId }, managed, operation.by);
    return;
  }
  if (!isPossibleName(group) || !isPossibleName(username)) return;
  const groupId = (await tx.get("group", group))?.id;
  const userId = (await tx.get("user", username))?.id;
  if (groupId === undefined || userId === undefined) return;
  await removeMember(tx, { group, groupId, username, userId });
}

async function applyAttachment({ tx, managed }: BatchScope, operation: Attachment): Promise<void> {
  const name = operation.policy;
  const [kind, holder] =
    "username" in operation ? (["user", operation.username] as const) : (["group", operation.group] as const);
  if (operation.op === "attach_to_user" || operation.op === "attach_to_group") {
    const { id: holderId } = await (kind === "user" ? requireUser(tx, holder) : requireGroup(tx, holder));
    const { id } = await requirePolicy(tx, name);
    await attach(tx, { kind, id: holderId, name: holder }, { name, id }, managed);
    return;
  }
  if (!isPossibleName(holder) || !isPossibleName(name)) return;
  const holderId = (await tx.get(kind, holder))?.id;
  const policyId = (await tx.get("policy", name))?.id;
  if (holderId === undefined || policyId === undefined) return;
  await detach(tx, { kind, id: holderId, name: holder }, { name, id: policyId });
}

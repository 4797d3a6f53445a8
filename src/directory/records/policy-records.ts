/** Writing of policies and attachments inside a transaction. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import type { NamedStatements, Policy, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { assertPossible, notFound } from "../checks.ts";
import type { NewPolicy } from "../new-entities.ts";
import type { StateReader } from "../read/reader.ts";
import type { Transaction } from "../write/transaction.ts";
import { generateId } from "./ids.ts";
import { EMPTY, holderKey, mark, type PolicyRecord, under } from "./layout.ts";

/** The policy of a name; "not_found" if there is none. */
export async function requirePolicy(from: Pick<StateReader, "get">, name: string): Promise<PolicyRecord> {
  assertPossible("policy", name);
  const record = await from.get("policy", name);
  if (record === undefined) throw notFound("policy", name);
  return record;
}

/**
 * The policy of a name; "conflict" if it does not say what `expected` says. A name may stand for another policy by
 * now: whoever judged one must not write with another.
 */
export async function requireSamePolicy(
  tx: Transaction,
  name: string,
  expected: NamedStatements | undefined,
): Promise<PolicyRecord> {
  const record = await requirePolicy(tx, name);
  const same =
    expected === undefined || JSON.stringify(record.statement) === JSON.stringify(expected.statement);
  if (!same) throw new AuthorizerError("conflict", "the policy was changed in the meantime, try again");
  return record;
}

/** A statement with its members in order. One that is not known is kept, so that it denies: it is never dropped. */
function storedStatement({ sid, effect, action, resource, condition, ...unknown }: Statement): Statement {
  return {
    ...(sid !== undefined && { sid }),
    effect,
    action,
    resource,
    ...(condition !== undefined && { condition }),
    ...unknown,
  };
}

/**
 * A record for a new or replaced policy, with a revision of its own.
 * @param partial true: it goes back to what an earlier version stored, which may have dropped members
 */
export function policyRecord(
  policy: NewPolicy,
  head: { readonly id: string; readonly creation_date: number; readonly managed: boolean },
  partial = false,
): PolicyRecord {
  return {
    id: head.id,
    rev: generateId(),
    ...mark(head.managed),
    creation_date: policy.creation_date ?? head.creation_date,
    ...(policy.acl !== undefined && { acl: policy.acl }),
    ...(policy.accept !== undefined && policy.accept.length > 0 && { accept: policy.accept }),
    ...(!partial && { whole: true }),
    statement: policy.statement.map(storedStatement),
  };
}

/** Puts a policy in place of what the name had. */
export function putPolicy(tx: Transaction, name: string, record: PolicyRecord): void {
  tx.put("policy", name, record);
  tx.changes.touch("policy", record.id, name);
}

/** Removes a policy: attachments to its id are void with this commit and swept later. */
export function removePolicy(tx: Transaction, name: string, record: PolicyRecord): void {
  tx.delete("policy", name);
  tx.put("sweep", record.id, { kind: "policy", name });
  tx.changes.touch("policy", record.id, name);
}

/** The holder of a policy. */
export interface Holder {
  readonly kind: "user" | "group";
  readonly id: string;
}

/** The holder of a policy with its name. */
interface NamedHolder extends Holder {
  readonly name: string;
}

/** An attached policy. */
interface AttachedPolicy {
  readonly name: string;
  readonly id: string;
}

/** Partition of the attachments of a kind of holder. */
export function attachmentsOf(kind: Holder["kind"]): "user_policy" | "group_policy" {
  return kind === "user" ? "user_policy" : "group_policy";
}

function holderRef(policyId: string, { kind, id }: Holder): string {
  return holderKey(policyId, kind === "user" ? "u" : "g", id);
}

function touch(tx: Transaction, { kind, id, name }: NamedHolder, policy: string): void {
  tx.changes.touch(kind, id, name);
  tx.changes.mention("policy", policy);
}

/** Attaches a policy; false if it is attached already. */
export async function attach(
  tx: Transaction,
  holder: NamedHolder,
  policy: AttachedPolicy,
  managed: boolean,
): Promise<boolean> {
  const key = under(holder.id, policy.name);
  const partition = attachmentsOf(holder.kind);
  const before = await tx.get(partition, key);
  const isNew = before?.id !== policy.id;
  if (isNew || (managed && before?.managed !== true)) {
    tx.put(partition, key, { id: policy.id, ...mark(managed) });
  }
  if (!isNew) return false;
  tx.put("policy_holder", holderRef(policy.id, holder), EMPTY);
  touch(tx, holder, policy.name);
  return true;
}

/** Detaches a policy, if it is attached. */
export async function detach(tx: Transaction, holder: NamedHolder, policy: AttachedPolicy): Promise<void> {
  const key = under(holder.id, policy.name);
  const partition = attachmentsOf(holder.kind);
  const before = await tx.get(partition, key);
  if (before?.id !== policy.id) return;
  tx.delete(partition, key);
  tx.delete("policy_holder", holderRef(policy.id, holder));
  touch(tx, holder, policy.name);
}

/** A policy as the contract shows it. */
export function toPolicy(name: string, { creation_date, acl, accept, statement }: PolicyRecord): Policy {
  const more = { ...(acl !== undefined && { acl }), ...(accept !== undefined && { accept }) };
  return { name, creation_date, ...more, statement };
}

/** A policy as decisions read it. */
export function toStoredPolicy(name: string, record: PolicyRecord): StoredPolicy {
  const { id, rev: version, creation_date, acl, accept, statement } = record;
  // As nearly all policies are: without a copy of a copy, since a user may have 10,000.
  if (acl === undefined && accept === undefined) return { name, creation_date, statement, id, version };
  return { ...toPolicy(name, record), id, version };
}

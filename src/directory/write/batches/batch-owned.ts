/** Operations of a batch on what belongs to one user: access keys and external principals. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import {
  accessKeyProblem,
  isPossibleName,
  principalProblem,
  secretAccessKeyProblem,
} from "@svc-authorizer/policy/model/names.ts";
import type { BatchOperation } from "../../batch.ts";
import { alreadyExists, assertField, assertNoProblems, dateProblem, Problems } from "../../checks.ts";
import type { KeyRecord } from "../../records/layout.ts";
import { liveKey, putKey, putPrincipal, removeKey, removePrincipal } from "../../records/owned-records.ts";
import type { SecretBox } from "../../records/secrets.ts";
import { endSessions, requirePerson } from "../../records/user-records.ts";
import type { BatchScope } from "./batch-scope.ts";

type Owned = Extract<
  BatchOperation,
  { readonly op: "put_credential" | "delete_credential" | "put_principal" | "delete_principal" }
>;
type PutCredential = Extract<BatchOperation, { readonly op: "put_credential" }>;

/** Applies one operation on a key or principal. */
export async function applyOwned(scope: BatchScope, operation: Owned): Promise<void> {
  const { tx, managed } = scope;
  const { username } = operation;
  if (operation.op === "put_credential") return putCredential(scope, operation);
  if (operation.op === "put_principal") {
    assertField("/principal", principalProblem(operation.principal));
    const { id } = await requirePerson(tx, username);
    await putPrincipal(tx, { id, username }, operation.principal, managed);
    return;
  }
  const [partition, key] =
    operation.op === "delete_credential"
      ? (["key", operation.access_key_id] as const)
      : (["principal", operation.principal] as const);
  if (!isPossibleName(username) || !isPossibleName(key)) return;
  const user = await tx.get("user", username);
  const record = await tx.get(partition, key);
  if (user === undefined || record?.id !== user.id) return;
  if (partition === "key") removeKey(tx, { username, user, nowMs: scope.context.nowMs() }, key);
  else removePrincipal(tx, { id: user.id, username }, key);
}

async function putCredential({ tx, context, managed }: BatchScope, operation: PutCredential): Promise<void> {
  const { username, access_key_id, secret_access_key } = operation;
  const problems = new Problems();
  problems.add("/access_key_id", accessKeyProblem(access_key_id));
  problems.add("/secret_access_key", secretAccessKeyProblem(secret_access_key));
  problems.add("/creation_date", dateProblem(operation.creation_date));
  assertNoProblems(problems.list);
  const user = await requirePerson(tx, username);
  const { id } = user;
  const before = await liveKey(tx, access_key_id, context.now());
  if (before !== undefined && before.id !== id) throw alreadyExists("access key", access_key_id);
  const after = {
    access_key_id,
    secret_access_key,
    creation_date: operation.creation_date ?? before?.creation_date ?? context.now(),
    managed: managed || before?.managed === true,
  };
  const keepsSecret =
    before !== undefined && hasSecret(context.secrets, access_key_id, before, secret_access_key);
  const isSame =
    keepsSecret &&
    // Who names a key without a term means one without.
    before.expires_at === undefined &&
    before.creation_date === after.creation_date &&
    (before.managed === true) === after.managed;
  if (!isSame) await putKey(tx, context.secrets, { id, username }, after);
  // Another secret is another key: what the former one opened ends with it.
  if (before !== undefined && !keepsSecret) endSessions(tx, username, user, context.nowMs());
}

function hasSecret(secrets: SecretBox, accessKeyId: string, record: KeyRecord, secret: string): boolean {
  try {
    return secrets.open(record.secret, { kind: "access_key", accessKeyId, userId: record.id }) === secret;
  } catch (error) {
    // A damaged secret is replaced like a different one.
    if (isErrorCode(error, "internal")) return false;
    throw error;
  }
}

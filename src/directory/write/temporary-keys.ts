/**
 * Access keys that are issued for tokens of identity providers: they expire, no list has them, and their expiry ends no
 * session.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { ExpiringCredential } from "@svc-authorizer/policy/model/entities.ts";
import { notFound } from "../checks.ts";
import type { DirectoryContext } from "../context.ts";
import {
  generateSecretAccessKey,
  generateTemporaryKeyId,
  TEMPORARY_PREFIX,
} from "../records/generated-keys.ts";
import { under } from "../records/layout.ts";
import { isOver, putKey } from "../records/owned-records.ts";
import { requireUser } from "../records/user-records.ts";
import type { Transaction } from "./transaction.ts";

/** Most of them that a user has at one time. */
export const MOST_TEMPORARY_KEYS = 100;

/** Creates a key of a user that is over after some seconds; see `Credentials.createTemporary`. */
export function createTemporary(
  context: DirectoryContext,
  { username, userId }: { readonly username: string; readonly userId: string | undefined },
  seconds: number,
): Promise<ExpiringCredential> {
  return context.writer.write(async (tx) => {
    const { id, inactive, works_for } = await requireUser(tx, username);
    const isAnother = userId !== undefined && userId !== id;
    if (inactive === true || works_for !== undefined || isAnother) throw notFound("active user", username);
    const key = await putTemporaryKey(tx, context, { id, username }, seconds);
    context.wakeMaintenance();
    return key;
  });
}

/** Puts a new key of a user; "conflict" for one who has too many of them. */
export async function putTemporaryKey(
  tx: Transaction,
  { secrets, now }: DirectoryContext,
  owner: { readonly id: string; readonly username: string },
  seconds: number,
): Promise<ExpiringCredential> {
  const made = {
    access_key_id: generateTemporaryKeyId(),
    secret_access_key: generateSecretAccessKey(),
    creation_date: now(),
    expires_at: now() + seconds,
  };
  if ((await countLive(tx, owner.id, now())) >= MOST_TEMPORARY_KEYS) {
    const message = `the user has ${MOST_TEMPORARY_KEYS} temporary access keys; wait until one has expired`;
    throw new AuthorizerError("conflict", message);
  }
  await putKey(tx, secrets, owner, { ...made, managed: false, temporary: true });
  return { ...made, username: owner.username };
}

async function countLive(tx: Transaction, userId: string, now: number): Promise<number> {
  let live = 0;
  for await (const page of tx.scanAll("user_key", under(userId, TEMPORARY_PREFIX))) {
    live += page.filter(({ record }) => record.temporary === true && !isOver(record, now)).length;
    if (live >= MOST_TEMPORARY_KEYS) break;
  }
  return live;
}

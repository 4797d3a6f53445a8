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
  username: string,
  seconds: number,
): Promise<ExpiringCredential> {
  const { writer, secrets, now } = context;
  const made = {
    access_key_id: generateTemporaryKeyId(),
    secret_access_key: generateSecretAccessKey(),
    creation_date: now(),
    expires_at: now() + seconds,
  };
  return writer.write(async (tx) => {
    const { id, inactive } = await requireUser(tx, username);
    if (inactive === true) throw notFound("active user", username);
    if ((await countLive(tx, id, now())) >= MOST_TEMPORARY_KEYS) {
      const message = `the user has ${MOST_TEMPORARY_KEYS} temporary access keys; wait until one has expired`;
      throw new AuthorizerError("conflict", message);
    }
    await putKey(tx, secrets, { id, username }, { ...made, managed: false, temporary: true });
    context.wakeMaintenance();
    return { ...made, username };
  });
}

async function countLive(tx: Transaction, userId: string, now: number): Promise<number> {
  let live = 0;
  for await (const page of tx.scanAll("user_key", under(userId, TEMPORARY_PREFIX))) {
    live += page.filter(({ record }) => record.temporary === true && !isOver(record, now)).length;
    if (live >= MOST_TEMPORARY_KEYS) break;
  }
  return live;
}

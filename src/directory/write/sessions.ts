/**
 * Access keys with their owners, and the validity of sessions (spec/security §4.4).
 * The mark `sessions_valid_after` of a user record is internal: it is in no answer, data set or export.
 */

import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import { notFound } from "../checks.ts";
import { type DirectoryContext, read } from "../context.ts";
import type { Session, Sessions } from "../directory.ts";
import type { StateReader } from "../read/reader.ts";
import type { KeyRecord } from "../records/layout.ts";
import { isOver } from "../records/owned-records.ts";
import { requireUser } from "../records/user-records.ts";
import { requireUsableKey } from "./credentials.ts";
import { endUnlisted } from "./end-unlisted.ts";

/** The use cases on sessions of a directory. */
export function createSessions(context: DirectoryContext): Sessions {
  const { writer, secrets, now } = context;
  return {
    key: (accessKeyId) =>
      read(context, async (reader) => {
        const record = await requireUsableKey(reader, accessKeyId, now());
        const { id: userId, username, secret, expires_at: expiresAt } = record;
        const secretAccessKey = secrets.open(secret, { kind: "access_key", accessKeyId, userId });
        const isOfService = (await reader.get("user", username))?.works_for !== undefined;
        const key = { accessKeyId, secretAccessKey, userId, username, expiresAt };
        return isOfService ? { ...key, isOfService } : key;
      }),

    hasKey: (text) => read(context, async (reader) => (await keyOf(reader, text)) !== undefined),

    get: (username, of) => read(context, (reader) => readSession(reader, username, of, now())),

    end: (username) =>
      writer.write(async (tx) => {
        await endUnlisted(tx, username, await requireUser(tx, username), context.nowMs());
      }),
  };
}

/**
 * The state that a session of a user depends on; "not_found" for an unknown user.
 * @param now Unix seconds
 */
export async function readSession(
  from: StateReader,
  username: string,
  of: { readonly accessKeyId?: string; readonly tokenId?: string } | undefined,
  now: number,
): Promise<Session> {
  const { accessKeyId, tokenId } = of ?? {};
  const record = await requireUser(from, username);
  const { id: userId, creation_date, inactive, sessions_valid_after = 0, works_for } = record;
  if (inactive === true || works_for !== undefined) throw notFound("active user", username);
  const sessions = await from.get("session", userId);
  const key = accessKeyId === undefined ? undefined : await keyOf(from, accessKeyId);
  return {
    userId,
    creation_date,
    revision: from.revision,
    since: sessions?.since ?? "",
    validFrom: sessions?.strict === true ? undefined : await from.versionOf("session", userId),
    validAfter: sessions_valid_after,
    holdsKey: accessKeyId === undefined || (key?.id === userId && !isOver(key, now)),
    keyExpiresAt: key?.expires_at,
    isTokenClaimed: tokenId !== undefined && (await isClaimed(from, tokenId)),
  };
}

async function keyOf(reader: StateReader, accessKeyId: string): Promise<KeyRecord | undefined> {
  return isPossibleName(accessKeyId) ? reader.get("key", accessKeyId) : undefined;
}

async function isClaimed(reader: StateReader, tokenId: string): Promise<boolean> {
  if (!isPossibleName(tokenId)) return false;
  // Whatever this node's clock says: a claim stays until every node takes the token as expired.
  return (await reader.get("claim", tokenId)) !== undefined;
}

/**
 * Access keys with their owners, and the validity of sessions (spec/security §4.4).
 * The mark `sessions_valid_after` of a user record is internal: it is in no answer, data set or export.
 */

import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import { notFound } from "../checks.ts";
import { type DirectoryContext, read } from "../context.ts";
import type { Session, Sessions } from "../directory.ts";
import type { StateReader } from "../read/reader.ts";
import { requireUser } from "../records/user-records.ts";
import { requireUsableKey } from "./credentials.ts";

/** The use cases on sessions of a directory. */
export function createSessions(context: DirectoryContext): Sessions {
  const { secrets } = context;
  return {
    key: (accessKeyId) =>
      read(context, async (reader) => {
        const { id: userId, username, secret } = await requireUsableKey(reader, accessKeyId);
        const secretAccessKey = secrets.open(secret, { kind: "access_key", accessKeyId, userId });
        return { accessKeyId, secretAccessKey, userId, username };
      }),

    get: (username, of) => read(context, (reader) => readSession(reader, username, of)),
  };
}

/** The state that a session of a user depends on; "not_found" for an unknown user. */
export async function readSession(
  from: StateReader,
  username: string,
  { accessKeyId, tokenId }: { readonly accessKeyId?: string; readonly tokenId?: string } = {},
): Promise<Session> {
  const { id: userId, creation_date, inactive, sessions_valid_after = 0 } = await requireUser(from, username);
  if (inactive === true) throw notFound("active user", username);
  const sessions = await from.get("session", userId);
  return {
    userId,
    creation_date,
    revision: from.revision,
    since: sessions?.since ?? "",
    validFrom: sessions?.strict === true ? undefined : await from.versionOf("session", userId),
    validAfter: sessions_valid_after,
    holdsKey: accessKeyId === undefined || (await isKeyOf(from, accessKeyId, userId)),
    isTokenClaimed: tokenId !== undefined && (await isClaimed(from, tokenId)),
  };
}

async function isKeyOf(reader: StateReader, accessKeyId: string, userId: string): Promise<boolean> {
  return isPossibleName(accessKeyId) && (await reader.get("key", accessKeyId))?.id === userId;
}

async function isClaimed(reader: StateReader, tokenId: string): Promise<boolean> {
  if (!isPossibleName(tokenId)) return false;
  // Whatever this node's clock says: a claim stays until every node takes the token as expired.
  return (await reader.get("claim", tokenId)) !== undefined;
}

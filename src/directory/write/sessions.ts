/**
 * Access keys with their owners, and the validity of sessions (security.md §4.4).
 * The mark `sessions_valid_after` of a user record is internal: it is in no answer, data set or export.
 */

import { isPossibleName } from "../../model/names.ts";
import { type DirectoryContext, read } from "../context.ts";
import type { Sessions } from "../directory.ts";
import type { Reader } from "../read/reader.ts";
import { endSessions, requireUser } from "../records/user-records.ts";
import { requireKey } from "./credentials.ts";

/** The use cases on sessions of a directory. */
export function createSessions(context: DirectoryContext): Sessions {
  const { writer, secrets, now, nowMs } = context;
  return {
    key: (accessKeyId) =>
      read(context, async (reader) => {
        const { id: userId, username, secret } = await requireKey(reader, accessKeyId);
        const secretAccessKey = secrets.open(secret, { kind: "access_key", accessKeyId, userId });
        return { accessKeyId, secretAccessKey, userId, username };
      }),

    get: (username, { accessKeyId, tokenId } = {}) =>
      read(context, async (reader) => {
        const { id: userId, creation_date, sessions_valid_after = 0 } = await requireUser(reader, username);
        return {
          userId,
          creation_date,
          validAfter: sessions_valid_after,
          holdsKey: accessKeyId === undefined || (await isKeyOf(reader, accessKeyId, userId)),
          isTokenClaimed: tokenId !== undefined && (await isClaimed(reader, tokenId, now())),
        };
      }),

    advance: (username) =>
      writer.write(async (tx) => endSessions(tx, username, await requireUser(tx, username), nowMs())),
  };
}

async function isKeyOf(reader: Reader, accessKeyId: string, userId: string): Promise<boolean> {
  return isPossibleName(accessKeyId) && (await reader.get("key", accessKeyId))?.id === userId;
}

async function isClaimed(reader: Reader, tokenId: string, now: number): Promise<boolean> {
  if (!isPossibleName(tokenId)) return false;
  const claim = await reader.get("claim", tokenId);
  return claim !== undefined && claim.expires_at > now;
}

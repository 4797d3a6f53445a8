/** Single sessions: what was issued, and the end of one. An ended one is a claimed token id, which each listener compares. */

import { tokenIdProblem } from "@svc-authorizer/policy/model/names.ts";
import { assertField, dateProblem, notFound } from "../checks.ts";
import type { DirectoryContext } from "../context.ts";
import {
  type IssuedSession,
  type IssuedSessions,
  MOST_SESSIONS,
  type NotedSession,
} from "../issued-sessions.ts";
import { readPage } from "../read/pages.ts";
import type { StateReader } from "../read/reader.ts";
import { EMPTY, expiryKey, type IssuedRecord, under } from "../records/layout.ts";
import { requireUser } from "../records/user-records.ts";
import type { Transaction } from "./transaction.ts";
import { pageOfUser } from "./users.ts";

/** The use cases on single sessions of a directory. */
export function createIssuedSessions(context: DirectoryContext): IssuedSessions {
  const { writer, now } = context;
  return {
    newId: () => context.generateId(),

    async note(sessions) {
      await writer.write(async (tx) => {
        for (const [userId, ofUser] of Map.groupBy(sessions, ({ userId: id }) => id)) {
          if ((await tx.get("user", ofUser[0]!.username))?.id !== userId) continue;
          await makeRoom(tx, userId, ofUser.length);
          for (const session of ofUser.slice(-MOST_SESSIONS)) putSession(tx, session);
        }
      });
      context.wakeMaintenance();
    },

    list: (username, page) =>
      pageOfUser(context, username, page, (reader, { id: userId }, range) =>
        readPage(reader, range, {
          partition: "issued",
          base: under(userId, ""),
          items: async (found, ids) => {
            const since = await beginning(reader, userId);
            const claims = await reader.getMany("claim", ids);
            return found.map(({ record }, index) =>
              holds(record, since, now()) && claims[index] === undefined
                ? sessionOf(ids[index]!, record)
                : undefined,
            );
          },
        }),
      ),

    async end(username, id) {
      const ended = await writer.write(async (tx) => {
        const { id: userId } = await requireUser(tx, username);
        const isId = tokenIdProblem(id) === undefined;
        const record = isId ? await tx.get("issued", under(userId, id)) : undefined;
        const isThere = record !== undefined && holds(record, await beginning(tx, userId), now());
        if (!isThere || !(await claim(tx, id, record.expires_at))) throw notFound("session", id);
        drop(tx, userId, id, record);
        tx.changes.touch("user", userId, username);
        return sessionOf(id, record);
      });
      context.wakeMaintenance();
      return ended;
    },

    async endToken({ userId, username, id }, expiresAt) {
      assertField("/token_id", tokenIdProblem(id));
      assertField("/expires_at", dateProblem(expiresAt));
      if (expiresAt <= now()) return;
      await writer.write(async (tx) => {
        if (!(await claim(tx, id, expiresAt))) return;
        const record = await tx.get("issued", under(userId, id));
        if (record !== undefined) drop(tx, userId, id, record);
        // Every listener hears of the user, and compares the token anew.
        tx.changes.touch("user", userId, username);
      });
      context.wakeMaintenance();
    },
  };
}

function putSession(tx: Transaction, { userId, id, since, ...session }: NotedSession): void {
  const { issuedAt, expiresAt, how, issuer, accessKeyId, source } = session;
  tx.put("issued", under(userId, id), {
    issued_at: issuedAt,
    expires_at: expiresAt,
    since,
    ...(how !== undefined && { how }),
    ...(issuer !== undefined && { issuer }),
    ...(accessKeyId !== undefined && { access_key_id: accessKeyId }),
    ...(source !== undefined && { source }),
  });
  tx.put("issued_expiry", expiryKey(expiresAt, under(userId, id)), EMPTY);
}

/** Forgets the oldest sessions of a user, so that more can be remembered. */
async function makeRoom(tx: Transaction, userId: string, more: number): Promise<void> {
  const kept: { readonly id: string; readonly record: IssuedRecord }[] = [];
  const base = under(userId, "");
  for await (const page of tx.scanAll("issued", base)) {
    kept.push(...page.map(({ key, record }) => ({ id: key.slice(base.length), record })));
  }
  for (const { id, record } of kept.slice(0, Math.max(0, kept.length + more - MOST_SESSIONS))) {
    drop(tx, userId, id, record);
  }
}

function drop(tx: Transaction, userId: string, id: string, { expires_at }: IssuedRecord): void {
  tx.delete("issued", under(userId, id));
  tx.delete("issued_expiry", expiryKey(expires_at, under(userId, id)));
}

/** False where it is claimed already. */
async function claim(tx: Transaction, id: string, expires_at: number): Promise<boolean> {
  if ((await tx.get("claim", id)) !== undefined) return false;
  tx.put("claim", id, { expires_at });
  tx.put("claim_expiry", expiryKey(expires_at, id), EMPTY);
  return true;
}

async function beginning(from: StateReader, userId: string): Promise<string> {
  return (await from.get("session", userId))?.since ?? "";
}

/** False for one that has expired, and for one that ended with all sessions of its user. */
function holds({ since, expires_at }: IssuedRecord, present: string, now: number): boolean {
  return since === present && expires_at > now;
}

function sessionOf(id: string, record: IssuedRecord): IssuedSession {
  const { issued_at, expires_at, how, issuer, access_key_id, source } = record;
  return {
    id,
    issuedAt: issued_at,
    expiresAt: expires_at,
    ...(how !== undefined && { how }),
    ...(issuer !== undefined && { issuer }),
    ...(access_key_id !== undefined && { accessKeyId: access_key_id }),
    ...(source !== undefined && { source }),
  };
}

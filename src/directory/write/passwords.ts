/** Use cases on passwords. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import { notFound } from "../checks.ts";
import { type DirectoryContext, read } from "../context.ts";
import type { Passwords } from "../passwords.ts";
import { SEALING } from "../records/sealing.ts";
import { endSessions, requirePerson } from "../records/user-records.ts";

/** The use cases on passwords of a directory. */
export function createPasswords(context: DirectoryContext): Passwords {
  const { writer, secrets } = context;
  return {
    async find(username) {
      if (!isPossibleName(username)) return undefined;
      return read(context, async (reader) => {
        const user = await reader.get("user", username);
        if (user === undefined || user.inactive === true) return undefined;
        const record = await reader.get("password", user.id);
        if (record === undefined) return undefined;
        const hash = secrets.open(record.secret, { kind: "password", userId: user.id });
        const { since = "" } = (await reader.get("session", user.id)) ?? {};
        return { userId: user.id, username, hash, setAt: record.set_at, since };
      });
    },

    async set({ username, userId }, hash, replaced) {
      return writer.write(async (tx) => {
        const user = await requirePerson(tx, username);
        if (user.id !== userId || user.inactive === true) throw notFound("active user", username);
        const before = await tx.get("password", userId);
        const binding = { kind: "password", userId } as const;
        if (replaced !== undefined && (!before || secrets.open(before.secret, binding) !== replaced)) {
          throw new AuthorizerError("conflict", "the password was changed meanwhile");
        }
        // The log says which key seals; a rotation in the meantime makes the write run again.
        const { key: sealing } = (await tx.get("meta", SEALING)) ?? {};
        const secret = secrets.seal(hash, binding, sealing);
        tx.put("password", userId, { secret, set_at: context.nowMs() });
        return { since: endSessions(tx, username, user, context.nowMs()) };
      });
    },
  };
}

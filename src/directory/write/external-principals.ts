/** Use cases on external principals: identities of other systems that act as a user. */

import { isPossibleName, principalProblem } from "@svc-authorizer/policy/model/names.ts";
import { alreadyExists, assertField, notFound } from "../checks.ts";
import { type DirectoryContext, read } from "../context.ts";
import type { ExternalPrincipals } from "../directory.ts";
import { readPage } from "../read/pages.ts";
import { under } from "../records/layout.ts";
import { putPrincipal, removePrincipal } from "../records/owned-records.ts";
import { isInUse, requirePerson, requireUser } from "../records/user-records.ts";
import { pageOfUser } from "./users.ts";

const WHAT = "external principal";

/** The use cases on external principals of a directory. */
export function createExternalPrincipals(context: DirectoryContext): ExternalPrincipals {
  const { writer } = context;
  return {
    async create(username, principalId) {
      assertField("/principalId", principalProblem(principalId));
      await writer.write(async (tx) => {
        const { id } = await requirePerson(tx, username);
        const added = await putPrincipal(tx, { id, username }, principalId, false);
        if (!added) throw alreadyExists(WHAT, principalId);
      });
    },

    get: (principalId) =>
      read(context, async (reader) => {
        const record = isPossibleName(principalId) ? await reader.get("principal", principalId) : undefined;
        if (record === undefined || !(await isInUse(reader, record))) throw notFound(WHAT, principalId);
        return { id: principalId, username: record.username };
      }),

    owner: (principalId) =>
      read(context, async (reader) => {
        const record = isPossibleName(principalId) ? await reader.get("principal", principalId) : undefined;
        if (record === undefined) return undefined;
        const { id: userId, username } = record;
        const user = await reader.get("user", username);
        return user?.id === userId ? { username, userId, isInactive: user.inactive === true } : undefined;
      }),

    list: (username, page) =>
      pageOfUser(context, username, page, (reader, { id }, range) =>
        readPage(reader, range, {
          partition: "user_principal",
          base: under(id, ""),
          items: (_found, names) => names.map((name) => ({ id: name, username })),
        }),
      ),

    delete: (username, principalId) =>
      writer.write(async (tx) => {
        const { id } = await requireUser(tx, username);
        const record = isPossibleName(principalId) ? await tx.get("principal", principalId) : undefined;
        if (record?.id !== id) throw notFound(WHAT, principalId);
        removePrincipal(tx, { id, username }, principalId);
      }),
  };
}

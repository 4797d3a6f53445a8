/** Use cases on access keys. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import {
  accessKeyProblem,
  isPossibleName,
  secretAccessKeyProblem,
} from "@svc-authorizer/policy/model/names.ts";
import { alreadyExists, assertNoProblems, dateProblem, notFound, Problems } from "../checks.ts";
import { type DirectoryContext, read } from "../context.ts";
import type { Credentials } from "../directory.ts";
import { readPage } from "../read/pages.ts";
import type { Reader } from "../read/reader.ts";
import { generateAccessKeyId, generateSecretAccessKey } from "../records/generated-keys.ts";
import { type KeyRecord, under } from "../records/layout.ts";
import { liveKey, type NewKey, putKey, removeKey } from "../records/owned-records.ts";
import { isInUse, isOwned, requireUser } from "../records/user-records.ts";
import { pageOfUser } from "./users.ts";

type KeyRequest = NonNullable<Parameters<Credentials["create"]>[1]>;

/** The use cases on access keys of a directory. */
export function createCredentials(context: DirectoryContext): Credentials {
  const { writer, secrets, now } = context;
  return {
    async create(username, key = {}) {
      const made = newKey(key, now());
      return writer.write(async (tx) => {
        const { id } = await requireUser(tx, username);
        const { access_key_id, secret_access_key, creation_date } = made;
        if ((await liveKey(tx, access_key_id)) !== undefined)
          throw alreadyExists("access key", access_key_id);
        await putKey(tx, secrets, { id, username }, { ...made, managed: false });
        return { access_key_id, creation_date, username, secret_access_key };
      });
    },

    getWithSecret: (accessKeyId) =>
      read(context, async (reader) => {
        const record = await requireUsableKey(reader, accessKeyId);
        const { id: userId, username, creation_date } = record;
        const binding = { kind: "access_key", accessKeyId, userId } as const;
        const secret_access_key = secrets.openKept(record.secret, binding);
        return { access_key_id: accessKeyId, creation_date, username, secret_access_key };
      }),

    get: (username, accessKeyId) =>
      read(context, async (reader) => {
        const { id } = await requireUser(reader, username);
        const record = await requireKey(reader, accessKeyId);
        if (record.id !== id) throw notFound("access key", accessKeyId);
        return { access_key_id: accessKeyId, creation_date: record.creation_date, username };
      }),

    list: (username, page) =>
      pageOfUser(context, username, page, (reader, { id }, range) =>
        readPage(reader, range, {
          partition: "user_key",
          base: under(id, ""),
          items: (found, names) =>
            found.map(({ record: { creation_date } }, index) => ({
              access_key_id: names[index]!,
              creation_date,
              username,
            })),
        }),
      ),

    delete: (username, accessKeyId) =>
      writer.write(async (tx) => {
        const user = await requireUser(tx, username);
        const record = isPossibleName(accessKeyId) ? await tx.get("key", accessKeyId) : undefined;
        if (record?.id !== user.id) throw notFound("access key", accessKeyId);
        removeKey(tx, { username, user, nowMs: context.nowMs() }, accessKeyId);
      }),
  };
}

/** The record of an access key; "not_found" if there is none or its owner is gone. */
async function requireKey(reader: Reader, accessKeyId: string): Promise<KeyRecord> {
  const record = isPossibleName(accessKeyId) ? await reader.get("key", accessKeyId) : undefined;
  if (record === undefined || !(await isOwned(reader, record))) throw notFound("access key", accessKeyId);
  return record;
}

/** As {@link requireKey}, and "not_found" if its owner is inactive: for who would act with it. */
export async function requireUsableKey(reader: Reader, accessKeyId: string): Promise<KeyRecord> {
  const record = await requireKey(reader, accessKeyId);
  if (!(await isInUse(reader, record))) throw notFound("access key", accessKeyId);
  return record;
}

function newKey({ access_key_id, secret_access_key, creation_date }: KeyRequest, now: number): NewKey {
  const problems = new Problems();
  problems.add("/creation_date", dateProblem(creation_date));
  if (access_key_id === undefined && secret_access_key === undefined) {
    assertNoProblems(problems.list);
    return {
      access_key_id: generateAccessKeyId(),
      secret_access_key: generateSecretAccessKey(),
      creation_date: creation_date ?? now,
    };
  }
  if (access_key_id === undefined || secret_access_key === undefined) {
    const message = "an access key id and its secret must be given together, or neither to generate both";
    throw new AuthorizerError("invalid_request", message);
  }
  problems.add("/access_key_id", accessKeyProblem(access_key_id));
  problems.add("/secret_access_key", secretAccessKeyProblem(secret_access_key));
  assertNoProblems(problems.list);
  return { access_key_id, secret_access_key, creation_date: creation_date ?? now };
}

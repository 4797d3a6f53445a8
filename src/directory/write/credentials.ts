/** Use cases on access keys. One that has expired is as absent for each of them. */

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
import {
  datesOf,
  isListed,
  isOver,
  liveKey,
  type NewKey,
  putKey,
  removeKey,
} from "../records/owned-records.ts";
import { isInUse, isOwned, requirePerson, requireUser } from "../records/user-records.ts";
import { createTemporary } from "./temporary-keys.ts";
import { pageOfUser } from "./users.ts";

/** Longest time after which a key can expire, in seconds: ten years. */
export const LONGEST_LIFETIME = 315_360_000;

type KeyRequest = NonNullable<Parameters<Credentials["create"]>[1]>;

/** The use cases on access keys of a directory. */
export function createCredentials(context: DirectoryContext): Credentials {
  const { writer, secrets, now } = context;
  return {
    async create(username, key = {}) {
      const made = newKey(key, now());
      return writer.write(async (tx) => {
        const { id } = await requirePerson(tx, username);
        if ((await liveKey(tx, made.access_key_id, now())) !== undefined)
          throw alreadyExists("access key", made.access_key_id);
        await putKey(tx, secrets, { id, username }, { ...made, managed: false });
        if (made.expires_at !== undefined) context.wakeMaintenance();
        return { ...made, username };
      });
    },

    createTemporary: (username, seconds, userId) => createTemporary(context, { username, userId }, seconds),

    getWithSecret: (accessKeyId) =>
      read(context, async (reader) => {
        const record = await requireUsableKey(reader, accessKeyId, now());
        const { id: userId, username } = record;
        const binding = { kind: "access_key", accessKeyId, userId } as const;
        const secret_access_key = secrets.openKept(record.secret, binding);
        return { access_key_id: accessKeyId, ...datesOf(record), username, secret_access_key };
      }),

    get: (username, accessKeyId) =>
      read(context, async (reader) => {
        const { id } = await requireUser(reader, username);
        const record = await requireKey(reader, accessKeyId, now());
        if (record.id !== id) throw notFound("access key", accessKeyId);
        return { access_key_id: accessKeyId, ...datesOf(record), username };
      }),

    list: (username, page) =>
      pageOfUser(context, username, page, (reader, { id }, range) =>
        readPage(reader, range, {
          partition: "user_key",
          base: under(id, ""),
          items: (found, names) =>
            found.map(({ record }, index) =>
              isListed(record, now())
                ? { access_key_id: names[index]!, ...datesOf(record), username }
                : undefined,
            ),
        }),
      ),

    delete: (username, accessKeyId) =>
      writer.write(async (tx) => {
        const user = await requireUser(tx, username);
        const record = isPossibleName(accessKeyId) ? await tx.get("key", accessKeyId) : undefined;
        if (record?.id !== user.id || isOver(record, now())) throw notFound("access key", accessKeyId);
        removeKey(tx, { username, user, nowMs: context.nowMs() }, accessKeyId);
      }),
  };
}

/** The record of an access key; "not_found" if there is none, it has expired or its owner is gone. */
async function requireKey(reader: Reader, accessKeyId: string, now: number): Promise<KeyRecord> {
  const record = isPossibleName(accessKeyId) ? await reader.get("key", accessKeyId) : undefined;
  if (record === undefined || isOver(record, now) || !(await isOwned(reader, record)))
    throw notFound("access key", accessKeyId);
  return record;
}

/** As {@link requireKey}, and "not_found" if its owner is inactive: for who would act with it. */
export async function requireUsableKey(reader: Reader, accessKeyId: string, now: number): Promise<KeyRecord> {
  const record = await requireKey(reader, accessKeyId, now);
  if (!(await isInUse(reader, record))) throw notFound("access key", accessKeyId);
  return record;
}

type MadeKey = Pick<NewKey, "access_key_id" | "secret_access_key" | "creation_date"> & {
  readonly expires_at?: number;
};

function newKey(request: KeyRequest, now: number): MadeKey {
  const { access_key_id, secret_access_key, creation_date, expires_in } = request;
  const problems = new Problems();
  problems.add("/expires_in", lifetimeProblem(expires_in));
  const term = expires_in === undefined ? {} : { expires_at: now + expires_in };
  problems.add("/creation_date", dateProblem(creation_date));
  if (access_key_id === undefined && secret_access_key === undefined) {
    assertNoProblems(problems.list);
    return {
      access_key_id: generateAccessKeyId(),
      secret_access_key: generateSecretAccessKey(),
      creation_date: creation_date ?? now,
      ...term,
    };
  }
  if (access_key_id === undefined || secret_access_key === undefined) {
    const message = "an access key id and its secret must be given together, or neither to generate both";
    throw new AuthorizerError("invalid_request", message);
  }
  problems.add("/access_key_id", accessKeyProblem(access_key_id));
  problems.add("/secret_access_key", secretAccessKeyProblem(secret_access_key));
  assertNoProblems(problems.list);
  return { access_key_id, secret_access_key, creation_date: creation_date ?? now, ...term };
}

function lifetimeProblem(seconds: number | undefined): string | undefined {
  if (seconds === undefined) return undefined;
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= LONGEST_LIFETIME) return undefined;
  return `must be a whole number of seconds from 1 to ${LONGEST_LIFETIME}`;
}

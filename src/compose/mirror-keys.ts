/** Users of mirrors, with the narrow policy that each needs, and their keys: made when they are needed, and kept by nobody. */

import { AsyncLocalStorage } from "node:async_hooks";
import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { auditingUnknown } from "../api/rest/unknown-outcome.ts";
import type { Directory } from "../directory/directory.ts";
import { CallFailed } from "../mirroring/ports.ts";
import type { ServerKey, ServerKeys } from "../mirroring/server/calls.ts";
import type { MirrorCaller } from "../mirroring/servers.ts";
import type { AuditLog } from "../observe/log/audit-log.ts";

/** A key holds for an hour, and another one is made after half of it. */
const KEY_S = 3_600;
const RENEW_MS = 1_800_000;
/** A refused key is replaced when it is older than this: a data server may hear of a younger one yet. */
const REFUSED_MS = 60_000;

const READS = [
  "fs:ListBranches",
  "fs:ListObjects",
  "fs:ReadBranch",
  "fs:ReadObject",
  "fs:ReadRepository",
] as const;
const WRITES = [
  "fs:CreateBranch",
  "fs:CreateCommit",
  "fs:CreateRepository",
  "fs:DeleteBranch",
  "fs:DeleteRepository",
  "fs:RevertBranch",
  "fs:UpdateRepository",
] as const;

/** Parts of {@link MirrorKeys}. */
interface MirrorKeysParts {
  readonly directory: Pick<Directory, "serviceUsers"> & { readonly users: Pick<Directory["users"], "list"> };
  /** Product-name part of ARNs. */
  readonly partition: string;
  readonly audit: Pick<AuditLog, "event">;
  /** False for a mirror that was removed meanwhile. */
  readonly exists: (mirror: MirrorCaller) => Promise<boolean>;
  /** Unix milliseconds; default the clock. */
  readonly now?: () => number;
}

interface HeldKey {
  readonly key: Promise<ServerKey>;
  /** Unix milliseconds. */
  readonly madeAt: number;
}

const PREFIX = "mirror-";
const PAGE = 1_000;

/** Name of the user of a mirror, and of its policy. */
export function mirrorUser(mirror: string): string {
  return `${PREFIX}${mirror}`;
}

/** Makes the keys of all mirrors. */
export class MirrorKeys {
  readonly #parts: MirrorKeysParts;
  readonly #now: () => number;
  /** The right of whoever asked for a mirror says nothing about what is removed with it. */
  readonly #outside = AsyncLocalStorage.snapshot();
  /** By the id of the mirror. */
  readonly #held = new Map<string, HeldKey>();

  constructor(parts: MirrorKeysParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
  }

  /**
   * The keys of a mirror.
   * @param isNew true for a mirror that has no record yet
   */
  of(mirror: MirrorCaller, isNew: boolean): ServerKeys {
    return {
      get: () => this.#key(mirror, isNew),
      refused: () => this.#drop(mirror.uid, REFUSED_MS),
    };
  }

  /** Removes the user of a mirror, its policy and its keys. */
  async forget({ uid, name }: Pick<MirrorCaller, "uid" | "name">): Promise<void> {
    this.#held.delete(uid);
    const username = mirrorUser(name);
    const { serviceUsers } = this.#parts.directory;
    const fields = { user: username, mirror: name };
    const isDeleted = await auditingUnknown(
      () => this.#outside(() => serviceUsers.delete(username, uid)),
      (outcome) => this.#tell("deleteMirrorUser", { ...fields, ...outcome }),
    );
    if (isDeleted) this.#tell("deleteMirrorUser", fields);
  }

  /**
   * Removes users of mirrors that are no more: whoever removed, or refused, a mirror may have ended before its user was gone.
   * One that is younger than a key may be that of a mirror that is being made, which has no record yet.
   * @param known ids of the mirrors that there are, read before
   */
  async sweep(known: ReadonlySet<string>): Promise<void> {
    const { users, serviceUsers } = this.#parts.directory;
    const old = Math.floor(this.#now() / 1_000) - KEY_S;
    for (let after = ""; ; ) {
      const page = await users.list({ prefix: PREFIX, amount: PAGE, after });
      for (const { username, creation_date: madeAt } of page.results) {
        const uid = await serviceUsers.worksFor(username);
        if (uid === undefined || known.has(uid) || madeAt > old) continue;
        await this.forget({ uid, name: username.slice(PREFIX.length) });
      }
      after = page.next_offset;
      if (after === "") return;
    }
  }

  #key(mirror: MirrorCaller, isNew: boolean): Promise<ServerKey> {
    for (const uid of this.#held.keys()) this.#drop(uid, RENEW_MS);
    const held = this.#held.get(mirror.uid);
    if (held !== undefined) return held.key;
    const key = this.#made(mirror, isNew);
    this.#held.set(mirror.uid, { key, madeAt: this.#now() });
    key.catch(() => this.#drop(mirror.uid, 0));
    return key;
  }

  #drop(uid: string, olderThanMs: number): void {
    const held = this.#held.get(uid);
    // A clock that went back says nothing about the age.
    if (held !== undefined && Math.abs(this.#now() - held.madeAt) >= olderThanMs) this.#held.delete(uid);
  }

  async #made(mirror: MirrorCaller, isNew: boolean): Promise<ServerKey> {
    const { directory, partition } = this.#parts;
    const { uid: worksFor, name } = mirror;
    if (!isNew) await this.#assertExists(mirror);
    const username = mirrorUser(name);
    const user = { username, worksFor, policy: { statement: statementsOf(mirror, partition) } };
    // Whether there was a user is not known either, where the outcome is not.
    const asked = auditingUnknown(
      () => directory.serviceUsers.createKey(user, KEY_S),
      (outcome) => this.#tell("renewMirrorKey", { user: username, mirror: name, ...outcome }),
    );
    const made = await asked.catch((error: unknown) => {
      // Somebody's user or policy has the name: the mirror cannot go on, and its state says why.
      if (!isErrorCode(error, "already_exists")) throw error;
      throw new CallFailed(error.message, undefined, false, error);
    });
    const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, expires_at } = made.key;
    const operation = made.isNewUser ? "createMirrorUser" : "renewMirrorKey";
    this.#tell(operation, {
      user: username,
      mirror: name,
      after: { access_key_id: accessKeyId, expires_at },
    });
    // Whoever removes the mirror after this look finds the user.
    if (!isNew) await this.#assertExists(mirror, () => this.forget(mirror));
    return { accessKeyId, secretAccessKey };
  }

  /** Throws where the mirror was removed: work that goes on for a moment must not bring back its user. */
  async #assertExists(mirror: MirrorCaller, undo?: () => Promise<void>): Promise<void> {
    if (await this.#parts.exists(mirror)) return;
    await undo?.();
    throw new CallFailed(`the mirror ${mirror.name} was deleted`, undefined, false);
  }

  #tell(operation: string, fields: Readonly<Record<string, unknown>>): void {
    this.#parts.audit.event("write", { actor: "mirroring", operation, ...fields });
  }
}

/** All that the calls of a mirror need, and nothing else. */
function statementsOf(
  { name, sourceRepository, storageNamespace }: MirrorCaller,
  partition: string,
): readonly Statement[] {
  const arn = (rest: string): string => `arn:${partition}:fs:::${rest}`;
  const all = (repository: string): string =>
    JSON.stringify([arn(`repository/${repository}`), arn(`repository/${repository}/*`)]);
  return [
    { effect: "allow", action: ["fs:ListRepositories"], resource: "*" },
    { effect: "allow", action: READS, resource: all(sourceRepository) },
    { effect: "allow", action: [...READS, ...WRITES], resource: all(name) },
    {
      effect: "allow",
      action: ["fs:AttachStorageNamespace"],
      resource: arn(`namespace/${storageNamespace}`),
    },
  ];
}

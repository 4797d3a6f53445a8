/**
 * Access keys, from the cache or the directory. An unknown id gives a key with a random secret, so every attempt takes
 * the same path.
 */

import { randomBytes } from "node:crypto";
import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import type { CacheSettings } from "../cache/dependent-cache.ts";
import { DependentCache, type Touched } from "../cache/dependent-cache.ts";
import type { Directory, OwnedKey } from "../directory/directory.ts";
import type { FailedAttempts } from "./failed-attempts.ts";
import type { Identities, Identity } from "./identity.ts";
import { KnownSecret } from "./secret-comparison.ts";
import type { SigningKey } from "./signature/signing-key.ts";

/** An access key that can verify attempts. */
export interface AccessKey {
  /** Internal id of the user, never reused; empty for the key that stands for unknown ids. */
  readonly userId: string;
  /** False for the key that stands for unknown ids. */
  readonly exists: boolean;
  /** Unix milliseconds: from then on it is as an unknown one. */
  readonly expires: number;
  readonly secret: string;
  /** The secret that attempts are compared with. */
  readonly known: KnownSecret;
  readonly byKey: Identity;
  readonly bySignature: Identity;
  /** Signing keys derived from the secret, by date of the scope. They live as long as this object. */
  readonly signingKeys: Map<string, SigningKey>;
}

/** Options of {@link AccessKeys}. */
interface AccessKeysOptions {
  readonly directory: Pick<Directory, "sessions">;
  readonly cache: CacheSettings;
  readonly failures: FailedAttempts;
  readonly counters: Identities["counters"];
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Most unknown ids that are remembered. */
const MOST_ABSENT = 1_000;

/** Finds access keys by id. */
export class AccessKeys {
  readonly #options: AccessKeysOptions;
  readonly #cache: DependentCache<AccessKey>;
  readonly #nobodys = accessKey({
    accessKeyId: "",
    secretAccessKey: randomBytes(32).toString("base64"),
    userId: "",
    username: "",
    expiresAt: undefined,
  });

  constructor(options: AccessKeysOptions) {
    this.#options = options;
    this.#cache = new DependentCache<AccessKey>({
      settings: options.cache,
      filedUnder: ({ userId }) => [userId],
      mostAbsent: MOST_ABSENT,
      now: options.now,
    });
  }

  /**
   * The key with an id, or the key that stands for unknown ids; synchronous if cached. After too many failures with an
   * unknown id from one address, the store is not read again for that id until something changes.
   */
  find(accessKeyId: string, address: string): AccessKey | Promise<AccessKey> {
    const { counters, failures } = this.#options;
    const known = this.#cache.get(accessKeyId);
    if (known !== undefined) {
      counters.cacheHits++;
      return this.#unlessExpired(known);
    }
    if (!isPossibleName(accessKeyId)) return this.#nobodys;
    if (this.#cache.isKnownAbsent(accessKeyId) && failures.isOver(accessKeyId, address)) return this.#nobodys;
    counters.cacheMisses++;
    const loaded = this.#cache.load(accessKeyId, () => this.#load(accessKeyId));
    return loaded.then((key) => (key === undefined ? this.#nobodys : this.#unlessExpired(key)));
  }

  /** Evicts the keys of users whom a committed write touched. */
  evict(touched: Touched): void {
    this.#cache.evict(touched);
  }

  #unlessExpired(key: AccessKey): AccessKey {
    return key.expires > this.#options.now() ? key : this.#nobodys;
  }

  async #load(accessKeyId: string): Promise<AccessKey | undefined> {
    try {
      return accessKey(await this.#options.directory.sessions.key(accessKeyId));
    } catch (error) {
      if (isErrorCode(error, "not_found")) return undefined;
      throw error;
    }
  }
}

function accessKey({
  accessKeyId,
  secretAccessKey: secret,
  userId,
  username,
  expiresAt,
  isOfService,
}: OwnedKey): AccessKey {
  const who = { username, userId, accessKeyId, ...(isOfService === true && { isOfService }) };
  return {
    exists: userId !== "",
    userId,
    expires: expiresAt === undefined ? Number.POSITIVE_INFINITY : expiresAt * 1_000,
    secret,
    known: new KnownSecret(secret),
    byKey: Object.freeze({ ...who, how: "access_key" }),
    bySignature: Object.freeze({ ...who, how: "signature" }),
    signingKeys: new Map(),
  };
}

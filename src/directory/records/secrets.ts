/**
 * Secrets encrypted at rest (spec/security §5.1): AES-256-GCM with associated data, so that a ciphertext copied to
 * another record does not open; keys from scrypt with the store's own salt, then HKDF per purpose.
 */

import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  type ScryptOptions,
  scrypt,
} from "node:crypto";
import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { LRUCache } from "lru-cache";

const FORMAT = "v1";
const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ID_BYTES = 12;

/** Cost of scrypt. `N` is at least 2^15 wherever secrets reach a disk. */
export interface KeyCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** Parameters of scrypt, kept in the store beside the salt. */
export interface KeyDerivation extends KeyCost {
  /** Base64. */
  readonly salt: string;
}

/** The access key that a secret belongs to. */
interface AccessKeyBinding {
  readonly kind: "access_key";
  readonly accessKeyId: string;
  /** Internal id of the owner. */
  readonly userId: string;
}

/** The queued mail that a secret belongs to, with its recipient. */
export interface QueuedMailBinding {
  readonly kind: "mail";
  readonly mailId: string;
  readonly username: string;
  readonly email: string;
}

/** The user whose password a hash belongs to. */
interface PasswordBinding {
  readonly kind: "password";
  /** Internal id. */
  readonly userId: string;
}

/** The record that a secret belongs to; it cannot be opened as part of another. */
export type SecretBinding = AccessKeyBinding | QueuedMailBinding | PasswordBinding;

/** A key derived from a configured secret key. */
export interface SealingKey {
  /** Names the key in ciphertexts and in the store; says nothing about the key. */
  readonly id: string;
  /** One key for each kind of secret. Node would make such an object of bytes for every secret that is opened. */
  readonly keys: Readonly<Record<SecretBinding["kind"], KeyObject>>;
}

/** Salt and cost for a new store. */
export function newKeyDerivation(cost: KeyCost): KeyDerivation {
  return { salt: randomBytes(16).toString("base64"), ...cost };
}

function deriveMaster(secretKey: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(secretKey, salt, KEY_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

/** Derives the key of a configured secret key: tens of milliseconds off the main thread, once per opening. */
export async function deriveSealingKey(secretKey: string, derivation: KeyDerivation): Promise<SealingKey> {
  const { N, r, p } = derivation;
  const salt = Buffer.from(derivation.salt, "base64");
  const master = await deriveMaster(secretKey, salt, { N, r, p, maxmem: 256 * N * r });
  const expand = (purpose: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync("sha256", master, salt, `svc-authorizer ${FORMAT} ${purpose}`, bytes));
  const keys = {
    access_key: createSecretKey(expand("credential secrets", KEY_BYTES)),
    mail: createSecretKey(expand("queued mails", KEY_BYTES)),
    password: createSecretKey(expand("hashes of passwords", KEY_BYTES)),
  };
  return { id: expand("key check", ID_BYTES).toString("base64url"), keys };
}

function associatedData(binding: SecretBinding, keyId: string): Buffer {
  return Buffer.from(JSON.stringify([FORMAT, binding.kind, ...ownerOf(binding), keyId]));
}

function ownerOf(binding: SecretBinding): readonly string[] {
  switch (binding.kind) {
    case "mail":
      return [binding.mailId, binding.username, binding.email];
    case "access_key":
      return [binding.accessKeyId, binding.userId];
    case "password":
      return [binding.userId];
  }
}

/** Secrets of access keys that are kept opened: to open one costs more than all else that a read of it does. */
const MOST_OPENED = 1_024;

/** An opened secret, and the access key for which it was opened. */
interface OpenedSecret {
  readonly accessKeyId: string;
  readonly userId: string;
  readonly secret: string;
}

/** Encrypts and decrypts secrets with the keys that are configured. */
export class SecretBox {
  #current: SealingKey;
  readonly #keys = new Map<string, SealingKey>();
  /** By sealed text, which a record has as long as it has this secret. */
  readonly #opened = new LRUCache<string, OpenedSecret>({ max: MOST_OPENED });

  /**
   * @param current seals, and opens what it sealed
   * @param previous opens what an earlier key sealed
   */
  constructor(current: SealingKey, previous?: SealingKey) {
    this.#current = current;
    if (previous !== undefined) this.#keys.set(previous.id, previous);
    this.#keys.set(current.id, current);
  }

  /** Seals with another of its keys from now on; false where it is none of them. */
  use(keyId: string): boolean {
    const key = this.#keys.get(keyId);
    if (key !== undefined) this.#current = key;
    return key !== undefined;
  }

  /** Ids of the keys that open. */
  get keyIds(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /**
   * Returns the sealed text of a secret: `v1.<key id>.<nonce, tag, ciphertext>`.
   * @param keyId of the key that seals; absent: the current one
   * @throws AuthorizerError "unavailable" where the key is none of this box
   */
  seal(secret: string, binding: SecretBinding, keyId = this.#current.id): string {
    const key = this.#keys.get(keyId);
    if (key === undefined) {
      const message = "the secrets of this directory are sealed with a key that this process does not have";
      throw new AuthorizerError("unavailable", message);
    }
    const { id, keys } = key;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, keys[binding.kind], nonce);
    cipher.setAAD(associatedData(binding, id));
    const body = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
    return `${FORMAT}.${id}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url")}`;
  }

  /** The secret in a sealed text; "internal" when it was sealed for another record or key, or was damaged. */
  open(sealed: string, binding: SecretBinding): string {
    const [format, keyId = "", body = ""] = sealed.split(".");
    const key = this.#keys.get(keyId);
    if (format !== FORMAT || key === undefined) throw unopenable(binding);
    try {
      const bytes = Buffer.from(body, "base64url");
      const decipher = createDecipheriv(CIPHER, key.keys[binding.kind], bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(associatedData(binding, keyId));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const secret = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([secret, decipher.final()]).toString("utf8");
    } catch {
      throw unopenable(binding);
    }
  }

  /**
   * As {@link open}; the same text is decrypted once while it is in use. A read of the record must come first, because
   * a text opens as long as its key is configured, whether or not a record still has it.
   */
  openKept(sealed: string, binding: AccessKeyBinding): string {
    const { accessKeyId, userId } = binding;
    const known = this.#opened.get(sealed);
    if (known?.accessKeyId === accessKeyId && known.userId === userId) return known.secret;
    const secret = this.open(sealed, binding);
    this.#opened.set(sealed, { accessKeyId, userId, secret });
    return secret;
  }

  /** Whether {@link open} would succeed. */
  opens(sealed: string, binding: SecretBinding): boolean {
    try {
      this.open(sealed, binding);
      return true;
    } catch (error) {
      if (isErrorCode(error, "internal")) return false;
      throw error;
    }
  }

  /** True when a sealed text was sealed with the current key. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`${FORMAT}.${this.#current.id}.`);
  }
}

function unopenable(binding: SecretBinding): AuthorizerError {
  const owner = shownOwner(binding);
  const message = `the stored secret of ${owner} cannot be opened: it was sealed for another record or key, or it is damaged`;
  return new AuthorizerError("internal", message);
}

function shownOwner(binding: SecretBinding): string {
  if (binding.kind === "mail") return `queued mail ${binding.mailId}`;
  if (binding.kind === "password") return `the password of the user with the id ${binding.userId}`;
  return `access key ${JSON.stringify(binding.accessKeyId)}`;
}

/**
 * Tokens that lead from one page of a search to the next (spec/decision-api §2): opaque, sealed, and bound to the
 * request they belong to. They outlive a restart and hold on every node that has the same key.
 */

import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Bytes of a key. */
export const PAGE_TOKEN_KEY_BYTES = 32;
/** No token is longer: a name has at most 1,024 bytes. */
const MOST_TOKEN = 4_096;

/** The place in a list that a token stands for. */
interface PageState {
  /** The limit that the first request asked for. */
  readonly limit: number;
  /** The key after which the page begins. */
  readonly after: string;
}

/** Makes and reads tokens. */
export class PageTokens {
  readonly #keys: readonly Buffer[];

  /** @param keys the first one seals, all of them open; none: one that ends with the process */
  constructor(keys: readonly Buffer[] = []) {
    this.#keys = keys.length > 0 ? keys : [randomBytes(PAGE_TOKEN_KEY_BYTES)];
  }

  /** The token of a state. @param request what the token belongs to, as {@link requestText} gives it */
  seal({ limit, after }: PageState, request: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#keys[0] as Buffer, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(digest(request));
    const sealed = Buffer.concat([cipher.update(JSON.stringify([limit, after]), "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
  }

  /** The state of a token; undefined for one of another request or key, or none at all. */
  open(token: string, request: string): PageState | undefined {
    if (token.length > MOST_TOKEN) return undefined;
    const bytes = Buffer.from(token, "base64url");
    if (bytes.length <= NONCE_BYTES + TAG_BYTES || bytes.toString("base64url") !== token) return undefined;
    for (const key of this.#keys) {
      const text = unseal(key, bytes, request);
      if (text === undefined) continue;
      const [limit, after] = JSON.parse(text) as [number, string];
      return { limit, after };
    }
    return undefined;
  }
}

function unseal(key: Buffer, bytes: Buffer, request: string): string | undefined {
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(digest(request));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const opened = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([opened, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/**
 * A request as one text, the same whatever the order of its members.
 * @param caller name of the caller, whose tokens are no other's
 */
export function requestText(path: string, body: unknown, caller: string): string {
  return `${path} ${JSON.stringify(caller)} ${canonical(body)}`;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}

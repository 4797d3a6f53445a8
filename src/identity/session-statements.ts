/**
 * Session tokens of temporary access keys (`X-Amz-Security-Token`): a signed statement about a key and its expiry. Its key is
 * derived for this purpose alone, so that no login token is one, and no such statement a login token.
 */

import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

const PURPOSE = "svc-authorizer 1 session tokens";
const KEY_BYTES = 32;
/** `<base64url of the expiry and the access key id>.<base64url of HMAC-SHA256>`. */
const FORM = /^([A-Za-z0-9_-]{1,2048})\.([A-Za-z0-9_-]{43})$/;

/** Makes and verifies statements. */
export class SessionStatements {
  readonly #keys: readonly Buffer[];

  /** @param secrets `auth.encrypt.secret_key`, which signs, then `authorizer.previous_secret_key` */
  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map((secret) => Buffer.from(hkdfSync("sha256", secret, "", PURPOSE, KEY_BYTES)));
  }

  /**
   * The statement about an access key.
   * @param expiresAt Unix seconds
   */
  make(accessKeyId: string, expiresAt: number): string {
    const said = Buffer.from(`${expiresAt} ${accessKeyId}`).toString("base64url");
    return `${said}.${signed(this.#keys[0] as Buffer, said).toString("base64url")}`;
  }

  /**
   * True for a statement of this service about this very key that has not expired.
   * @param now Unix milliseconds
   */
  holds(text: string, accessKeyId: string, now: number): boolean {
    const [, said = "", signature = ""] = FORM.exec(text) ?? [];
    if (said === "") return false;
    const given = Buffer.from(signature, "base64url");
    if (!this.#keys.some((key) => timingSafeEqual(signed(key, said), given))) return false;
    const content = Buffer.from(said, "base64url").toString("utf8");
    const blank = content.indexOf(" ");
    return content.slice(blank + 1) === accessKeyId && Number(content.slice(0, blank)) * 1_000 > now;
  }
}

function signed(key: Buffer, said: string): Buffer {
  return createHmac("sha256", key).update(said).digest();
}

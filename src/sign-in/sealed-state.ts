/** The state of a sign-in, which the browser keeps until it comes back from the provider: encrypted, for ten minutes. */

import { hkdfSync } from "node:crypto";
import { jwtDecrypt } from "jose/jwt/decrypt";
import { EncryptJWT } from "jose/jwt/encrypt";

/** The state of a sign-in. */
export interface SignInState {
  /** `state` of OAuth 2.0. */
  readonly id: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly verifier: string;
  /** Name of the issuer at which the sign-in began. */
  readonly issuer: string;
  readonly origin: string;
  readonly next: string;
}

/** Time in which a browser has to come back, seconds. */
export const STATE_SECONDS = 600;
const LONGEST = 8_192;
const AUDIENCE = "sign-in state";

/** Seals states with keys that are derived from the service's. */
export class StateSeal {
  readonly #keys: readonly Uint8Array[];

  /** @param secrets the first seals, all open */
  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map((secret) => new Uint8Array(hkdfSync("sha256", secret, "", AUDIENCE, 32)));
  }

  seal(state: SignInState): Promise<string> {
    return new EncryptJWT({ ...state })
      .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
      .setAudience(AUDIENCE)
      .setIssuedAt()
      .setExpirationTime(`${STATE_SECONDS} seconds`)
      .encrypt(this.#keys[0] as Uint8Array);
  }

  /** The state and its end in Unix seconds; undefined for anything that this service did not seal in time. */
  async open(text: string): Promise<{ readonly state: SignInState; readonly until: number } | undefined> {
    if (text.length > LONGEST || !text.split(".").every(isCanonical)) return undefined;
    for (const key of this.#keys) {
      try {
        const { payload } = await jwtDecrypt(text, key, {
          audience: AUDIENCE,
          keyManagementAlgorithms: ["dir"],
          contentEncryptionAlgorithms: ["A256GCM"],
        });
        return { state: payload as unknown as SignInState, until: payload.exp ?? 0 };
      } catch {
        // Not with this key.
      }
    }
    return undefined;
  }
}

/** Base64 has bits that say nothing: a text counts only in the form in which it is written. */
function isCanonical(part: string): boolean {
  return Buffer.from(part, "base64url").toString("base64url") === part;
}

/**
 * Tokens that a data server signs for itself with `auth.encrypt.secret_key` (spec/security §1.1). Users hold tokens
 * signed with the same key, so everything that tells the two apart is checked here, and nothing is optional.
 */

import { hash } from "node:crypto";
import type { JWTPayload } from "jose";
import { JOSEError } from "jose/errors";
import { jwtVerify } from "jose/jwt/verify";
import { LRUCache } from "lru-cache";
import { ALL_SCOPES, type ServiceCaller } from "../api/service-caller.ts";
import { headerOf } from "../identity/token-parts.ts";

const AUDIENCE = "auth-client";
const MAX_REMEMBERED = 1000;
const MAX_TOKEN_LENGTH = 4096;

/** The caller that a token was verified for. */
interface VerifiedCaller extends ServiceCaller {
  readonly until: number;
}

/** `auth-client`, or an array of just that. */
function isForServices(audience: unknown): boolean {
  if (Array.isArray(audience)) return audience.length === 1 && audience[0] === AUDIENCE;
  return audience === AUDIENCE;
}

/** Verifies service tokens with the current key, then with the previous one. */
export class ServiceJwtVerifier {
  readonly #keys: readonly Uint8Array[];
  /** By the token's SHA-256: a token itself is never kept. */
  readonly #verified = new LRUCache<string, VerifiedCaller>({ max: MAX_REMEMBERED });

  /** @param keys the bytes of `auth.encrypt.secret_key`, then of `authorizer.previous_secret_key`; never empty. */
  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys.filter((key) => key.length > 0);
  }

  /** The access that a token gives, or undefined for one that is refused; at once for a token seen before. */
  verify(token: string): ServiceCaller | undefined | Promise<ServiceCaller | undefined> {
    if (token.length > MAX_TOKEN_LENGTH) return undefined;
    const digest = hash("sha256", token, "base64");
    const known = this.#verified.get(digest);
    if (known === undefined) return this.#verifyNew(token, digest);
    if (Date.now() < known.until) return known;
    this.#verified.delete(digest);
    return undefined;
  }

  async #verifyNew(token: string, digest: string): Promise<ServiceCaller | undefined> {
    for (const key of this.#keys) {
      const payload = await verifiedPayload(token, key);
      if (payload === undefined) continue;
      const caller = { name: "data-server", scopes: ALL_SCOPES, until: (payload.exp as number) * 1000 };
      this.#verified.set(digest, caller);
      return caller;
    }
    return undefined;
  }
}

async function verifiedPayload(token: string, key: Uint8Array): Promise<JWTPayload | undefined> {
  try {
    const header = headerOf(token);
    if (header === undefined || Object.hasOwn(header, "crit")) return undefined;
    const { payload } = await jwtVerify(token, key, {
      algorithms: ["HS256"],
      requiredClaims: ["exp", "aud"],
    });
    return isForServices(payload.aud) ? payload : undefined;
  } catch (error) {
    if (error instanceof JOSEError || error instanceof TypeError) return undefined;
    throw error;
  }
}

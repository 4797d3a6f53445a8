/** The keys of an issuer: found by discovery, fetched when first needed, and again when an unknown key appears. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import type { JWTVerifyGetKey } from "jose";
import { createRemoteJWKSet, customFetch } from "jose/jwks/remote";
import { boundedBody } from "../../bounded-body.ts";
import type { OidcIssuer } from "./oidc.ts";

/** Longest time of a request to an issuer. */
const TIMEOUT_MS = 5_000;
/** Largest document of an issuer. */
const MAX_BYTES = 1 << 20;

/** Times of an issuer's keys in milliseconds. */
export interface KeyTimes {
  /** Time for which fetched keys are used. */
  readonly keep: number;
  /** Shortest time between two requests: a token with an unknown key causes no more. */
  readonly cooldown: number;
}

/** The defaults. */
const KEY_TIMES: KeyTimes = { keep: 600_000, cooldown: 10_000 };

type RemoteKeys = ReturnType<typeof createRemoteJWKSet>;

/** Finds the key of a token. */
export class IssuerKeys {
  readonly #issuer: OidcIssuer;
  readonly #times: KeyTimes;
  #keys: Promise<RemoteKeys> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  /** The moment at which its keys came last, by both clocks: the library goes by the one that may be set back. */
  #cameAt = { monotonic: Number.POSITIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };

  constructor(issuer: OidcIssuer, times: KeyTimes = KEY_TIMES) {
    this.#issuer = issuer;
    this.#times = times;
  }

  /** The key that a token names; rejects with "unavailable" where the issuer does not answer. */
  readonly get: JWTVerifyGetKey = async (header, token) => {
    this.#keys ??= this.#open().catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
    const opened = this.#keys;
    const keys = await opened;
    try {
      if (this.#areOld) await keys.reload();
      return await keys(header, token);
    } catch (error) {
      // Without keys that hold, the next request asks for their address again: it may be another one now.
      if ((!keys.fresh || this.#areOld) && this.#keys === opened) this.#keys = undefined;
      throw error;
    }
  };

  /** True for keys that the library might use for too long, or might not replace, since the clock was set back. */
  get #areOld(): boolean {
    const { monotonic, wall } = this.#cameAt;
    return performance.now() - monotonic >= this.#times.keep || Date.now() < wall;
  }

  async #open(): Promise<RemoteKeys> {
    const { jwksUri } = this.#issuer;
    const url = jwksUri ?? (await this.#discovered());
    return createRemoteJWKSet(new URL(url), {
      timeoutDuration: TIMEOUT_MS,
      cacheMaxAge: this.#times.keep,
      cooldownDuration: this.#times.cooldown,
      [customFetch]: async (address, { signal }) => {
        const document = await this.#fetch(address, signal);
        const keys = isObject(document) ? document["keys"] : undefined;
        const known = Array.isArray(keys) ? keys.filter(isObject) : [];
        if (!Array.isArray(keys) || (known.length === 0 && keys.length > 0))
          throw this.#failed("answers with something else than keys");
        this.#cameAt = { monotonic: performance.now(), wall: Date.now() };
        // An element that is no key of any kind takes nothing from the others.
        return Response.json({ keys: known });
      },
    });
  }

  async #discovered(): Promise<string> {
    const { issuer } = this.#issuer;
    const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const document = await this.#fetch(address, AbortSignal.timeout(TIMEOUT_MS));
    const { issuer: named, jwks_uri: url } = isObject(document) ? document : {};
    if (named !== issuer || typeof url !== "string" || !isSafeUrl(url, issuer)) {
      throw this.#failed("has no discovery document that names it and its keys");
    }
    return url;
  }

  /** The JSON of an address, in bounded time and size, without redirections; none soon after one that failed. */
  async #fetch(address: string, signal: AbortSignal): Promise<unknown> {
    if (performance.now() - this.#failedAt < this.#times.cooldown)
      throw this.#failed("did not answer a moment ago", false);
    try {
      const headers = { accept: "application/json" };
      const response = await fetch(address, { headers, signal, redirect: "error" });
      if (response.status !== 200) throw new Error(`status ${response.status}`);
      return parseJsonText(new TextDecoder().decode(await boundedBody(response.body, MAX_BYTES)));
    } catch (cause) {
      throw this.#failed("does not answer", true, cause);
    }
  }

  #failed(how: string, isNew = true, cause?: unknown): AuthorizerError {
    if (isNew) this.#failedAt = performance.now();
    const message = `the issuer ${this.#issuer.name} ${how}`;
    return new AuthorizerError("unavailable", message, { cause, retryAfterSeconds: 5 });
  }
}

/** True for https, and for http on this machine if the issuer is there too: no other may have it asked. */
function isSafeUrl(text: string, issuer: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return false;
  if (url.protocol === "https:") return true;
  const isLocal = url.protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
  return isLocal && URL.parse(issuer)?.protocol === "http:";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

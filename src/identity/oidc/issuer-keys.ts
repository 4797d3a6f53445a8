/** The keys of an issuer: found by discovery, fetched when first needed, and again when an unknown key appears. */

import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose";
import { AuthorizerError } from "../../errors.ts";
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
export const KEY_TIMES: KeyTimes = { keep: 600_000, cooldown: 10_000 };

/** Finds the key of a token. */
export class IssuerKeys {
  readonly #issuer: OidcIssuer;
  readonly #times: KeyTimes;
  #keys: Promise<JWTVerifyGetKey> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;

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
    const keys = await this.#keys;
    return keys(header, token);
  };

  async #open(): Promise<JWTVerifyGetKey> {
    const { jwksUri } = this.#issuer;
    const url = jwksUri ?? (await this.#discovered());
    return createRemoteJWKSet(new URL(url), {
      timeoutDuration: TIMEOUT_MS,
      cacheMaxAge: this.#times.keep,
      cooldownDuration: this.#times.cooldown,
      [customFetch]: (address, { signal }) => this.#fetch(address, signal),
    });
  }

  async #discovered(): Promise<string> {
    const { issuer } = this.#issuer;
    const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const response = await this.#fetch(address, AbortSignal.timeout(TIMEOUT_MS));
    const document = (await response.json().catch(() => undefined)) as Record<string, unknown> | undefined;
    const url = document?.["jwks_uri"];
    if (!response.ok || document?.["issuer"] !== issuer || typeof url !== "string" || !isSafeUrl(url)) {
      throw this.#failed("has no discovery document that names it and its keys");
    }
    return url;
  }

  /** One request with bounded time and size, without redirections; none soon after one that failed. */
  async #fetch(address: string, signal: AbortSignal): Promise<Response> {
    if (performance.now() - this.#failedAt < this.#times.cooldown)
      throw this.#failed("did not answer a moment ago", false);
    try {
      const headers = { accept: "application/json" };
      const response = await fetch(address, { headers, signal, redirect: "error" });
      if (response.status !== 200) throw new Error(`status ${response.status}`);
      return new Response(await boundedText(response), { status: 200 });
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

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

/** True for https, and for http on this machine. */
function isSafeUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return false;
  if (url.protocol === "https:") return true;
  return url.protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
}

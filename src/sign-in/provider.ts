/** An identity provider as the client of its sign-in: authorization code with PKCE (OpenID Connect Core 1.0). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { JWTPayload } from "jose";
import type * as OpenIdClient from "openid-client";
import { IssuerKeys } from "../identity/oidc/issuer-keys.ts";
import type { OidcIssuer } from "../identity/oidc/oidc.ts";
import { verifyWithAny } from "../identity/oidc/open-oidc.ts";
import { claimsOf, headerOf } from "../identity/token-parts.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import type { ForeignCode } from "./foreign-code.ts";
import type { SignInState } from "./sealed-state.ts";
import { SignInRefused, type SignInWay } from "./sign-in.ts";

const TIMEOUT_SECONDS = 5;
/** Largest answer of a provider. */
const MAX_BYTES = 1 << 20;
/** Time after which the provider's document is asked for again. */
const KEEP_MS = 600_000;
const LONGEST_TOKEN = 65_536;
const OF_SIGN_INS = ["exp", "iat", "sub", "nonce"];
const CALLBACK = "/oidc/callback";

/** The client that this service is at a provider. */
interface ProviderClient {
  readonly issuer: OidcIssuer;
  readonly way: SignInWay;
  readonly clientId: string;
  /** undefined: a public client. */
  readonly clientSecret: string | undefined;
  readonly scopes: readonly string[];
  /** True: a sign-out goes on there. */
  readonly endSession: boolean;
}

interface Discovered {
  readonly configuration: Promise<OpenIdClient.Configuration>;
  readonly at: number;
}

/** A provider. */
export class Provider {
  readonly client: ProviderClient;
  readonly #keys: IssuerKeys;
  #discovered: Discovered | undefined;

  constructor(client: ProviderClient) {
    this.client = client;
    this.#keys = new IssuerKeys(client.issuer);
  }

  /** The address at which the person proves to be somebody. */
  async authorizationUrl({ id, nonce, verifier, origin }: SignInState): Promise<string> {
    const oidc = await import("openid-client");
    const url = oidc.buildAuthorizationUrl(await this.#configuration(oidc), {
      redirect_uri: origin + CALLBACK,
      scope: this.client.scopes.join(" "),
      state: id,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    return url.href;
  }

  /**
   * The verified claims of the ID token for a code.
   * @param query with which the browser came back
   */
  async claims(query: string, { id, nonce, verifier, origin }: SignInState): Promise<JWTPayload> {
    const oidc = await import("openid-client");
    const configuration = await this.#configuration(oidc);
    const url = new URL(`${origin}${CALLBACK}?${query}`);
    let token: string | undefined;
    try {
      const tokens = await oidc.authorizationCodeGrant(configuration, url, {
        pkceCodeVerifier: verifier,
        expectedNonce: nonce,
        expectedState: id,
        idTokenExpected: true,
      });
      token = tokens.id_token;
    } catch (error) {
      throw this.#refusal(oidc, error);
    }
    return this.#verified(token ?? "");
  }

  /**
   * The address at which the person signs out there, too (OpenID Connect RP-Initiated Logout 1.0); undefined where the
   * provider has none, or the configuration wants none.
   * @param back where it sends the browser then
   */
  async signOutUrl(back: string): Promise<string | undefined> {
    if (!this.client.endSession) return undefined;
    const oidc = await import("openid-client");
    const configuration = await this.#configuration(oidc);
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
    return oidc.buildEndSessionUrl(configuration, { post_logout_redirect_uri: back }).href;
  }

  /**
   * The verified claims of the ID token for a code that another client got for this one. There is no nonce that this
   * service would know.
   */
  async claimsForCode({ code, redirectUri, verifier }: ForeignCode): Promise<JWTPayload> {
    const oidc = await import("openid-client");
    const configuration = await this.#configuration(oidc);
    let token: unknown;
    try {
      const grant = { code, redirect_uri: redirectUri, code_verifier: verifier };
      const tokens = await oidc.genericGrantRequest(configuration, "authorization_code", grant);
      token = tokens.id_token;
    } catch (error) {
      throw this.#refusal(oidc, error);
    }
    return this.#verified(typeof token === "string" ? token : "", ["exp", "iat", "sub"]);
  }

  /** The signature with a key of the issuer and a configured algorithm, whatever the issuer's document permits. */
  async #verified(token: string, requiredClaims = OF_SIGN_INS): Promise<JWTPayload> {
    const { issuer, clientId, way } = this.client;
    try {
      if (token.length > LONGEST_TOKEN || headerOf(token) === undefined) throw new Error("no token");
      await verifyWithAny(token, this.#keys, {
        issuer: issuer.issuer,
        audience: clientId,
        algorithms: [...issuer.algorithms],
        clockTolerance: issuer.clockTolerance / 1_000,
        requiredClaims,
      });
    } catch (cause) {
      const isAway = cause instanceof AuthorizerError && cause.code === "unavailable";
      throw new SignInRefused(isAway ? "provider_away" : "invalid", way, { cause });
    }
    return claimsOf(token) ?? {};
  }

  async #configuration(oidc: typeof OpenIdClient): Promise<OpenIdClient.Configuration> {
    const now = performance.now();
    if (this.#discovered === undefined || now - this.#discovered.at > KEEP_MS) {
      this.#discovered = { configuration: this.#discover(oidc), at: now };
    }
    const used = this.#discovered;
    try {
      return await used.configuration;
    } catch (cause) {
      if (this.#discovered === used) this.#discovered = undefined;
      throw new SignInRefused("provider_away", this.client.way, { cause });
    }
  }

  #discover(oidc: typeof OpenIdClient): Promise<OpenIdClient.Configuration> {
    const { issuer, clientId, clientSecret } = this.client;
    const server = new URL(issuer.issuer);
    // Plain text is for providers on this machine alone, which the configuration checks.
    const execute = server.protocol === "http:" ? [oidc.allowInsecureRequests] : [];
    const authentication = clientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(clientSecret);
    const metadata = { [oidc.clockTolerance]: issuer.clockTolerance / 1_000 };
    const options = { execute, timeout: TIMEOUT_SECONDS, [oidc.customFetch]: boundedFetch(MAX_BYTES) };
    return oidc.discovery(server, clientId, metadata, authentication, options);
  }

  #refusal(oidc: typeof OpenIdClient, cause: unknown): SignInRefused {
    const { way } = this.client;
    if (cause instanceof oidc.AuthorizationResponseError) return new SignInRefused("denied", way, { cause });
    const isOfProtocol =
      cause instanceof oidc.ResponseBodyError ||
      cause instanceof oidc.WWWAuthenticateChallengeError ||
      (cause instanceof oidc.ClientError &&
        cause.code !== "OAUTH_TIMEOUT" &&
        !(cause.cause instanceof TypeError));
    return new SignInRefused(isOfProtocol && !isFailure(cause) ? "invalid" : "provider_away", way, { cause });
  }
}

/** True for an answer with which the provider says that it fails itself. */
function isFailure(error: Error): boolean {
  const { status, cause } = error as { readonly status?: unknown; readonly cause?: unknown };
  const answered = typeof status === "number" ? status : cause instanceof Response ? cause.status : 0;
  return answered >= 500;
}

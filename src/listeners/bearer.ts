/** Authentication of callers of the service listener: bearer tokens (spec/security §1.1, spec/security §1.2). */

import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { ALL_SCOPES, type Scope, type ServiceCaller } from "../api/service-caller.ts";
import { hasRepeatedAuthorization } from "../http/request/request-headers.ts";
import { ServiceJwtVerifier } from "./service-jwt.ts";

/** One entry of `authorizer.tokens`: exactly one of `token` and `tokenSha256`. */
export interface ListedToken {
  readonly name: string;
  readonly token?: string;
  /** 64 hexadecimal digits. */
  readonly tokenSha256?: string;
  readonly scopes: readonly Scope[];
  /** Patterns of the names of groups that its requests may assert for an unknown subject; default none. */
  readonly assertGroups?: readonly string[];
}

/** Options of {@link BearerVerifier}. Empty texts count as unset. */
export interface BearerOptions {
  /** `auth.api.token`: taken verbatim, holds all scopes. Where it is set, JWTs are off. */
  readonly apiToken?: string | undefined;
  /** `auth.encrypt.secret_key`. */
  readonly secretKey?: string | undefined;
  /** `authorizer.previous_secret_key`: verifies, never signs. */
  readonly previousSecretKey?: string | undefined;
  readonly tokens?: readonly ListedToken[];
}

/** A configured token, with room to lay a presented one beside it. */
interface KnownToken {
  readonly access: ServiceCaller;
  /** `Bearer TOKEN`, or the hexadecimal digest of the token. */
  readonly secret: Buffer;
  readonly presented: Buffer;
  readonly hashed: boolean;
}

const MIN_TOKEN_LENGTH = 32;
const SHA256_HEX = /^[0-9a-f]{64}$/i;
const SCHEME = /^bearer +([^\s]+)$/i;
const PREFIX = "Bearer ";

/** Verifies the Authorization header of requests. Replaced as a whole when tokens are reloaded. */
export class BearerVerifier {
  readonly #known: readonly KnownToken[];
  readonly #anyHashed: boolean;
  readonly #jwt: ServiceJwtVerifier | undefined;

  /** Throws "invalid_request" for a listed token that is too short or of which not exactly one form is given. */
  constructor(options: BearerOptions) {
    const known = (options.tokens ?? []).map(knownToken);
    const apiToken = options.apiToken ?? "";
    if (apiToken !== "") known.unshift(plainToken({ name: "data-server", scopes: ALL_SCOPES }, apiToken));
    this.#known = known;
    this.#anyHashed = known.some((token) => token.hashed);
    const keys = [options.secretKey, options.previousSecretKey].filter(
      (key) => key !== undefined && key !== "",
    );
    this.#jwt =
      apiToken === "" && keys.length > 0
        ? new ServiceJwtVerifier(keys.map((key) => Buffer.from(key as string)))
        : undefined;
  }

  /**
   * The caller of a request; a promise only for a JWT that was not seen before.
   * @throws AuthorizerError "unauthenticated", at once or by rejection.
   */
  verify(request: Pick<IncomingMessage, "headers" | "rawHeaders">): ServiceCaller | Promise<ServiceCaller> {
    const header = request.headers.authorization;
    if (header === undefined) throw unauthenticated("a bearer token is needed");
    if (hasRepeatedAuthorization(request.rawHeaders))
      throw unauthenticated("more than one Authorization header");
    const credentials = normalized(header);
    if (credentials === undefined) throw unauthenticated("a bearer token is needed");
    const access = this.#listed(credentials);
    if (access !== undefined) return access;
    if (this.#jwt === undefined) throw unauthenticated("the bearer token is not valid");
    const verified = this.#jwt.verify(credentials.slice(PREFIX.length));
    return verified instanceof Promise ? verified.then(accepted) : accepted(verified);
  }

  /** Compares with every configured token, whichever matches, in time that depends on lengths alone. */
  #listed(credentials: string): ServiceCaller | undefined {
    let found: ServiceCaller | undefined;
    const digest = this.#anyHashed ? digestOf(credentials) : "";
    for (const known of this.#known) {
      const { presented, secret } = known;
      const text = known.hashed ? digest : credentials;
      const sameLength = text.length === secret.length;
      presented.write(sameLength ? text : "", 0, "latin1");
      if (timingSafeEqual(presented, secret) && sameLength) found = known.access;
    }
    return found;
  }
}

/** `Bearer TOKEN`, written in just this way; undefined for other schemes. */
function normalized(header: string): string | undefined {
  if (header.startsWith(PREFIX) && header.lastIndexOf(" ") === PREFIX.length - 1) return header;
  const token = SCHEME.exec(header)?.[1];
  return token === undefined ? undefined : PREFIX + token;
}

function digestOf(credentials: string): string {
  return hash("sha256", Buffer.from(credentials.slice(PREFIX.length), "latin1"), "hex");
}

function accepted(access: ServiceCaller | undefined): ServiceCaller {
  if (access === undefined) throw unauthenticated("the bearer token is not valid");
  return access;
}

function unauthenticated(message: string): AuthorizerError {
  return new AuthorizerError("unauthenticated", message);
}

function plainToken(access: ServiceCaller, token: string): KnownToken {
  const secret = Buffer.from(PREFIX + token, "utf8");
  return { access, secret, presented: Buffer.alloc(secret.length), hashed: false };
}

function hashedToken(access: ServiceCaller, digest: string): KnownToken {
  const secret = Buffer.from(digest, "latin1");
  return { access, secret, presented: Buffer.alloc(secret.length), hashed: true };
}

function knownToken(listed: ListedToken): KnownToken {
  const scopes: ReadonlySet<Scope> = new Set(listed.scopes);
  const { name, token, tokenSha256, assertGroups = [] } = listed;
  const access: ServiceCaller = { name, scopes, assertGroups };
  if ((token === undefined) === (tokenSha256 === undefined)) {
    throw new AuthorizerError("invalid_request", `token ${name}: give exactly one of token and token_sha256`);
  }
  if (tokenSha256 !== undefined) {
    if (!SHA256_HEX.test(tokenSha256)) {
      throw new AuthorizerError("invalid_request", `token ${name}: token_sha256 needs 64 hexadecimal digits`);
    }
    return hashedToken(access, tokenSha256.toLowerCase());
  }
  if ((token as string).length < MIN_TOKEN_LENGTH) {
    throw new AuthorizerError("invalid_request", `token ${name}: at least ${MIN_TOKEN_LENGTH} characters`);
  }
  return plainToken(access, token as string);
}

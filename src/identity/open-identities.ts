/** Builds the authentication of end users. `identity.ts` is the contract. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { ExpiringCredential } from "@svc-authorizer/policy/model/entities.ts";
import type { CacheSettings } from "../cache/dependent-cache.ts";
import type { Directory } from "../directory/directory.ts";
import { type AccessKey, AccessKeys } from "./access-keys.ts";
import { FailedAttempts, type FailureLimit, type FailureSharing } from "./failed-attempts.ts";
import type {
  ChunkSignatures,
  Identities,
  Identity,
  IssuedToken,
  ShownSession,
  Signatory,
  SignedRequest,
} from "./identity.ts";
import { LoginTokens } from "./login-tokens.ts";
import { refused, SignatureRefused, TooManyFailures } from "./refusals.ts";
import { SessionCookies } from "./session-cookies/session-cookies.ts";
import type { SessionUsersOptions } from "./session-cookies/session-users.ts";
import { SessionStatements } from "./session-statements.ts";
import { ChunkChain } from "./signature/chunk-chain.ts";
import { readSignature, type Signature } from "./signature/read-signature.ts";
import { digestOf, isSignedWith, signingKey } from "./signature/signing.ts";

/** Options of {@link openIdentities}. */
export interface IdentitiesOptions {
  readonly directory: Pick<Directory, "sessions" | "issuedSessions" | "users" | "onChange">;
  /** `auth.cache.*`: applies to a cache of access keys and to a cache of login tokens. */
  readonly cache: CacheSettings;
  /** `auth.encrypt.secret_key`: signs and verifies login tokens. */
  readonly secretKey: string;
  /** `authorizer.previous_secret_key`: verifies, never signs. */
  readonly previousSecretKey?: string | undefined;
  /** `gateways.s3.region`. */
  readonly region: string;
  /** `auth.login_duration`, milliseconds. */
  readonly loginDuration: number;
  /** `auth.login_max_duration`, milliseconds. */
  readonly loginMaxDuration: number;
  /** `authorizer.forward_auth.max_failures`. */
  readonly maxFailures: FailureLimit;
  /** Session cookies of a data server that hold claims, by name; absent: none counts. */
  readonly sessionClaims?: SessionUsersOptions["rules"];
  /** The other processes of this service; absent: it is the only one. */
  readonly sharing?: FailureSharing;
  /** Told how many sessions no list will show, since the store took no note of them. */
  readonly onLostSessions: (sessions: number) => void;
  /** Unix milliseconds; default the clock. */
  readonly now?: () => number;
}

/**
 * Opens the authentication of end users.
 * @throws AuthorizerError "invalid_request" without a secret key
 */
export function openIdentities(options: IdentitiesOptions): Identities {
  if (options.secretKey === "") {
    throw new AuthorizerError("invalid_request", "auth.encrypt.secret_key must not be empty");
  }
  return new Verifying(options);
}

/** The pair for which an attempt is counted. */
interface Attempt {
  readonly accessKeyId: string;
  readonly source: string;
}

class Verifying implements Identities {
  readonly counters: Identities["counters"] = { cacheHits: 0, cacheMisses: 0, failures: 0, throttled: 0 };
  readonly #region: string;
  readonly #now: () => number;
  readonly #keys: AccessKeys;
  readonly #tokens: LoginTokens;
  readonly #failures: FailedAttempts;
  readonly #sessions: SessionCookies;
  readonly #statements: SessionStatements;
  readonly #unsubscribe: () => void;

  constructor(options: IdentitiesOptions) {
    const { directory, cache, region, secretKey, previousSecretKey = "", now = Date.now } = options;
    const { counters } = this;
    this.#region = region;
    this.#now = now;
    this.#failures = new FailedAttempts(options.maxFailures, options.now, options.sharing);
    this.#keys = new AccessKeys({ directory, cache, failures: this.#failures, counters, now });
    const previous = previousSecretKey === "" ? [] : [Buffer.from(previousSecretKey)];
    const keys = [Buffer.from(secretKey), ...previous] as const;
    const maxSeconds = Math.floor(options.loginMaxDuration / 1_000);
    this.#statements = new SessionStatements([secretKey, ...previous.map(String)]);
    this.#tokens = new LoginTokens({
      directory,
      cache,
      keys,
      seconds: Math.floor(options.loginDuration / 1_000),
      maxSeconds,
      counters,
      onLostSessions: options.onLostSessions,
      now,
    });
    this.#sessions = new SessionCookies({
      directory,
      cache,
      keys,
      maxSeconds,
      rules: options.sessionClaims ?? new Map(),
      withLoginToken: (token) => this.#tokens.verify(token),
      now,
    });
    this.#unsubscribe = directory.onChange(({ users, all = false }) => {
      // Groups and policies say nothing about who somebody is.
      if (users === undefined && !all) return;
      const touched = { ids: users ?? [], all };
      this.#keys.evict(touched);
      this.#tokens.evict(touched);
      this.#sessions.users.evict(touched);
    });
  }

  withAccessKey(accessKeyId: string, secret: string, source: string): Identity | Promise<Identity> {
    const key = this.#keys.find(accessKeyId, source);
    return key instanceof Promise
      ? key.then((found) => this.#bySecret(found, secret, { accessKeyId, source }))
      : this.#bySecret(key, secret, { accessKeyId, source });
  }

  withLoginToken(token: string): Identity | Promise<Identity> {
    return this.#tokens.verify(token);
  }

  withSession({ name, value }: ShownSession): Identity | undefined | Promise<Identity | undefined> {
    return this.#sessions.identify(name, value);
  }

  withSignature(request: SignedRequest, source: string): Signatory | Promise<Signatory> {
    const now = this.#now();
    const signature = readSignature(request, { region: this.#region, now });
    const { sessionToken, accessKeyId } = signature;
    if (sessionToken !== undefined && !this.#statements.holds(sessionToken, accessKeyId, now)) {
      const message = "the session token was not issued by this service for this access key, or has expired";
      throw new SignatureRefused("AccessDenied", message);
    }
    const key = this.#keys.find(signature.accessKeyId, source);
    return key instanceof Promise
      ? key.then((found) => this.#bySignature(found, signature, source))
      : this.#bySignature(key, signature, source);
  }

  chunksOf(request: SignedRequest): ChunkSignatures | Promise<ChunkSignatures> {
    const signature = readSignature(request, { region: this.#region, now: this.#now() });
    const chain = (key: AccessKey): ChunkSignatures => {
      const digest = digestOf(signature.canonicalRequest);
      if (!isSignedWith(key, signature, digest) || !key.exists) throw mismatch();
      return new ChunkChain(signingKey(key, signature), signature);
    };
    const key = this.#keys.find(signature.accessKeyId, "");
    return key instanceof Promise ? key.then(chain) : chain(key);
  }

  sessionTokenOf({ access_key_id, expires_at }: ExpiringCredential): string {
    return this.#statements.make(access_key_id, expires_at);
  }

  issueLoginToken(
    identity: Parameters<Identities["issueLoginToken"]>[0],
    seconds?: number,
  ): Promise<IssuedToken> {
    return this.#tokens.issue(identity, seconds);
  }

  logout(identity: Identity, expiresAt: number): Promise<void> {
    return this.#tokens.end(identity, expiresAt);
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    await this.#tokens.close();
  }

  #bySecret(key: AccessKey, secret: string, { accessKeyId, source }: Attempt): Identity {
    const isSame = key.known.isSame(secret);
    if (isSame && key.exists) return key.byKey;
    const waitSeconds = this.#failed({ accessKeyId, source });
    throw waitSeconds > 0 ? new TooManyFailures(waitSeconds) : refused("credentials");
  }

  #bySignature(key: AccessKey, signature: Signature, source: string): Signatory {
    const { signedHeaders } = signature;
    const digest = digestOf(signature.canonicalRequest);
    const isSame = isSignedWith(key, signature, digest);
    if (isSame && key.exists) return { ...key.bySignature, signed: { digest, signedHeaders } };
    this.#failed({ accessKeyId: signature.accessKeyId, source });
    throw key.exists
      ? mismatch()
      : new SignatureRefused("InvalidAccessKeyId", "the access key id is not known");
  }

  /** Counts a failure. Returns the seconds to wait if there were too many, else 0. */
  #failed({ accessKeyId, source }: Attempt): number {
    this.counters.failures++;
    const waitSeconds = this.#failures.count(accessKeyId, source);
    if (waitSeconds > 0) this.counters.throttled++;
    return waitSeconds;
  }
}

function mismatch(): SignatureRefused {
  return new SignatureRefused("SignatureDoesNotMatch", "the signature does not match the request");
}

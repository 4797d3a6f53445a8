/**
 * Signing in with a name and a password (spec/sign-in §6): the ways are asked in their order. Failed attempts are counted for
 * each name and source and for each source; over the limit, a source is refused before anything is compared, since passwords
 * can be guessed. A right password from elsewhere is never locked out.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import {
  FailedAttempts,
  type FailureLimit,
  type FailureSharing,
  forwardedKeys,
  passwordKeys,
} from "../identity/failed-attempts.ts";
import type { Identity } from "../identity/identity.ts";
import { type OnUnknown, SignInRefused, type SignInWay } from "./sign-in.ts";

/** A name and a password that somebody shows. */
export interface PasswordAttempt {
  readonly username: string;
  readonly password: string;
  /** Address of whoever shows them. */
  readonly source: string;
  /**
   * True: the source is a server that forwards what its users type. Then a name is counted by itself, and nothing is refused
   * before it was compared.
   */
  readonly isForwarded?: boolean;
  /** Told where nobody knows whether the user of the person was made or changed. */
  readonly onUnknown?: OnUnknown;
}

/** A person who is known by a password. */
export interface PasswordPerson {
  readonly identity: Pick<Identity, "username" | "userId" | "issuer"> & {
    /** The beginning of the user's sessions when the password was right: one that is changed since gives no token. */
    readonly since?: string;
  };
  readonly isNew: boolean;
}

/** One way to know a person by a password. */
export interface PasswordWay {
  readonly way: SignInWay;
  /** True: the name and the password leave this service. */
  readonly isElsewhere: boolean;
  /**
   * The person; undefined where this way does not know the name with the password.
   * @param assertAllowed throws where too many attempts have failed meanwhile: to be called where one has waited
   * @throws SignInRefused "provider_away", or for a person who is known and has no user here; AuthorizerError "unavailable"
   */
  verify(attempt: PasswordAttempt, assertAllowed: () => void): Promise<PasswordPerson | undefined>;
}

/** A sign-in that succeeded. */
interface PasswordSignedIn extends PasswordPerson {
  readonly way: SignInWay;
}

/** Options of {@link PasswordSignIn}. */
interface PasswordSignInOptions {
  /** In the order in which they are asked. */
  readonly ways: readonly PasswordWay[];
  /**
   * True for a text that is the id of an access key, whose secret must not leave this service; of one that nobody may use at
   * present, too.
   */
  readonly isAccessKey: (text: string) => Promise<boolean>;
  /** True for the name of a user. */
  readonly isUser: (text: string) => Promise<boolean>;
  readonly limit: FailureLimit;
  readonly sharing?: FailureSharing | undefined;
}

/** Longest name and password that are looked at, in characters. */
const LONGEST = 1_024;

/** True for a text in the form of generated ids of access keys, which are no names of people. */
export function looksLikeKeyId(text: string): boolean {
  return /^A[KS][A-Z0-9|]{18}$/i.test(text);
}

/** A name and a password of nobody. `retryAfterSeconds` is set where too many attempts have failed. */
export class WrongPassword extends AuthorizerError {
  /** The user whose name was typed, for the audit log; undefined where nobody has it: it may be a secret in the wrong field. */
  username: string | undefined;

  constructor(retryAfterSeconds?: number) {
    const message = "the user name or the password is not valid";
    if (retryAfterSeconds === undefined) super("unauthenticated", message);
    else super("unauthenticated", `${message}; too many attempts have failed`, { retryAfterSeconds });
  }
}

/** Signs people in by name and password. */
export class PasswordSignIn {
  readonly ways: readonly SignInWay[];
  readonly #options: PasswordSignInOptions;
  readonly #failures: FailedAttempts;
  readonly #forwarded: FailedAttempts;

  constructor(options: PasswordSignInOptions) {
    const { limit, sharing } = options;
    this.#options = options;
    this.ways = options.ways.map(({ way }) => way);
    this.#failures = new FailedAttempts(limit, undefined, sharing, passwordKeys);
    this.#forwarded = new FailedAttempts(limit, undefined, sharing, forwardedKeys);
  }

  /**
   * The person of a name and a password.
   * @throws WrongPassword; SignInRefused and "unavailable" as {@link PasswordWay.verify}
   */
  async signIn(attempt: PasswordAttempt): Promise<PasswordSignedIn> {
    try {
      return await this.#signIn(attempt);
    } catch (error) {
      const { username } = attempt;
      if (error instanceof WrongPassword && (await this.#options.isUser(username))) error.username = username;
      throw error;
    }
  }

  async #signIn(attempt: PasswordAttempt): Promise<PasswordSignedIn> {
    const { username, password } = attempt;
    // An empty password binds anonymously at some servers, which would be a success.
    if (username === "" || password === "") throw new WrongPassword();
    if (username.length > LONGEST || password.length > LONGEST) throw new WrongPassword();
    // Nobody has a password with such a name: the many wrong keys that a data server forwards must not wait to be hashed.
    if (looksLikeKeyId(username)) throw this.#failed(attempt);
    return this.counted(attempt, (assertAllowed) => this.#ask(attempt, assertAllowed));
  }

  /** @throws WrongPassword where no way knows the name with the password */
  async #ask(attempt: PasswordAttempt, assertAllowed: () => void): Promise<PasswordSignedIn> {
    let away: unknown;
    let end: (() => void) | undefined;
    try {
      for (const one of this.#options.ways) {
        if (one.isElsewhere && (await this.#options.isAccessKey(attempt.username))) continue;
        assertAllowed();
        if (one.isElsewhere) end ??= this.#begun(attempt);
        try {
          const person = await one.verify(attempt, assertAllowed);
          if (person !== undefined) return { ...person, way: one.way };
        } catch (error) {
          if (!(error instanceof SignInRefused) || error.reason !== "provider_away") throw error;
          away ??= error;
        }
      }
      throw away ?? this.#failed(attempt);
    } finally {
      end?.();
    }
  }

  /** Begins to ask elsewhere, where many may be asked at once. Returns what ends it. */
  #begun({ username, source, isForwarded }: PasswordAttempt): () => void {
    const end = isForwarded === true ? () => {} : this.#failures.begin(username, source);
    if (end === undefined) throw this.#tooMany();
    return end;
  }

  /**
   * Counts a request for a mail, of which a source has as many as wrong passwords for one name.
   * @throws WrongPassword
   */
  countRequest(source: string): void {
    const attempt = { username: "", password: "", source };
    this.#assertNotOver(attempt);
    this.#failures.count(attempt.username, source);
  }

  /**
   * Runs what compares a password, with the limit of failed attempts; `undefined` is a failure.
   * @param isCounted true for an attempt that has failed, and is compared with a newer state
   * @throws WrongPassword
   */
  async counted<T>(
    attempt: PasswordAttempt,
    compare: (assertAllowed: () => void) => Promise<T>,
    isCounted = false,
  ): Promise<Exclude<T, undefined>> {
    const assertAllowed = (): void => this.#assertNotOver(attempt);
    assertAllowed();
    const result = await compare(assertAllowed);
    if (result === undefined) throw isCounted ? new WrongPassword() : this.#failed(attempt);
    return result as Exclude<T, undefined>;
  }

  /** Counts a wrong password. Returns the error to throw. */
  #failed({ username, source, isForwarded }: PasswordAttempt): WrongPassword {
    const failures = isForwarded === true ? this.#forwarded : this.#failures;
    const waitSeconds = failures.count(username, source);
    return new WrongPassword(waitSeconds > 0 ? waitSeconds : undefined);
  }

  /** Refuses an attempt from where too many have failed, before anything is compared. */
  #assertNotOver({ username, source, isForwarded }: PasswordAttempt): void {
    if (isForwarded !== true && this.#failures.isOver(username, source)) throw this.#tooMany();
  }

  #tooMany(): WrongPassword {
    const { count, intervalMs } = this.#options.limit;
    return new WrongPassword(Math.ceil(intervalMs / count / 1_000));
  }
}

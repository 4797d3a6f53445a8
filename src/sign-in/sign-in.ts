/** Signing in with an identity provider (spec/sign-in §1). This file is the contract; `open-sign-in.ts` builds it. */

import type { SignInFault } from "../directory/provisioning.ts";
import type { Identity } from "../identity/identity.ts";
import type { ForeignCode } from "./foreign-code.ts";

/** A way to sign in that the configuration offers. */
export interface SignInWay {
  /** Name of the issuer. */
  readonly name: string;
  /** The name that people know. */
  readonly title: string;
}

/** The beginning of a sign-in: where the browser goes, and what it keeps until it comes back. */
interface BegunSignIn {
  readonly location: string;
  /** Sealed; the value of a cookie. */
  readonly state: string;
}

/** A person who signed in. */
export interface FinishedSignIn {
  readonly identity: Identity;
  readonly way: SignInWay;
  /** Path of this origin to go to. */
  readonly next: string;
  readonly isNew: boolean;
}

/** The reasons for refusing a sign-in, each with a page of its own. */
export type SignInReason =
  | SignInFault
  /** The browser brought no state, another one, or one that is too old or was used. */
  | "state"
  /** The provider says no. */
  | "denied"
  /** The answer of the provider does not hold. */
  | "invalid"
  /** Its claims name nobody. */
  | "nameless"
  /** Claims that the configuration asks for are not there. */
  | "claims"
  /** Its claims leave the groups out. */
  | "groups"
  | "provider_away"
  | "busy";

/** A sign-in that is refused. */
export class SignInRefused extends Error {
  readonly reason: SignInReason;
  readonly way: SignInWay | undefined;
  /** Name of the person at the provider, where it is known. */
  readonly username: string | undefined;

  constructor(reason: SignInReason, way?: SignInWay, more: { username?: string; cause?: unknown } = {}) {
    super(`sign-in refused: ${reason}`, { cause: more.cause });
    this.reason = reason;
    this.way = way;
    this.username = more.username;
  }
}

/** Hears of a person, by the name of the issuer and that of the person there. */
export type OnUnknown = (person: { readonly issuer: string; readonly user: string }) => void;

/** Signs people in. */
export interface SignIn {
  /** In the order of the configuration. */
  readonly ways: readonly SignInWay[];
  /** The configured origin of a request; undefined where its host has none. */
  originOf(host: string | undefined): string | undefined;
  /**
   * Begins a sign-in.
   * @param next the path to go to afterwards, as it was given; anything else than a path of this origin is `/`
   * @throws SignInRefused
   */
  begin(
    name: string,
    at: { readonly origin: string; readonly next: string | undefined },
  ): Promise<BegunSignIn>;
  /**
   * Finishes a sign-in.
   * @param query of the request with which the browser comes back
   * @param state the values of the cookie, of which there must be one
   * @param source address of the browser, which bounds how many it has under way
   * @param onUnknown told of the person where nobody knows whether its user was made or changed
   * @throws SignInRefused; "outcome_unknown"
   */
  finish(
    query: string,
    at: { readonly state: readonly string[]; readonly source: string; readonly onUnknown: OnUnknown },
  ): Promise<FinishedSignIn>;
  /**
   * Signs in the person of a code that a client of a data server got (spec/sign-in §3): finds, links or makes the user.
   * @param name of the issuer
   * @param source the data server, which bounds how many it has under way
   * @param onUnknown told of the person where nobody knows whether its user was made or changed
   * @returns the person's external id here, and the claims that are texts
   * @throws SignInRefused; "outcome_unknown"
   */
  withCode(
    name: string,
    code: ForeignCode,
    at: { readonly source: string; readonly onUnknown: OnUnknown },
  ): Promise<{
    readonly username: string;
    readonly externalId: string;
    readonly claims: ReadonlyMap<string, string>;
    readonly isNew: boolean;
  }>;
  /**
   * The address at which somebody whom an issuer signed in signs out there, too; undefined where there is none, or the
   * provider cannot be asked.
   * @param name of the issuer
   */
  signOutUrl(name: string, origin: string): Promise<string | undefined>;
  /** The value of the data server's session cookie for a login token; undefined for a token that is too long. */
  dataServerSession(token: string): string | undefined;
}

/** Opens signing in with identity providers. `sign-in.ts` is the contract. */

import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { JWTPayload } from "jose";
import type { Directory } from "../directory/directory.ts";
import { PlacesBySource } from "../identity/places-by-source.ts";
import { KnownSecret } from "../identity/secret-comparison.ts";
import { sealSession } from "../identity/session-cookies/sealed-cookie.ts";
import type { ForeignCode } from "./foreign-code.ts";
import { nextPath } from "./next-path.ts";
import { type PersonRules, personOf } from "./person.ts";
import type { Provider } from "./provider.ts";
import { type SignInState, StateSeal } from "./sealed-state.ts";
import { type FinishedSignIn, type OnUnknown, type SignIn, SignInRefused } from "./sign-in.ts";

/** A provider with the rules for its people. */
export interface SignInProvider {
  readonly provider: Provider;
  readonly rules: PersonRules;
}

/** Options of {@link openSignIn}. */
interface SignInOptions {
  /** In the order in which they are offered. */
  readonly providers: readonly SignInProvider[];
  /** `authorizer.sign_in.origins`. */
  readonly origins: readonly string[];
  readonly directory: Pick<Directory, "provisioning" | "tokenClaims" | "actingFor">;
  /** True for the name of a group that no claim gives unless it is named literally. */
  readonly isProtected: (group: string) => boolean;
  /** `auth.encrypt.secret_key`, then `authorizer.previous_secret_key`. */
  readonly secrets: readonly [string, ...string[]];
}

/** Most sign-ins that wait for providers at once: of all, and of one address. */
const MOST_UNDER_WAY = 64;
const MOST_OF_ONE = 8;
const RANDOM_BYTES = 32;
/** Time in which a provider has to say where one signs out, milliseconds. */
const LONGEST_WAIT_MS = 500;

/** Opens signing in; undefined where no provider is configured. */
export function openSignIn(options: SignInOptions): SignIn | undefined {
  return options.providers.length === 0 ? undefined : new OpenedSignIn(options);
}

class OpenedSignIn implements SignIn {
  readonly ways: SignIn["ways"];
  readonly #options: SignInOptions;
  readonly #seal: StateSeal;
  readonly #byName: ReadonlyMap<string, SignInProvider>;
  readonly #places = new PlacesBySource({ ofAll: MOST_UNDER_WAY, ofOne: MOST_OF_ONE });

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#seal = new StateSeal(options.secrets);
    this.#byName = new Map(options.providers.map((one) => [one.rules.way.name, one]));
    this.ways = options.providers.map(({ rules }) => rules.way);
  }

  originOf(host: string | undefined): string | undefined {
    const { origins } = this.#options;
    const found = origins.find((origin) => new URL(origin).host === host?.toLowerCase());
    // Behind a proxy the host may be another one; with one origin there is no doubt.
    return found ?? (origins.length === 1 ? origins[0] : undefined);
  }

  async begin(
    name: string,
    { origin, next }: { readonly origin: string; readonly next: string | undefined },
  ) {
    const found = this.#byName.get(name);
    if (found === undefined) throw new SignInRefused("state");
    const state: SignInState = {
      id: randomText(),
      nonce: randomText(),
      verifier: randomText(),
      issuer: name,
      origin,
      next: nextPath(next),
    };
    const location = await found.provider.authorizationUrl(state);
    return { location, state: await this.#seal.seal(state) };
  }

  async finish(
    query: string,
    { state: shown, source, onUnknown }: Parameters<SignIn["finish"]>[1],
  ): Promise<FinishedSignIn> {
    const [sealed, second] = shown;
    // A second cookie of the name was set by somebody else.
    const opened = sealed === undefined || second !== undefined ? undefined : await this.#seal.open(sealed);
    const { state, until } = opened ?? refused("state");
    const found = this.#byName.get(state.issuer) ?? refused("state");
    if (!this.#options.origins.includes(state.origin)) throw new SignInRefused("state");
    const given = new URLSearchParams(query).getAll("state");
    if (given.length !== 1 || !new KnownSecret(state.id).isSame(given[0] as string)) {
      throw new SignInRefused("state", found.rules.way);
    }
    await this.#useUp(state, until, found);
    const claims = await this.#places.run(
      source,
      () => found.provider.claims(query, state),
      () => new SignInRefused("busy", found.rules.way),
    );
    const { outcome } = await this.#signedIn(claims, found, onUnknown);
    const identity = Object.freeze({
      username: outcome.username,
      userId: outcome.userId,
      how: "login_token" as const,
      issuer: found.rules.way.name,
    });
    return { identity, way: found.rules.way, next: state.next, isNew: outcome.isNew };
  }

  async withCode(name: string, code: ForeignCode, { source, onUnknown }: Parameters<SignIn["withCode"]>[2]) {
    const found = this.#byName.get(name) ?? refused("state");
    const claims = await this.#places.run(
      source,
      () => found.provider.claimsForCode(code),
      () => new SignInRefused("busy", found.rules.way),
    );
    const { outcome, person } = await this.#signedIn(claims, found, onUnknown);
    const texts = Object.entries(claims).flatMap(([claim, value]): [string, string][] =>
      typeof value === "string" ? [[claim, value]] : [],
    );
    const { username, isNew } = outcome;
    return { username, isNew, externalId: person.externalId, claims: new Map(texts) };
  }

  async signOutUrl(name: string, origin: string): Promise<string | undefined> {
    const asked = this.#byName.get(name)?.provider.signOutUrl(`${origin}/login`);
    // The session and the sign-out here wait for no provider, and work whatever its document says.
    const known = asked?.catch(() => undefined);
    return Promise.race([known, wait(LONGEST_WAIT_MS, undefined, { ref: false })]);
  }

  /** The user of verified claims. */
  async #signedIn(claims: JWTPayload, { rules }: SignInProvider, onUnknown: OnUnknown) {
    const person = personOf(claims, rules);
    const { directory, isProtected } = this.#options;
    const { username, issuer } = person;
    const signedIn = directory.actingFor({ name: `oidc:${issuer}` }, () =>
      directory.provisioning(isProtected).signIn(person),
    );
    const outcome = await signedIn.catch((error: unknown) => {
      if (isErrorCode(error, "outcome_unknown")) onUnknown({ issuer, user: username });
      throw error;
    });
    if ("fault" in outcome) throw new SignInRefused(outcome.fault, rules.way, { username });
    return { outcome, person };
  }

  dataServerSession(token: string): string | undefined {
    const issuedAt = Math.floor(Date.now() / 1_000);
    const key = Buffer.from(this.#options.secrets[0]);
    return sealSession("internal_auth_session", { key: "token", token }, { key, issuedAt });
  }

  /** Each state serves once, on all nodes. */
  async #useUp(state: SignInState, until: number, { rules }: SignInProvider): Promise<void> {
    try {
      await this.#options.directory.tokenClaims.claim(`sign-in:${state.id}`, until);
    } catch (cause) {
      if (!isErrorCode(cause, "invalid_request")) throw cause;
      throw new SignInRefused("state", rules.way, { cause });
    }
  }
}

function randomText(): string {
  return randomBytes(RANDOM_BYTES).toString("base64url");
}

function refused(reason: "state"): never {
  throw new SignInRefused(reason);
}

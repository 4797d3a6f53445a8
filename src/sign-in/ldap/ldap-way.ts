/** Signing in with an account of an LDAP directory (spec/sign-in §1, spec/sign-in §8). */

import { compileWildcard } from "@svc-authorizer/policy/engine/patterns/wildcard.ts";
import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import type { Directory } from "../../directory/directory.ts";
import { sourceOf } from "../../identity/failed-attempts.ts";
import { PlacesBySource } from "../../identity/places-by-source.ts";
import type { PasswordAttempt, PasswordPerson, PasswordWay } from "../password-sign-in.ts";
import { passwordUser } from "../password-user.ts";
import { type OnUnknown, SignInRefused, type SignInWay } from "../sign-in.ts";
import type { LdapDirectory, LdapPerson } from "./ldap-directory.ts";

/** The name of this provider, before external ids and in marks of memberships. */
export const LDAP = "ldap";
const SOURCE = "ldap";

/** The parts. */
interface LdapParts {
  readonly title: string;
  readonly ldap: Pick<LdapDirectory, "find">;
  readonly directory: Pick<Directory, "provisioning" | "actingFor">;
  /** True for the name of a group that no provider gives unless it is named literally. */
  readonly isProtected: (group: string) => boolean;
  readonly assertGroups: readonly string[];
  readonly createUsers: boolean;
  readonly directoryUsers: boolean;
  /** Told of what went wrong at the server. */
  readonly onFault: (cause: unknown) => void;
}

/** Most sign-ins that wait for the server at once: of all, and of one address. */
const MOST_UNDER_WAY = 64;
const MOST_OF_ONE = 32;

/** The way. */
export class LdapWay implements PasswordWay {
  readonly isElsewhere = true;
  readonly way: SignInWay;
  readonly #parts: LdapParts;
  readonly #patterns: readonly ReturnType<typeof compileWildcard>[];
  readonly #places = new PlacesBySource({ ofAll: MOST_UNDER_WAY, ofOne: MOST_OF_ONE });

  constructor(parts: LdapParts) {
    this.#parts = parts;
    this.way = { name: LDAP, title: parts.title };
    this.#patterns = parts.assertGroups.map(compileWildcard);
  }

  async verify(attempt: PasswordAttempt): Promise<PasswordPerson | undefined> {
    const { username, password, source, onUnknown } = attempt;
    if (!isPossibleName(username)) return undefined;
    const person = await this.#places.run(
      sourceOf(source),
      () => this.#ask(username, password),
      () => new SignInRefused("busy", this.way),
    );
    return person === undefined ? undefined : this.#userOf(person, onUnknown);
  }

  async #ask(username: string, password: string): Promise<LdapPerson | undefined> {
    try {
      return await this.#parts.ldap.find(username, password);
    } catch (cause) {
      this.#parts.onFault(cause);
      throw new SignInRefused("provider_away", this.way, { cause });
    }
  }

  /** @throws SignInRefused for a person who is known and has no user here */
  #userOf(
    { username, externalId, groups }: LdapPerson,
    onUnknown: OnUnknown | undefined,
  ): Promise<PasswordPerson> {
    const { directory, isProtected, assertGroups, createUsers, directoryUsers } = this.#parts;
    const person = {
      issuer: LDAP,
      source: SOURCE,
      externalId: externalId === undefined ? "" : `${LDAP}:${externalId}`,
      username,
      groups: groups.filter((name) => isPossibleName(name) && this.#patterns.some((one) => one.match(name))),
      initialGroups: [],
      // A pattern says nothing about a group that makes administrators.
      isNamed: (group: string) => !/[*?]/.test(group) && assertGroups.includes(group),
      friendlyName: undefined,
      mayCreate: createUsers,
      byName: directoryUsers,
    };
    return passwordUser(person, { directory, isProtected, way: this.way, onUnknown });
  }
}

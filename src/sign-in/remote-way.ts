/**
 * Signing in with names and passwords of a remote server, by the protocol of a data server's remote authenticator
 * (spec/sign-in §4).
 */

import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import type { Directory } from "../directory/directory.ts";
import { sourceOf } from "../identity/failed-attempts.ts";
import { PlacesBySource } from "../identity/places-by-source.ts";
import { askRemote } from "./ask-remote.ts";
import type { PasswordAttempt, PasswordPerson, PasswordWay } from "./password-sign-in.ts";
import { passwordUser } from "./password-user.ts";
import { type OnUnknown, SignInRefused } from "./sign-in.ts";

/** The name of this provider, before external ids and in marks of memberships. */
export const REMOTE = "remote";

const MOST_UNDER_WAY = 64;
const MOST_OF_ONE = 32;

/** The parts. */
interface RemoteParts {
  readonly endpoint: URL;
  readonly timeoutMs: number;
  /** `auth.remote_authenticator.default_user_group`. */
  readonly defaultGroup: string;
  readonly directory: Pick<Directory, "provisioning" | "actingFor">;
  readonly isProtected: (group: string) => boolean;
  /** Told of what went wrong, without anything that somebody typed. */
  readonly onFault: (cause: unknown) => void;
}

/** The way. */
export class RemoteWay implements PasswordWay {
  readonly isElsewhere = true;
  readonly way = { name: REMOTE, title: "Password" };
  readonly #parts: RemoteParts;
  readonly #places = new PlacesBySource({ ofAll: MOST_UNDER_WAY, ofOne: MOST_OF_ONE });

  constructor(parts: RemoteParts) {
    this.#parts = parts;
  }

  async verify(attempt: PasswordAttempt): Promise<PasswordPerson | undefined> {
    const { username, password, source, onUnknown } = attempt;
    if (!isPossibleName(username)) return undefined;
    const name = await this.#places.run(
      sourceOf(source),
      () => this.#ask(username, password),
      () => new SignInRefused("busy", this.way),
    );
    return name === undefined ? undefined : this.#userOf(name, onUnknown);
  }

  /** The name of an authenticated person; undefined where the server refuses. */
  async #ask(username: string, password: string): Promise<string | undefined> {
    const { endpoint, timeoutMs, onFault } = this.#parts;
    try {
      const { status, json } = await askRemote(endpoint, { body: { username, password }, timeoutMs });
      return status >= 200 && status < 300 ? (nameIn(json) ?? username) : undefined;
    } catch (cause) {
      onFault(cause);
      throw new SignInRefused("provider_away", this.way, { cause });
    }
  }

  /** @throws SignInRefused for a person who is known and has no user here */
  #userOf(username: string, onUnknown: OnUnknown | undefined): Promise<PasswordPerson> {
    const { directory, isProtected, defaultGroup } = this.#parts;
    const person = {
      issuer: REMOTE,
      source: "remote_authenticator",
      externalId: `${REMOTE}:${username}`,
      username,
      groups: [],
      initialGroups: defaultGroup === "" ? [] : [defaultGroup],
      needsInitialGroups: true as const,
      // The configuration names it literally.
      isNamed: (group: string) => group === defaultGroup,
      friendlyName: undefined,
      mayCreate: true,
      byName: false,
    };
    return passwordUser(person, { directory, isProtected, way: this.way, onUnknown });
  }
}

/** @throws Error for a name that is none */
function nameIn({ external_user_identifier: name }: Readonly<Record<string, unknown>>): string | undefined {
  if (name === undefined || name === null || name === "") return undefined;
  if (typeof name !== "string") throw new Error("external_user_identifier is no text");
  return name;
}

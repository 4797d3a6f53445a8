/**
 * Signing in with names and passwords of a remote server, by the protocol of a data server's remote authenticator
 * (spec/sign-in §4).
 */

import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import { boundedBody } from "../bounded-body.ts";
import type { Directory } from "../directory/directory.ts";
import { sourceOf } from "../identity/failed-attempts.ts";
import { PlacesBySource } from "../identity/places-by-source.ts";
import type { PasswordAttempt, PasswordPerson, PasswordWay } from "./password-sign-in.ts";
import { passwordUser } from "./password-user.ts";
import { SignInRefused } from "./sign-in.ts";

/** The name of this provider, before external ids and in marks of memberships. */
export const REMOTE = "remote";
/** Marks calls of this service, which its own authentication API refuses: it would ask itself. */
export const REMOTE_MARK = "x-svc-remote-authenticator";

const MOST_UNDER_WAY = 64;
const MOST_OF_ONE = 32;
const LARGEST_BYTES = 65_536;
const UTF_8 = new TextDecoder("utf-8", { fatal: true });

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

  async verify({ username, password, source }: PasswordAttempt): Promise<PasswordPerson | undefined> {
    if (!isPossibleName(username)) return undefined;
    const name = await this.#places.run(
      sourceOf(source),
      () => this.#ask(username, password),
      () => new SignInRefused("busy", this.way),
    );
    return name === undefined ? undefined : this.#userOf(name);
  }

  /** The name of an authenticated person; undefined where the server refuses. */
  async #ask(username: string, password: string): Promise<string | undefined> {
    const { endpoint, timeoutMs, onFault } = this.#parts;
    try {
      const answer = await fetch(endpoint, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json", [REMOTE_MARK]: "1" },
        body: JSON.stringify({ username, password }),
        signal: AbortSignal.timeout(timeoutMs),
        redirect: "manual",
      });
      if (answer.status >= 500) throw new Error(`status ${answer.status}`);
      if (!answer.ok) {
        await answer.body?.cancel();
        return undefined;
      }
      return nameIn(UTF_8.decode(await boundedBody(answer.body, LARGEST_BYTES))) ?? username;
    } catch (cause) {
      onFault(cause);
      throw new SignInRefused("provider_away", this.way, { cause });
    }
  }

  /** @throws SignInRefused for a person who is known and has no user here */
  #userOf(username: string): Promise<PasswordPerson> {
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
    return passwordUser(person, { directory, isProtected, way: this.way });
  }
}

/** @throws Error for an answer that is no JSON: then nothing says that somebody was authenticated */
function nameIn(text: string): string | undefined {
  const answer = JSON.parse(text) as { readonly external_user_identifier?: unknown } | null;
  if (typeof answer !== "object" || answer === null || Array.isArray(answer))
    throw new Error("no JSON object");
  const { external_user_identifier: name } = answer;
  if (name === undefined || name === null || name === "") return undefined;
  if (typeof name !== "string") throw new Error("external_user_identifier is no text");
  return name;
}

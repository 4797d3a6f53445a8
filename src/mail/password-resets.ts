/**
 * Mails with which users set new passwords (spec/sign-in §6). They go to stored addresses only, and whoever asks does not learn
 * whether an address is one.
 */

import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { User } from "@svc-authorizer/policy/model/entities.ts";
import type { Directory } from "../directory/directory.ts";
import type { Invitations } from "./invitations.ts";
import type { MailLog } from "./ports.ts";

/** The parts. */
interface ResetParts {
  readonly directory: { readonly users: Pick<Directory["users"], "get" | "list"> } & Pick<
    Directory,
    "sessions"
  >;
  readonly invitations: Pick<Invitations, "sendReset">;
  /** True for a user whose password is kept elsewhere. */
  readonly isOfProvider: (user: User) => boolean;
  readonly log: MailLog;
}

/** Most requests that are worked on; further ones are dropped. */
const MOST_PENDING = 32;
/** Most users with one address that get a mail. */
const MOST_USERS = 5;

/** Sends the mails. */
export class PasswordResets {
  readonly #parts: ResetParts;
  readonly #pending = new Set<Promise<void>>();
  /** Whether somebody had the address, by the call that asked. */
  readonly #asked = new WeakMap<object, Promise<boolean>>();

  constructor(parts: ResetParts) {
    this.#parts = parts;
  }

  /**
   * Looks for the users of an address and sends their mails, in the background: the time of an answer tells nothing.
   * @param call that asks; where it asks again, as the state has moved, it is only for who was not there before
   */
  ask(email: string, call: object): void {
    const before = this.#asked.get(call) ?? Promise.resolve(false);
    const isDropped = this.#pending.size >= MOST_PENDING;
    const found = isDropped ? before : before.then((wasThere) => wasThere || this.#ask(email));
    this.#asked.set(call, found);
    const done: Promise<void> = found.then(() => void this.#pending.delete(done));
    this.#pending.add(done);
  }

  /** True for a call that has asked before. */
  hasAsked(call: object): boolean {
    return this.#asked.has(call);
  }

  /** Resolves when the mails that were asked for are queued. */
  async close(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** Returns whether somebody has the address. */
  async #ask(email: string): Promise<boolean> {
    const { directory, log } = this.#parts;
    try {
      const { results } = await directory.users.list({ amount: MOST_USERS }, { email });
      for (const user of results) if (this.#reasonAgainst(user) === undefined) await this.#send(user);
      return results.length > 0;
    } catch (error) {
      log.warn("a mail for a new password cannot be queued", { error });
      return true;
    }
  }

  /**
   * Sends a mail to a user.
   * @throws AuthorizerError "invalid_request" that says why there is none; "not_found" for an unknown user
   */
  async send(username: string): Promise<void> {
    const user = await this.#parts.directory.users.get(username);
    const reason = this.#reasonAgainst(user);
    if (reason !== undefined) throw new AuthorizerError("invalid_request", reason);
    if (await this.#send(user)) return;
    const message = "the user got three mails for a new password within an hour; wait until the next one";
    throw new AuthorizerError("invalid_request", message);
  }

  #reasonAgainst(user: User): string | undefined {
    if (user.inactive === true) return "the user is deactivated";
    if (user.email === undefined) return "the user has no e-mail address";
    if (this.#parts.isOfProvider(user)) return "the password of the user is kept by an identity provider";
    return undefined;
  }

  async #send({ username, email = "" }: User): Promise<boolean> {
    const { directory, invitations } = this.#parts;
    const { userId } = await directory.sessions.get(username);
    try {
      return await invitations.sendReset({ username, email, userId });
    } catch (error) {
      // Somebody else asked for this user at the same moment.
      if (!isErrorCode(error, "conflict")) throw error;
      return true;
    }
  }
}

/** Builds the invitations of a service over its store and directory: `invitations.ts` is their contract. */

import { randomUUID } from "node:crypto";
import { AuthorizerError, isErrorCode, type Problem } from "@svc-authorizer/policy/errors.ts";
import { emailProblem, userNameProblem } from "@svc-authorizer/policy/model/names.ts";
import { type Store, withSnapshot } from "../store/port.ts";
import { isAddress } from "./addresses.ts";
import { findUser } from "./find-user.ts";
import type { InvitationState, Invitations, Invitee, RedeemedInvitation } from "./invitations.ts";
import { Outbox } from "./outbox.ts";
import {
  createMailCounters,
  type MailCounters,
  type MailDirectory,
  type MailLog,
  type MailSeal,
} from "./ports.ts";
import type { InvitationRecord, MailRecord } from "./records.ts";
import { Sender } from "./sender.ts";
import { type MailConfig, type MailSettings, mailSettings } from "./settings.ts";
import { type SendMail, smtpSender } from "./smtp.ts";
import { MAIL_TIMING, type MailTiming } from "./timing.ts";
import { hashToken, isToken, newToken } from "./tokens.ts";

/** The parts that invitations are built from. */
interface InvitationParts {
  readonly store: Store;
  readonly directory: MailDirectory;
  readonly seal: MailSeal;
  readonly log: MailLog;
  readonly config: MailConfig;
  /** Default {@link MAIL_TIMING}. */
  readonly timing?: Partial<MailTiming>;
  /** Unix milliseconds; default the clock. */
  readonly now?: () => number;
}

/** Invitations with the values that metrics read. */
export interface OpenedInvitations extends Invitations {
  /** True if the configuration allows mails to be sent. */
  readonly available: boolean;
  readonly counters: MailCounters;
  /** Looks into the queue now: for who commits what another process of the service asked for. */
  wake(): void;
}

/** The settings, or the error with which every invitation is refused. */
function settingsOrRefusal(config: MailConfig): MailSettings | AuthorizerError {
  try {
    return mailSettings(config);
  } catch (error) {
    if (isErrorCode(error, "invalid_request")) return error;
    throw error;
  }
}

/** Opens invitations. Reads and sends nothing before {@link Invitations.start}. */
export function openInvitations(parts: InvitationParts): OpenedInvitations {
  return new MailedInvitations(parts);
}

class MailedInvitations implements OpenedInvitations {
  readonly counters = createMailCounters();
  readonly available: boolean;
  readonly #parts: InvitationParts;
  readonly #outbox: Outbox;
  readonly #timing: MailTiming;
  readonly #now: () => number;
  readonly #settings: MailSettings | AuthorizerError;
  readonly #sender: Sender | undefined;

  constructor(parts: InvitationParts) {
    this.#parts = parts;
    this.#outbox = new Outbox(parts.store);
    this.#timing = { ...MAIL_TIMING, ...parts.timing };
    this.#now = parts.now ?? Date.now;
    this.#settings = settingsOrRefusal(parts.config);
    this.available = !(this.#settings instanceof AuthorizerError);
    this.#sender = this.#settings instanceof AuthorizerError ? undefined : this.#newSender(this.#settings);
  }

  #newSender(settings: MailSettings): Sender {
    const { directory, seal, log } = this.#parts;
    const send: SendMail = smtpSender(settings.smtp);
    const [outbox, counters, timing, now] = [this.#outbox, this.counters, this.#timing, this.#now];
    return new Sender({ outbox, directory, seal, settings, send, counters, log, timing, now });
  }

  async invite({ username, email }: Invitee): Promise<void> {
    const settings = this.#settings;
    // A new error each time: the stack of a shared one would point to the start of the service.
    if (settings instanceof AuthorizerError) throw new AuthorizerError(settings.code, settings.message);
    assertInvitee(username, email);
    // The holder of a link takes over the account, so an existing account must not be invited.
    if ((await findUser(this.#parts.directory, username)) !== undefined) {
      throw new AuthorizerError("already_exists", `user ${JSON.stringify(username)} already exists`);
    }
    const id = randomUUID();
    const token = newToken();
    const now = this.#now();
    const expires_at = now + this.#timing.invitationMs;
    const mail: MailRecord = {
      id,
      username,
      email,
      secret: this.#parts.seal.seal(token, { mailId: id, username, email }),
      invitation: hashToken(token),
      message_id: `<${id}@${settings.sender.address.split("@")[1]}>`,
      queued_at: now,
      expires_at,
      attempts: 0,
    };
    await this.#outbox.add(mail, now + this.#timing.firstLookMs, { username, email, expires_at });
    this.counters.queued += 1;
    this.#sender?.wake();
  }

  async redeem(token: string): Promise<RedeemedInvitation> {
    const found = await this.#find(token);
    if (found?.state !== "open") throw unknownInvitation();
    const { key, version, record } = found;
    const { username, email, user_id: userId } = record;
    const value = JSON.stringify({ ...record, redeemed_at: this.#now() } satisfies InvitationRecord);
    try {
      await this.#parts.store.commit({
        expect: [{ partition: "invitation", key, version }],
        put: [{ partition: "invitation", key, value }],
      });
    } catch (error) {
      // Another process was first.
      if (isErrorCode(error, "conflict")) throw unknownInvitation();
      throw error;
    }
    return { username, email, userId: userId as string };
  }

  async state(token: string): Promise<InvitationState> {
    return (await this.#find(token))?.state ?? "unknown";
  }

  /** The record of a token with its state; undefined for a token that no record has. */
  async #find(token: string) {
    if (!isToken(token)) return undefined;
    const key = hashToken(token);
    const stored = await withSnapshot(this.#parts.store, (snapshot) => snapshot.get("invitation", key));
    if (stored === undefined) return undefined;
    const record = JSON.parse(stored.value) as InvitationRecord;
    return { key, version: stored.version, record, state: await this.#stateOf(record) };
  }

  async #stateOf({ username, user_id, expires_at, redeemed_at }: InvitationRecord): Promise<InvitationState> {
    if (redeemed_at !== undefined) return "used";
    if (expires_at <= this.#now()) return "expired";
    // Before the first attempt to send, nobody can have the link.
    if (user_id === undefined) return "unknown";
    return (await this.#parts.directory.principal(username))?.id === user_id ? "open" : "withdrawn";
  }

  start(): void {
    this.#sender?.start();
    if (this.#sender === undefined) void this.#tellOfStuckMails();
  }

  wake(): void {
    this.#sender?.wake();
  }

  async close(): Promise<void> {
    await this.#sender?.close();
  }

  /** Warns about mails of an earlier configuration that wait for a configuration that can send them. */
  async #tellOfStuckMails(): Promise<void> {
    try {
      const first = await this.#outbox.first();
      const reason = this.#settings instanceof AuthorizerError ? this.#settings.message : "";
      if (first !== undefined) this.#parts.log.warn("queued mails are not sent", { reason });
    } catch {
      // The store fails or is closing: its health check reports it.
    }
  }
}

function unknownInvitation(): AuthorizerError {
  return new AuthorizerError("not_found", "the invitation is unknown, was used or has expired");
}

function assertInvitee(username: string, email: string): void {
  const problems: Problem[] = [];
  // Lenient: the creation of the user decides which names are allowed.
  const nameProblem = userNameProblem(username, "lenient");
  if (nameProblem !== undefined) problems.push({ pointer: "/username", message: nameProblem });
  const addressProblem =
    emailProblem(email) ??
    (isAddress(email) ? undefined : "an e-mail address that is invited must be of the form local@domain");
  if (addressProblem !== undefined) problems.push({ pointer: "/email", message: addressProblem });
  const [first] = problems;
  if (first !== undefined) {
    throw new AuthorizerError("invalid_request", problems.map(({ message }) => message).join("; "), {
      problems,
    });
  }
}

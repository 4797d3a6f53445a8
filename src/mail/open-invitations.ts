/** Builds the invitations of a service over its store and directory: `invitations.ts` is their contract. */

import { randomUUID } from "node:crypto";
import { AuthorizerError, isErrorCode, type Problem } from "@svc-authorizer/policy/errors.ts";
import { emailProblem, userNameProblem } from "@svc-authorizer/policy/model/names.ts";
import { expectAsRead } from "../store/expectation.ts";
import type { Commit, Snapshot, Store } from "../store/port.ts";
import { readRecord } from "../store/read-record.ts";
import { isAddress } from "./addresses.ts";
import { findUser } from "./find-user.ts";
import type {
  InvitationState,
  Invitations,
  Invitee,
  LinkKind,
  QueuedInvitation,
  RedeemedInvitation,
} from "./invitations.ts";
import { Outbox } from "./outbox.ts";
import {
  createMailCounters,
  type MailCounters,
  type MailDirectory,
  type MailLog,
  type MailSeal,
} from "./ports.ts";
import type { InvitationRecord, MailRecord } from "./records.ts";
import { countReset } from "./reset-limit.ts";
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

  async invite({ username, email }: Invitee): Promise<QueuedInvitation> {
    const settings = this.#settings;
    // A new error each time: the stack of a shared one would point to the start of the service.
    if (settings instanceof AuthorizerError) throw new AuthorizerError(settings.code, settings.message);
    assertInvitee(username, email);
    // The holder of a link takes over the account, so an existing account must not be invited.
    if ((await findUser(this.#parts.directory, username)) !== undefined) {
      throw new AuthorizerError("already_exists", `user ${JSON.stringify(username)} already exists`);
    }
    const now = this.#now();
    const expires_at = now + this.#timing.invitationMs;
    const mail = this.#mailOf({ username, email }, { settings, now, expires_at });
    const userId = this.#parts.directory.users.newId();
    await this.#queue(mail, { username, email, user_id: userId, expires_at });
    return { userId, withdraw: () => this.#outbox.withdraw(mail.invitation) };
  }

  async sendReset({ username, email, userId: user_id }: RedeemedInvitation): Promise<boolean> {
    const settings = this.#settings;
    if (settings instanceof AuthorizerError) throw new AuthorizerError(settings.code, settings.message);
    const now = this.#now();
    const limit = await countReset(this.#parts.store, user_id, now);
    if (limit === undefined) return false;
    const expires_at = now + this.#timing.resetMs;
    const kind = "reset" as const;
    const mail = { ...this.#mailOf({ username, email }, { settings, now, expires_at }), kind };
    const { since } = await this.#parts.directory.sessions.get(username);
    await this.#queue(mail, { kind, username, email, user_id, queued_at: now, since, expires_at }, limit);
    return true;
  }

  #mailOf(
    { username, email }: Invitee,
    { settings, now, expires_at }: { settings: MailSettings; now: number; expires_at: number },
  ): MailRecord {
    const id = randomUUID();
    const token = newToken();
    return {
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
  }

  async #queue(mail: MailRecord, link: InvitationRecord, more: Pick<Commit, "expect" | "put"> = {}) {
    await this.#outbox.add(mail, mail.queued_at + this.#timing.firstLookMs, link, more);
    this.counters.queued += 1;
    this.#sender?.wake();
  }

  async openFor(token: string, kind: LinkKind = "invitation"): Promise<RedeemedInvitation | undefined> {
    const found = await this.#find(token, kind);
    if (found?.state !== "open") return undefined;
    const { username, email, user_id: userId = "" } = found.record;
    return { username, email, userId };
  }

  async redeem<T>(token: string, kind: LinkKind, give: (user: RedeemedInvitation) => Promise<T>): Promise<T> {
    const found = await this.#find(token, kind);
    if (found?.state !== "open") throw unknownInvitation();
    const { username, email, user_id: userId, since } = found.record;
    const user = { username, email, userId: userId as string, ...(since !== undefined && { since }) };
    const used = (snapshot: Snapshot) => this.#used(found.key, snapshot);
    return this.#parts.directory.writingBeside(used, () => give(user));
  }

  /** The writes that use a link up for good: a state that is put back keeps claims, and not what became of mails. */
  async #used(key: string, snapshot: Snapshot): ReturnType<Parameters<MailDirectory["writingBeside"]>[0]> {
    const name = { partition: "invitation", key };
    const stored = await snapshot.get(name.partition, key);
    const record = stored && (JSON.parse(stored.value) as InvitationRecord);
    // Another one was first.
    if (record === undefined || record.redeemed_at !== undefined || record.expires_at <= this.#now())
      throw unknownInvitation();
    const value = JSON.stringify({ ...record, redeemed_at: this.#now() } satisfies InvitationRecord);
    return {
      expect: [expectAsRead(snapshot, name, stored)],
      put: [{ ...name, value }],
      claim: { tokenId: `link:${key}`, expiresAt: Math.ceil(record.expires_at / 1_000) },
    };
  }

  async state(token: string, kind: LinkKind = "invitation"): Promise<InvitationState> {
    return (await this.#find(token, kind))?.state ?? "unknown";
  }

  /** The record of a token with its state; undefined for a token that no record has. */
  async #find(token: string, kind: LinkKind) {
    if (!isToken(token)) return undefined;
    const key = hashToken(token);
    const { stored } = await readRecord(this.#parts.store, { partition: "invitation", key });
    if (stored === undefined) return undefined;
    const record = JSON.parse(stored.value) as InvitationRecord;
    if ((record.kind ?? "invitation") !== kind) return undefined;
    return { key, record, state: await this.#stateOf(record) };
  }

  async #stateOf(record: InvitationRecord): Promise<InvitationState> {
    const { username, user_id, expires_at, redeemed_at } = record;
    if (redeemed_at !== undefined) return "used";
    if (expires_at <= this.#now()) return "expired";
    // Of an earlier version, before the first attempt to send: nobody can have the link.
    if (user_id === undefined) return "unknown";
    if ((await this.#parts.directory.principal(username))?.id !== user_id) return "withdrawn";
    return (await this.#isOutdated(record)) ? "withdrawn" : "open";
  }

  /**
   * True where the user is inactive, has another address now, since the link may have gone to somebody else, or has a password
   * that was set after the link was asked for: for an invitation, any. For a reset, also where the user's sessions have ended.
   */
  async #isOutdated({ username, email, since, queued_at = 0 }: InvitationRecord): Promise<boolean> {
    const { directory } = this.#parts;
    const user = await findUser(directory, username);
    const password = await directory.passwords.find(username);
    const isNewer = password !== undefined && password.setAt >= queued_at;
    if (user?.email !== email || user.inactive === true || isNewer) return true;
    return since !== undefined && (await directory.sessions.get(username)).since !== since;
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

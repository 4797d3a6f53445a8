/** The loop that sends queued mails: one at a time, at the allowed rate, with retries. */

import { randomUUID } from "node:crypto";
import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { findUser } from "./find-user.ts";
import { invitationText, resetText } from "./invitation-text.ts";
import type { Claim, Outbox, QueuedMail } from "./outbox.ts";
import type { MailCounters, MailDirectory, MailLog, MailSeal } from "./ports.ts";
import type { MailRecord } from "./records.ts";
import type { MailSettings } from "./settings.ts";
import { explainFailure, type OutgoingMail, type SendFailure, type SendMail } from "./smtp.ts";
import { backoff, type MailTiming } from "./timing.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Wait after the store failed. */
const STORE_RETRY_MS = 1_000;
/** First wait for a user that is being created. */
const SHORTEST_LOOK_MS = 250;

/** The parts of the loop. */
interface SenderParts {
  readonly outbox: Outbox;
  readonly directory: MailDirectory;
  readonly seal: MailSeal;
  readonly settings: MailSettings;
  readonly send: SendMail;
  readonly counters: MailCounters;
  readonly log: MailLog;
  readonly timing: MailTiming;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** A mail that may be sent now. */
interface Attempt {
  readonly record: MailRecord;
  readonly token: string;
  /** Internal id of its user. */
  readonly userId: string;
}

/** Sends queued mails until it is closed. */
export class Sender {
  readonly #parts: SenderParts;
  readonly #bucket: TokenBucket;
  /** Names this process in the mails that it has claimed. */
  readonly #holder = randomUUID();
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  #stopping = false;
  /** True if {@link wake} was called since the last look into the queue. */
  #woken = false;
  #wakeUp: (() => void) | undefined;
  #serverFailures = 0;
  /** Milliseconds of `performance.now()`: a clock that is set back must not hold up the whole queue. */
  #pausedUntil = 0;
  #purgeAt = 0;

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#bucket = new TokenBucket(parts.settings.rate, parts.now);
  }

  /** Begins; calling it twice is harmless. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Makes the loop look into the queue now. */
  wake(): void {
    this.#woken = true;
    this.#wakeUp?.();
  }

  /** Ends the loop. A running attempt is aborted after a while. */
  async close(): Promise<void> {
    this.#stopping = true;
    this.wake();
    const timer = setTimeout(() => this.#abort.abort(), this.#parts.timing.closeMs);
    await this.#running;
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    const { counters, log, outbox } = this.#parts;
    let counted = false;
    while (!this.#stopping) {
      let waitMs: number;
      this.#woken = false;
      try {
        if (!counted) counters.queued = await outbox.count();
        counted = true;
        waitMs = await this.#step();
      } catch (error) {
        // Another process moved the mail: look again. The health check also reports a failing store.
        const lost = isErrorCode(error, "conflict");
        if (!lost) log.error("the queue of mails cannot be worked on", { error });
        waitMs = lost ? 0 : STORE_RETRY_MS;
      }
      if (waitMs > 0) await this.#sleep(waitMs);
    }
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#woken) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, this.#parts.timing.idleMs));
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wakeUp = undefined;
  }

  /** Handles the next due mail. Returns the milliseconds until there is more to do. */
  async #step(): Promise<number> {
    const { outbox, counters, timing, now } = this.#parts;
    if (now() >= this.#purgeAt) {
      this.#purgeAt = now() + timing.purgeEveryMs;
      await outbox.purge(now() - timing.keptMs);
    }
    const first = await outbox.first();
    if (first === undefined) {
      counters.queued = 0;
      return timing.idleMs;
    }
    const waitMs = Math.max(first.dueAt - now(), this.#pausedUntil - performance.now());
    if (waitMs > 0) return waitMs;
    await this.#settle(first);
    return this.#bucket.waitMs();
  }

  /** Decides whether a due mail is sent, waits or is dropped. */
  async #settle(queued: QueuedMail): Promise<void> {
    const { directory, now } = this.#parts;
    const { record } = queued;
    if (record === undefined) return this.#giveUpDamaged(queued);
    if (record.expires_at <= now()) {
      return this.#giveUp(queued, record, "the link expired before its mail could be sent");
    }
    const token = this.#tokenOf(record);
    if (token === undefined) return this.#giveUp(queued, record, "the stored mail cannot be decrypted");
    const principal = await directory.principal(record.username);
    if (principal === undefined) return this.#waitForUser(queued, record, token);
    const user = await findUser(directory, record.username);
    if (user?.email !== record.email) return this.#drop(queued, record, "the user has another e-mail now");
    if (this.#bucket.waitMs() === 0) await this.#attempt(queued, { record, token, userId: principal.id });
  }

  #tokenOf(record: MailRecord): string | undefined {
    try {
      return this.#parts.seal.open(record.secret, bindingOf(record));
    } catch (error) {
      if (isErrorCode(error, "internal")) return undefined;
      throw error;
    }
  }

  async #waitForUser(queued: QueuedMail, record: MailRecord, token: string): Promise<void> {
    const { outbox, timing, now } = this.#parts;
    const age = now() - record.queued_at;
    if (age >= timing.userWaitMs) return this.#drop(queued, record, "there is no such user");
    const dueAt = now() + Math.max(SHORTEST_LOOK_MS, age);
    await outbox.postpone(queued, this.#sealed(record, token), dueAt);
  }

  /** The record, sealed with the current key: a move must not undo a key rotation. */
  #sealed(record: MailRecord, token: string): MailRecord {
    return { ...record, secret: this.#parts.seal.seal(token, bindingOf(record)) };
  }

  async #attempt(queued: QueuedMail, { record, token, userId }: Attempt): Promise<void> {
    const { outbox, counters, log, timing, now } = this.#parts;
    const begun = {
      ...record,
      attempts: record.attempts + 1,
      first_attempt_at: record.first_attempt_at ?? now(),
    };
    const leased = { ...this.#sealed(begun, token), holder: this.#holder };
    const claim = await outbox.postpone(queued, leased, now() + timing.leaseMs, userId);
    if (claim === false)
      return this.#drop(queued, record, "it was withdrawn or redeemed, or its user was replaced");
    this.#bucket.take();
    const failure = await this.#send(this.#compose(record, token));
    if (failure === undefined) {
      await outbox.remove(claim);
      this.#serverFailures = 0;
      counters.sent += 1;
      counters.queued -= 1;
      log.info(`${nameOf(leased)} was sent`, { ...named(leased), attempts: leased.attempts });
      return;
    }
    this.#bucket.giveBack();
    await this.#afterFailure(claim, leased, failure);
  }

  #compose(record: MailRecord, token: string): OutgoingMail {
    const { sender: from, baseUrl } = this.#parts.settings;
    const { username, email, message_id: messageId, expires_at: expiresAt } = record;
    const write = record.kind === "reset" ? resetText : invitationText;
    const text = write({ username, email, token, expiresAt, baseUrl });
    return { ...text, from, to: email, messageId };
  }

  async #send(mail: OutgoingMail): Promise<SendFailure | undefined> {
    const { send, timing } = this.#parts;
    const timeout = AbortSignal.timeout(timing.sendMs);
    try {
      await send(mail, AbortSignal.any([this.#abort.signal, timeout]));
      return undefined;
    } catch (error) {
      if (timeout.aborted) return { scope: "server", reason: "the mail server took too long" };
      return explainFailure(error);
    }
  }

  async #afterFailure(claim: Claim, record: MailRecord, { scope, reason }: SendFailure): Promise<void> {
    const { outbox, counters, log, timing, now } = this.#parts;
    if (this.#abort.signal.aborted) {
      // Aborted by closing: this is no failure of the mail, and it is due at once after the next start.
      await outbox.replace(claim, { ...record, attempts: record.attempts - 1 }, now());
      return;
    }
    if (scope === "server") {
      this.#serverFailures += 1;
      this.#pausedUntil = performance.now() + backoff(timing, this.#serverFailures, timing.maxPauseMs);
    }
    const age = now() - (record.first_attempt_at ?? now());
    if (scope === "recipient" || record.attempts >= timing.maxAttempts || age >= timing.maxAgeMs) {
      return this.#giveUp(claim, record, reason);
    }
    const dueAt = now() + backoff(timing, record.attempts, timing.maxRetryMs);
    await outbox.replace(claim, record, dueAt);
    counters.retried += 1;
    const next = new Date(dueAt).toISOString();
    log.warn(`${nameOf(record)} could not be sent yet`, {
      ...named(record),
      attempts: record.attempts,
      reason,
      next,
    });
  }

  async #giveUp(claim: Claim, record: MailRecord, reason: string): Promise<void> {
    const { outbox, counters, log, now } = this.#parts;
    const { id, username, email, message_id, queued_at, attempts } = record;
    const failed = { username, email, message_id, queued_at, failed_at: now(), attempts, reason };
    await outbox.fail(claim, id, failed);
    counters.failed += 1;
    counters.queued -= 1;
    log.error(`${nameOf(record)} was given up`, { ...named(record), attempts, reason });
  }

  async #giveUpDamaged(queued: QueuedMail): Promise<void> {
    const { outbox, counters, log } = this.#parts;
    await outbox.remove(queued);
    counters.failed += 1;
    counters.queued -= 1;
    log.error("a queued mail is damaged and was removed", { key: queued.unmoved.key });
  }

  async #drop(queued: QueuedMail, record: MailRecord, reason: string): Promise<void> {
    const { outbox, counters, log } = this.#parts;
    await outbox.drop(queued, record.invitation);
    counters.dropped += 1;
    counters.queued -= 1;
    log.warn(`${nameOf(record)} was dropped`, { ...named(record), reason });
  }
}

function bindingOf({ id, username, email }: MailRecord) {
  return { mailId: id, username, email };
}

/** The fields of a mail for the log. */
function named({ id, username, queued_at }: MailRecord) {
  return { mail: id, username, queued: new Date(queued_at).toISOString() };
}

function nameOf({ kind }: MailRecord): string {
  return kind === "reset" ? "a mail for a new password" : "an invitation";
}

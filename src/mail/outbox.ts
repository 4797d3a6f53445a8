/** The queue of mails in the store: the next due mail, and the moves of a mail through the queue. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { type Expectation, expectAbsent, expectAsRead } from "../store/expectation.ts";
import { type Commit, type RecordName, type Store, withSnapshot } from "../store/port.ts";
import { readRecord } from "../store/read-record.ts";
import {
  dueOf,
  type FailedMailRecord,
  type InvitationRecord,
  type MailRecord,
  outboxKey,
} from "./records.ts";

const PAGE = 1_000;
/** Removals per commit. */
const STEP = 50;

/** A mail at its position in the queue. */
export interface QueuedMail {
  /** The condition of its next move: nobody moved it since. */
  readonly unmoved: Expectation;
  readonly dueAt: number;
  /** Undefined if the record is damaged. */
  readonly record: MailRecord | undefined;
}

function parse<T>(value: string): Partial<T> | undefined {
  try {
    const record: unknown = JSON.parse(value);
    return typeof record === "object" && record !== null ? (record as Partial<T>) : undefined;
  } catch {
    return undefined;
  }
}

/** Decodes a record, or returns undefined if it is damaged: a damaged record must not block the queue. */
function decodeMail(value: string): MailRecord | undefined {
  const record = parse<MailRecord>(value);
  const texts = [record?.id, record?.username, record?.email, record?.secret, record?.invitation];
  const numbers = [record?.queued_at, record?.expires_at, record?.attempts];
  const isSound = texts.every((text) => typeof text === "string") && numbers.every(Number.isFinite);
  return isSound ? (record as MailRecord) : undefined;
}

/** A mail that one process has claimed; every later move expects the claim. */
export type Claim = Pick<QueuedMail, "unmoved">;

/** The queue. Moves throw "conflict" if another process moved the mail meanwhile. */
export class Outbox {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Queues a mail together with its invitation, and with what else the commit has to bring along. */
  async add(
    mail: MailRecord,
    dueAt: number,
    invitation: InvitationRecord,
    more: Pick<Commit, "expect" | "put"> = {},
  ): Promise<void> {
    const unused = expectAbsent({ partition: "invitation", key: mail.invitation });
    await this.#store.commit({
      expect: [unused, ...(more.expect ?? [])],
      put: [
        ...(more.put ?? []),
        { partition: "outbox", key: outboxKey(dueAt, mail.id), value: JSON.stringify(mail) },
        { partition: "invitation", key: mail.invitation, value: JSON.stringify(invitation) },
      ],
    });
  }

  /** The mail that is due first. */
  async first(): Promise<QueuedMail | undefined> {
    return withSnapshot(this.#store, async (snapshot) => {
      const [found] = await snapshot.scan("outbox", { limit: 1 });
      if (found === undefined) return undefined;
      const { key, value } = found;
      const unmoved = expectAsRead(snapshot, { partition: "outbox", key }, found);
      return { unmoved, dueAt: dueOf(key), record: decodeMail(value) };
    });
  }

  /** Mails in the queue. */
  async count(): Promise<number> {
    return withSnapshot(this.#store, async (snapshot) => {
      for (let count = 0, after = ""; ; ) {
        const page = await snapshot.scan("outbox", { limit: PAGE, ...(after !== "" && { after }) });
        count += page.length;
        if (page.length < PAGE) return count;
        after = page.at(-1)!.key;
      }
    });
  }

  /**
   * Moves a mail to a later time, and binds its invitation to the internal id of the user if one is given. Returns the
   * claim on it (spec/journal §5), or false if the invitation no longer exists.
   */
  async postpone(from: Claim, mail: MailRecord, dueAt: number, userId?: string): Promise<Claim | false> {
    const binding = userId === undefined ? {} : await this.#binding(mail, userId);
    if (binding === undefined) return false;
    const key = outboxKey(dueAt, mail.id);
    const revision = await this.#store.commit({
      expect: [from.unmoved, ...(binding.expect ?? [])],
      put: [{ partition: "outbox", key, value: JSON.stringify(mail) }, ...(binding.put ?? [])],
      ...(key !== from.unmoved.key && { delete: [placeOf(from)] }),
    });
    return { unmoved: { ...from.unmoved, key, version: String(revision) } };
  }

  /**
   * The write that binds the invitation of a mail to its user; undefined if the invitation is gone or bound to another
   * user.
   */
  async #binding(mail: MailRecord, userId: string) {
    const key = mail.invitation;
    const { stored, unchanged } = await readRecord(this.#store, { partition: "invitation", key });
    if (stored === undefined) return undefined;
    const record = parse<InvitationRecord>(stored.value);
    if (record === undefined || record.redeemed_at !== undefined) return undefined;
    if (record.user_id !== undefined) return record.user_id === userId ? {} : undefined;
    const value = JSON.stringify({ ...record, user_id: userId });
    return {
      expect: [unchanged],
      put: [{ partition: "invitation", key, value }],
    };
  }

  /** Gives a claimed mail another time. */
  async replace(claim: Claim, mail: MailRecord, dueAt: number): Promise<void> {
    const next = outboxKey(dueAt, mail.id);
    await this.#store.commit({
      expect: [claim.unmoved],
      put: [{ partition: "outbox", key: next, value: JSON.stringify(mail) }],
      ...(next !== claim.unmoved.key && { delete: [placeOf(claim)] }),
    });
  }

  /** Removes a sent mail from the queue. */
  async remove(claim: Claim): Promise<void> {
    await this.#store.commit({ expect: [claim.unmoved], delete: [placeOf(claim)] });
  }

  /** Removes an invitation, whatever becomes of its mail: that is dropped once it would be sent. */
  async withdraw(invitation: string): Promise<void> {
    await this.#store.commit({ delete: [{ partition: "invitation", key: invitation }] });
  }

  /** Removes a mail and its invitation. */
  async drop(claim: Claim, invitation: string): Promise<void> {
    await this.#store.commit({
      expect: [claim.unmoved],
      delete: [placeOf(claim), { partition: "invitation", key: invitation }],
    });
  }

  /** Moves a mail to the failed ones, without its secret. */
  async fail(claim: Claim, id: string, failed: FailedMailRecord): Promise<void> {
    await this.#store.commit({
      expect: [claim.unmoved],
      put: [{ partition: "outbox_failed", key: id, value: JSON.stringify(failed) }],
      delete: [placeOf(claim)],
    });
  }

  /** Removes invitations that expired and mails that failed before a time (Unix milliseconds). */
  async purge(before: number): Promise<void> {
    await this.#removeUnless("invitation", (value) => {
      return (parse<InvitationRecord>(value)?.expires_at ?? 0) >= before;
    });
    await this.#removeUnless("outbox_failed", (value) => {
      return (parse<FailedMailRecord>(value)?.failed_at ?? 0) >= before;
    });
  }

  async #removeUnless(
    partition: "invitation" | "outbox_failed",
    stays: (value: string) => boolean,
  ): Promise<void> {
    for (let after = ""; ; ) {
      const { page, over } = await withSnapshot(this.#store, async (snapshot) => {
        const found = await snapshot.scan(partition, { limit: STEP, ...(after !== "" && { after }) });
        const removed = found.filter(({ value }) => !stays(value));
        return {
          page: found,
          over: removed.map((record) => expectAsRead(snapshot, { partition, key: record.key }, record)),
        };
      });
      if (over.length > 0 && !(await this.#removeUnchanged(over))) continue;
      if (page.length < STEP) return;
      after = page.at(-1)!.key;
    }
  }

  /** False where somebody wrote one of them meanwhile, as another process that removes them, too: nothing is removed then. */
  async #removeUnchanged(expect: readonly Expectation[]): Promise<boolean> {
    try {
      await this.#store.commit({
        expect,
        delete: expect.map(({ partition, key }) => ({ partition, key })),
      });
      return true;
    } catch (error) {
      if (isErrorCode(error, "conflict")) return false;
      throw error;
    }
  }
}

/** The place of a claimed mail in the queue. */
function placeOf({ unmoved: { partition, key } }: Claim): RecordName {
  return { partition, key };
}

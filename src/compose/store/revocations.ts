/** Keeps the revocations of a local store beside it, and holds them where an older state was put in its place. */

import type { ConfigValues } from "../../config/table.ts";
import type { OpenedDirectory } from "../../directory/open-directory.ts";
import type { HeldRevocations } from "../../directory/revocations/hold-revocations.ts";
import { type RevokedState, revokedBy, revokedIn } from "../../directory/revocations/revoked-records.ts";
import type { Logger } from "../../observe/log/logger.ts";
import type { RevocationFile } from "../../store/local/revocation-file.ts";
import type { LogPlace, RevokedRecord } from "../../store/local/revocation-lines.ts";
import type {
  Commit,
  CommittedChange,
  RecordName,
  Stage,
  StagedPiece,
  StageSubject,
  Store,
} from "../../store/port.ts";
import { idOfRecord } from "../../store/record-id.ts";
import { withCalls } from "../../store/with-calls.ts";
import { revocationPath } from "./backends.ts";

/** A claim is known for this time beyond its expiry, as the store keeps it. */
const CLAIM_MARGIN_MS = 24 * 3_600_000;

/** Entries of the log that are read at once. */
const ENTRIES_AT_ONCE = 100;

/** Revocations of a commit as the file keeps them. */
export function toBeKept(
  revoked: readonly RevokedState[],
  revision: number,
  keepMs: number,
): readonly RevokedRecord[] {
  const now = Date.now();
  return revoked.map(({ expires, ...record }) => {
    const until = expires === undefined ? now + keepMs : expires * 1_000 + CLAIM_MARGIN_MS;
    return { ...record, revision, until };
  });
}

/** The revocations of an opened store. */
interface Revocations {
  /** The store, whose commits are looked at. */
  observed(store: Store): Store;
  /** Holds what was revoked, where the store is not the one that was left. */
  hold(directory: OpenedDirectory): Promise<HeldRevocations | undefined>;
  close(): Promise<void>;
}

/**
 * Opens the file of a local store; undefined for another kind of store.
 * @param keepSessions true: login tokens go on after an older state was put back, but those that were ended
 */
export async function openRevocations(
  values: ConfigValues,
  logger: Logger,
  keepSessions: boolean,
): Promise<Revocations | undefined> {
  if (values["database.type"] !== "local") return undefined;
  const { openRevocationFile } = await import("../../store/local/revocation-file.ts");
  const log = {
    info: (fields: object, message: string) => logger.info(message, { ...fields }),
    error: (fields: object, message: string) => logger.error(message, { ...fields }),
  };
  const file = openRevocationFile({ path: revocationPath(values), log });
  return new KeptRevocations({ file, logger, keepSessions, keepMs: values["authorizer.history.keep"] });
}

interface Parts {
  readonly file: RevocationFile;
  readonly logger: Logger;
  readonly keepSessions: boolean;
  readonly keepMs: number;
}

class KeptRevocations implements Revocations {
  readonly #parts: Parts;
  /** The position that the file had when the store was opened. */
  readonly #left: LogPlace | undefined;
  readonly #revoked: readonly RevokedRecord[];
  #store: Store | undefined;
  #newest: CommittedChange | undefined;
  /** Records to be noted once it is sure that nothing was revived: until then, the file says what was left. */
  #waiting: RevokedRecord[] | undefined = [];
  /** Settles when what was written so far is noted. */
  #noted: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#left = parts.file.place;
    this.#revoked = parts.file.records();
  }

  observed(store: Store): Store {
    this.#store = store;
    store.subscribe((change) => {
      this.#newest = change;
    });
    const commit = async (asked: Commit): Promise<number> => {
      await this.#noted;
      const revoked = await revokedBy(store, asked, (name) => this.#isKnown(name));
      const revision = await store.commit(asked);
      await this.#note(revision, revoked);
      return revision;
    };
    const begin = store.stage;
    if (begin === undefined) return withCalls(store, { commit });
    const stage = async (subject: StageSubject): Promise<Stage> =>
      this.#observedStage(store, await begin.call(store, subject));
    return withCalls(store, { commit, stage });
  }

  /** A stage, whose pieces are looked at as they come; what they revoke is noted once all are in force. */
  #observedStage(store: Store, stage: Stage): Stage {
    const revoked = new Map<string, RevokedState>();
    return {
      get isLost() {
        return stage.isLost;
      },
      snapshot: () => stage.snapshot(),
      add: async (piece: StagedPiece) => {
        await this.#noted;
        const isKnown = (name: RecordName): boolean => this.#isKnown(name) || revoked.has(idOfRecord(name));
        const found = await revokedBy(store, piece, isKnown);
        await stage.add(piece);
        // What a later piece makes of a thing counts.
        for (const one of found) revoked.set(idOfRecord(one), one);
      },
      commit: async (conditions) => {
        const revision = await stage.commit(conditions);
        await this.#note(revision, [...revoked.values()]);
        return revision;
      },
      abandon: () => stage.abandon(),
    };
  }

  #isKnown(name: RecordName): boolean {
    return this.#parts.file.get(name) !== undefined;
  }

  async hold(directory: OpenedDirectory): Promise<HeldRevocations | undefined> {
    const held = await this.#hold(directory);
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    await this.#write(waiting);
    return held;
  }

  async #hold(directory: OpenedDirectory): Promise<HeldRevocations | undefined> {
    const { file, logger, keepSessions } = this.#parts;
    const left = this.#left;
    if (left === undefined || this.#store === undefined) return undefined;
    const found = await whereIs(this.#store, left);
    if (found === "here") {
      await this.#catchUp(this.#store, left);
      return undefined;
    }
    if (found === "another log") {
      const name = file.setAside();
      logger.warn("the file of revocations belongs to another store, and is put aside", { name });
      return undefined;
    }
    const held = await directory.holdRevocations(this.#revoked, !keepSessions);
    const { revision } = this.#store.history.head;
    logger.warn(
      "an older state of the store was put back: what was revoked since stays revoked, and changes since then are lost",
      { left_at_revision: left.revision, revision, ...held, sessions_kept: keepSessions, file: file.path },
    );
    return held;
  }

  /** Notes what the file lacks of the log: its last lines, where power or the process was lost before they were written. */
  async #catchUp(store: Store, { revision, log }: LogPlace): Promise<void> {
    const { file, keepMs } = this.#parts;
    const { history } = store;
    const head = history.head.revision;
    for (let after = Math.max(revision, await history.keptFrom()); after < head; ) {
      const entries = (await store.changes(after, ENTRIES_AT_ONCE)) ?? [];
      if (entries.length === 0) return;
      for (const { revision: next, id } of entries) {
        const writes = (await history.writes(next, id)) ?? { put: [], delete: [] };
        const before = (name: RecordName) => history.recordAt(next - 1, name);
        const revoked = await revokedIn(writes, before, (name) => this.#isKnown(name));
        await file.note({ revision: next, id, log }, toBeKept(revoked, next, keepMs));
        after = next;
      }
    }
  }

  async close(): Promise<void> {
    await this.#noted;
    await this.#parts.file.close();
  }

  async #note(revision: number, revoked: readonly RevokedState[]): Promise<void> {
    const records = toBeKept(revoked, revision, this.#parts.keepMs);
    if (this.#waiting === undefined) await this.#write(records);
    else for (const record of records) this.#waiting.push(record);
  }

  /** One after the other: of many records, other work runs in between. */
  #write(records: readonly RevokedRecord[]): Promise<void> {
    const newest = this.#newest;
    const store = this.#store;
    if (newest === undefined || store === undefined) return this.#noted;
    const place = { revision: newest.revision, id: newest.id, log: store.history.head.log };
    this.#noted = this.#noted.then(() => this.#parts.file.note(place, records));
    return this.#noted;
  }
}

/** Looks for an entry. `gone`: the log has another one in its place, or none. */
async function whereIs(
  store: Store,
  { revision, id, log }: LogPlace,
): Promise<"here" | "gone" | "another log"> {
  const { head } = store.history;
  if (head.log !== log) return "another log";
  if (revision > head.revision) return "gone";
  const [entry] = (await store.changes(revision - 1, 1)) ?? [];
  // Trimmed: the log has passed it.
  if (entry === undefined) return (await store.history.keptFrom()) >= revision ? "here" : "gone";
  return entry.id === id ? "here" : "gone";
}

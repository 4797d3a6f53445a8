/** One stage of the local store. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { TextHashes } from "../../compact/text-hashes.ts";
import { checkCommit } from "../checks.ts";
import { encodeFirstLine } from "../log-entry.ts";
import type {
  Commit,
  ReadSet,
  RecordName,
  ScannedRange,
  Snapshot,
  Stage,
  StagedPiece,
  StageSubject,
  UseCase,
} from "../port.ts";
import { MOST_KEYS } from "../recent-writes.ts";
import { idOfRecord } from "../record-id.ts";
import { expectationFailed } from "../refusals.ts";
import { useCaseOf } from "../use-cases.ts";
import { isInRange, WrittenKeys } from "../written-keys.ts";
import { atOnce, inTurns } from "./apply-writes.ts";
import type { LocalDatabase } from "./local-database.ts";
import { StagedBody } from "./staged-body.ts";
import { StagedWriter } from "./staged-writes.ts";

/** A stage as it is put in force. */
export interface EndedStage {
  readonly number: number;
  readonly subject: StageSubject;
  readonly useCases: readonly UseCase[];
  /** The keys that it wrote; undefined: too many to be remembered. */
  readonly written: readonly RecordName[] | undefined;
  /** True where it must not be put in force. */
  isLost(): boolean;
  /** Ends its body; only within a write transaction. */
  end(): { readonly parts: number; readonly digest: string };
}

/** The parts of its store that a stage needs. */
interface StageParts {
  readonly database: LocalDatabase;
  readonly number: number;
  readonly subject: StageSubject;
  /** Runs an action in a write transaction, in which other work may run. */
  readonly transact: <T>(action: () => T | Promise<T>) => Promise<T>;
  /** The newest state with what the stage has. */
  readonly snapshot: () => Snapshot;
  /** True where something of a read-set was written since. */
  readonly isOutdated: (reads: ReadSet) => boolean;
  /** Puts it in force; returns the revision. */
  readonly finish: (stage: EndedStage, conditions: Pick<Commit, "expect" | "reads">) => Promise<number>;
  /** Called once, when it is in force or abandoned. */
  readonly ended: () => void;
}

/** Writes applied without letting other work run. */
const AT_ONCE = 500;

/** Writes that are made in pieces. */
export class LocalStage implements Stage {
  readonly #parts: StageParts;
  readonly #body: StagedBody;
  readonly #writer: StagedWriter;
  readonly #useCases: readonly UseCase[];
  readonly #read = new TextHashes();
  /** By their text: each piece scans the same ones. */
  readonly #ranges = new Map<string, ScannedRange>();
  #written: RecordName[] | undefined = [];
  #isLost = false;
  #state: "open" | "in force" | "abandoned" = "open";

  constructor(parts: StageParts) {
    const { database, number, subject } = parts;
    const useCase = useCaseOf(subject);
    this.#parts = parts;
    this.#useCases = useCase === undefined ? [] : [useCase];
    const firstLine = encodeFirstLine({ change: subject.change, useCases: this.#useCases });
    this.#body = new StagedBody(database, number, firstLine);
    this.#writer = new StagedWriter({ database, number, body: this.#body });
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  async snapshot(): Promise<Snapshot> {
    this.#assertOpen();
    return this.#parts.snapshot();
  }

  async add(piece: StagedPiece): Promise<void> {
    this.#assertOpen();
    const { put, delete: deleted } = await checkCommit(piece);
    const { transact, isOutdated } = this.#parts;
    let isWriting = false;
    try {
      const done = await transact(() => {
        if (this.#isLost || (piece.reads !== undefined && isOutdated(piece.reads))) return false;
        isWriting = true;
        this.#remember(put, deleted);
        if (piece.reads !== undefined) this.#noteReads(piece.reads, put);
        const steps = this.#writer.write({ put, delete: deleted });
        if (put.length + deleted.length <= AT_ONCE) atOnce(steps);
        else return inTurns(steps).then(() => true);
        return true;
      });
      if (!done) throw expectationFailed();
    } catch (error) {
      // What its transaction has written is lost, and what is in memory says otherwise.
      if (isWriting) this.#isLost = true;
      throw error;
    }
  }

  async commit(conditions: Pick<Commit, "expect" | "reads"> = {}): Promise<number> {
    this.#assertOpen();
    const { transact, finish, number, subject } = this.#parts;
    await checkCommit(conditions);
    await this.#body.compact(transact);
    const ended = {
      number,
      subject,
      useCases: this.#useCases,
      written: this.#written,
      isLost: () => this.#isLost,
      end: () => this.#body.end(),
    };
    try {
      const revision = await finish(ended, conditions);
      this.#state = "in force";
      this.#parts.ended();
      return revision;
    } catch (error) {
      this.#isLost = true;
      throw error;
    }
  }

  async abandon(): Promise<void> {
    if (this.#state !== "open") return;
    this.#state = "abandoned";
    this.#parts.ended();
  }

  /** Hears of writes of others: only within their write transaction. */
  heard(names: readonly RecordName[]): void {
    if (this.#isLost) return;
    this.#isLost = names.some(
      (name) =>
        this.#read.has(idOfRecord(name)) ||
        this.#ranges
          .values()
          .some((range) => range.partition === name.partition && isInRange(range, name.key)),
    );
  }

  /** One of its values was overwritten. */
  lose(): void {
    this.#isLost = true;
  }

  #remember(...pieces: readonly (readonly RecordName[])[]): void {
    for (const names of pieces) {
      for (const { partition, key } of names) this.#written?.push({ partition, key });
      if (this.#written !== undefined && this.#written.length > MOST_KEYS) this.#written = undefined;
    }
  }

  /** Of what the piece itself puts, its value in the store tells when somebody overwrites it. */
  #noteReads({ keys, ranges }: ReadSet, put: readonly RecordName[]): void {
    const written = new WrittenKeys();
    written.add(put);
    for (const [partition, names] of keys) {
      for (const key of names.keys()) {
        if (!written.has({ partition, key })) this.#read.add(idOfRecord({ partition, key }));
      }
    }
    for (const range of ranges) this.#ranges.set(JSON.stringify(range), range);
  }

  #assertOpen(): void {
    if (this.#state !== "open") throw new AuthorizerError("internal", `the stage is ${this.#state}`);
    if (this.#isLost) throw expectationFailed();
  }
}

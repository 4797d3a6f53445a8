/** The body of the entry of a stage, which is written in parts before the entry has a revision. */

import { createHash } from "node:crypto";
import type { RecordName } from "../port.ts";
import { idOfRecord } from "../record-id.ts";
import { putValue } from "./database.ts";
import { logKey } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";
import { PART_BYTES } from "./local-log.ts";
import { recordAt } from "./read-record.ts";

/** Parts that are looked through in one transaction. */
const PARTS_AT_ONCE = 8;

/** Runs an action in a write transaction. */
type Transact = <T>(action: () => T) => Promise<T>;

/** Gathers the lines of a body. All but {@link compact} only within a write transaction. */
export class StagedBody {
  readonly #database: LocalDatabase;
  readonly #stage: number;
  /** Number of lines that the body has of each key that was written more than once. */
  readonly #repeated = new Map<string, number>();
  #hash = createHash("sha256");
  #lines: string[] = [];
  #length = 0;
  #parts = 0;

  /** @param firstLine the line that tells what the entry is about, which begins the body */
  constructor(database: LocalDatabase, stage: number, firstLine: string) {
    this.#database = database;
    this.#stage = stage;
    this.#lines.push(firstLine);
  }

  /** Adds the write of a key; `value` undefined: it is removed. */
  add({ partition, key }: RecordName, value: string | undefined): void {
    this.#addLine(JSON.stringify(value === undefined ? [partition, key] : [partition, key, value]));
  }

  /** Notes that the next write is not the first one of its key: all but the last one count for nothing. */
  repeats(name: RecordName): void {
    const id = idOfRecord(name);
    this.#repeated.set(id, (this.#repeated.get(id) ?? 1) + 1);
  }

  /** Drops the lines that later ones make void, some parts in each transaction. */
  async compact(transact: Transact): Promise<void> {
    if (this.#repeated.size === 0) return;
    await transact(() => this.#flush());
    const left = new Map(this.#repeated);
    const before = this.#parts;
    this.#hash = createHash("sha256");
    this.#parts = 0;
    for (let next = 0; next < before; next += PARTS_AT_ONCE) {
      await transact(() => {
        for (let part = next; part < Math.min(next + PARTS_AT_ONCE, before); part++) {
          const key = logKey("staged-part", this.#stage, part);
          for (const line of recordAt(this.#database, key, {})!.value.trimEnd().split("\n")) {
            if (isLast(line, left)) this.#addLine(line);
          }
          this.#database.removeSync(key);
        }
        // What has been read makes room for what is left of it.
        this.#flush();
      });
    }
    this.#repeated.clear();
  }

  /** Writes the rest; returns the number of parts and the digest of the whole. */
  end(): { readonly parts: number; readonly digest: string } {
    this.#flush();
    return { parts: this.#parts, digest: this.#hash.copy().digest("base64url") };
  }

  #addLine(line: string): void {
    // The first line is a part of its own, which alone is read where one asks what the entry is about.
    if (this.#length > PART_BYTES || this.#parts === 0) this.#flush();
    this.#lines.push(line);
    this.#length += line.length;
  }

  #flush(): void {
    if (this.#lines.length === 0) return;
    const value = `${this.#lines.join("\n")}\n`;
    this.#hash.update(value);
    putValue(this.#database, logKey("staged-part", this.#stage, this.#parts), {
      version: this.#stage,
      value,
    });
    this.#parts += 1;
    this.#lines = [];
    this.#length = 0;
  }
}

/** True for a line that no later line of its key makes void. */
function isLast(line: string, left: Map<string, number>): boolean {
  if (!line.startsWith("[")) return true;
  const [partition, key] = JSON.parse(line) as [string, string];
  const id = idOfRecord({ partition, key });
  const count = left.get(id);
  if (count === undefined) return true;
  left.set(id, count - 1);
  return count === 1;
}

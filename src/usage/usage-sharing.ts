/** The exchange of counts of use with the other nodes of a shared database (spec/decision-log §5.1). */

import { messageOf } from "@svc-authorizer/policy/errors.ts";
import type { UsageDatabase } from "./usage-database.ts";
import { type DecodedUsage, decodeUsage, encodeUsage } from "./usage-items.ts";
import type { UsageRow } from "./usage-rows.ts";

/** Rows of one transaction: about a millisecond. */
export const ROWS_PER_WRITE = 250;
/** Rows of one reading. */
export const ROWS_PER_READ = 1_000;

/** The counts that a node told. */
interface Telling {
  readonly node: string;
  /** Different for each telling. */
  readonly mark: string;
  /** Reads its pieces; undefined where it was replaced meanwhile. */
  read(): Promise<readonly Buffer[] | undefined>;
}

/** Port: the engine that nodes share, as far as use is concerned. */
export interface SharedUsage {
  /** Replaces what a node told earlier. */
  tell(node: string, pieces: readonly Buffer[]): Promise<void>;
  /** The newest telling of each node. */
  told(): Promise<readonly Telling[]>;
  /** Largest number of bytes of a piece. */
  readonly pieceBytes: number;
}

/** Tells other nodes what this one counted, and takes over what they tell. */
export class UsageSharing {
  readonly #node: string;
  readonly #shared: SharedUsage;
  readonly #database: UsageDatabase;
  readonly #now: () => number;
  /** The marks of what was read of nodes. */
  readonly #known = new Map<string, string>();
  /** The reasons for which the newest telling of a node is not known. */
  readonly #unread = new Map<string, string>();
  #heardAt: number | undefined;
  #hasFailed = false;
  #isTold = true;

  /** @param now Unix milliseconds */
  constructor(node: string, shared: SharedUsage, database: UsageDatabase, now: () => number) {
    this.#node = node;
    this.#shared = shared;
    this.#database = database;
    this.#now = now;
  }

  /** Notes that there is something to tell. */
  changed(): void {
    this.#isTold = false;
  }

  /** Returns sentences about the use on other nodes that answers leave out. */
  doubts(): readonly string[] {
    const unread = [...this.#unread].map(
      ([node, reason]) => `What was used on the node ${node} since it was read last is not known: ${reason}.`,
    );
    if (this.#heardAt === undefined)
      return ["What was used on other nodes has not been read yet, and appears as unused.", ...unread];
    if (!this.#hasFailed) return unread;
    const time = new Date(this.#heardAt).toISOString();
    return [
      `What was used on other nodes since ${time} is not known: the database cannot be read.`,
      ...unread,
    ];
  }

  /** Hears and tells. Rejects with the error of the engine. */
  async takeTurn(): Promise<void> {
    try {
      await this.#hear();
      this.#heardAt = this.#now();
      // What this node told before is a part of what it tells next: its file may be a new one.
      await this.#tell();
      this.#hasFailed = false;
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  async #tell(): Promise<void> {
    if (this.#isTold) return;
    this.#isTold = true;
    const own = this.#database.nodes().find(({ node }) => node === this.#node);
    const { at: began = this.#now(), missed } = own ?? {};
    try {
      const told = { began, missed, pages: this.#ownPages() };
      await this.#shared.tell(this.#node, await encodeUsage(told, this.#shared.pieceBytes));
    } catch (error) {
      this.#isTold = false;
      throw error;
    }
  }

  async *#ownPages(): AsyncIterable<readonly UsageRow[]> {
    let after = 0;
    for (;;) {
      const { rows, next } = this.#database.own(this.#node, after, ROWS_PER_READ);
      if (rows.length > 0) yield rows;
      if (rows.length < ROWS_PER_READ) return;
      after = next;
      await turnOfOthers();
    }
  }

  async #hear(): Promise<void> {
    for (const telling of await this.#shared.told()) {
      const { node, mark } = telling;
      // Of itself a node hears once: then it is what it tells.
      if (this.#known.get(node) === mark || (node === this.#node && this.#known.has(node))) continue;
      const pieces = await telling.read();
      if (pieces === undefined) continue;
      await this.#take(node, pieces);
      this.#known.set(node, mark);
    }
  }

  /** Takes a telling over. One that cannot be read does not keep those of other nodes away. */
  async #take(node: string, pieces: readonly Buffer[]): Promise<void> {
    this.#unread.delete(node);
    let told: DecodedUsage;
    try {
      told = await decodeUsage(pieces);
    } catch (error) {
      // The next telling of this node replaces it.
      if (node === this.#node) this.#database.miss(node, this.#now());
      else this.#unread.set(node, messageOf(error));
      return;
    }
    await this.#keep(node, told);
  }

  async #keep(node: string, { began, missed, rows }: DecodedUsage): Promise<void> {
    this.#database.begin({ node, at: began, ...(missed !== undefined && { missed }) });
    for (let from = 0; from < rows.length; from += ROWS_PER_WRITE) {
      const isKept = this.#database.take(node, rows.slice(from, from + ROWS_PER_WRITE));
      if (!isKept) this.#database.miss(node, this.#now());
      await turnOfOthers();
    }
  }
}

/** Lets other work of the process go on. */
export function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Use, as the nodes of a log tell each other: items `usage/<node>` of the engine, outside the log
 * (spec/decision-log §5.1). A node creates the pieces of a telling and then removes those of earlier ones.
 */

import { randomBytes } from "node:crypto";
import type { Engine, ItemName } from "./engine.ts";

/** Most pieces of all nodes. */
const MOST_PIECES = 100_000;
/** Time after which nothing of a telling counts any more: two years, as for a single use. */
const FORGOTTEN_MS = 2 * 366 * 86_400_000;
const ID_BYTES = 6;
const NAME = /^(.+)\/(\d+-[0-9a-f]+)\/(\d{6})-(\d{6})$/;

/** A telling of a node. */
interface Telling {
  readonly node: string;
  /** Different for each telling. */
  readonly mark: string;
  /** Reads its pieces; undefined where it was replaced meanwhile. Rejects with the error of the engine. */
  read(): Promise<readonly Buffer[] | undefined>;
}

/** The tellings of the nodes of one log. */
export class UsageItems {
  readonly #engine: Engine;
  readonly pieceBytes: number;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.pieceBytes = engine.budgets.part;
  }

  /** Replaces what a node told earlier. Rejects with the error of the engine. */
  async tell(node: string, pieces: readonly Buffer[]): Promise<void> {
    const number = Date.now();
    const mark = `${number}-${randomBytes(ID_BYTES).toString("hex")}`;
    const forgotten = number - FORGOTTEN_MS;
    const old = (await this.#list()).filter((one) => one.node === node || one.item.number < forgotten);
    for (const [index, piece] of pieces.entries()) {
      const place = `${sixDigits(index)}-${sixDigits(pieces.length)}`;
      await this.#engine.create({ kind: "usage", number, name: `${node}/${mark}/${place}` }, piece);
    }
    await this.#engine.remove(old.map(({ item }) => item));
  }

  /** Returns the newest complete telling of each node. Rejects with the error of the engine. */
  async told(): Promise<readonly Telling[]> {
    const newest = new Map<string, Telling>();
    for (const [, pieces] of Map.groupBy(await this.#list(), ({ node, mark }) => `${node}/${mark}`)) {
      const [first] = pieces;
      // Items come by ascending number, so that a later telling replaces an earlier one.
      if (first !== undefined && pieces.length === first.total) {
        const { node, mark } = first;
        newest.set(node, { node, mark, read: () => this.#read(pieces) });
      }
    }
    return [...newest.values()];
  }

  async #read(pieces: readonly Piece[]): Promise<readonly Buffer[] | undefined> {
    const found: Buffer[] = [];
    for (const { item } of pieces) {
      const piece = await this.#engine.read(item);
      if (piece === undefined) return undefined;
      found.push(piece);
    }
    return found;
  }

  async #list(): Promise<readonly Piece[]> {
    const items = await this.#engine.list("usage", Number.MAX_SAFE_INTEGER, MOST_PIECES);
    // The newest would be left out.
    if (items.length === MOST_PIECES) throw new Error(`there are ${MOST_PIECES} counts of nodes or more`);
    return items.flatMap((item) => {
      const [, node, mark, , total] = NAME.exec(item.name) ?? [];
      return node === undefined || mark === undefined ? [] : [{ item, node, mark, total: Number(total) }];
    });
  }
}

interface Piece {
  readonly item: ItemName;
  readonly node: string;
  readonly mark: string;
  readonly total: number;
}

function sixDigits(number: number): string {
  return String(number).padStart(6, "0");
}

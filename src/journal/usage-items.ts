/**
 * Use, as the nodes of a log tell each other: items `usage/<node>` of the engine, outside the log
 * (spec/decision-log §5.1). A node creates the pieces of a telling and then removes those of earlier ones.
 */

import { randomBytes } from "node:crypto";
import type { Engine, ItemName } from "./engine.ts";

/** Most pieces of all nodes. */
const MOST_PIECES = 10_000;
const ID_BYTES = 6;
const NAME = /^(.+)\/(\d+-[0-9a-f]+)\/(\d{6})-(\d{6})$/;

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
    const old = (await this.#list()).filter((one) => one.node === node);
    for (const [index, piece] of pieces.entries()) {
      const place = `${sixDigits(index)}-${sixDigits(pieces.length)}`;
      await this.#engine.create({ kind: "usage", number, name: `${node}/${mark}/${place}` }, piece);
    }
    await this.#engine.remove(old.map(({ item }) => item));
  }

  /** Returns the newest complete telling of each node but one. Rejects with the error of the engine. */
  async told(not: string): Promise<readonly { readonly node: string; readonly mark: string }[]> {
    const newest = new Map<string, string>();
    for (const [, pieces] of Map.groupBy(await this.#list(), ({ node, mark }) => `${node}/${mark}`)) {
      const [first] = pieces;
      // Items come by ascending number, so that a later telling replaces an earlier one.
      if (first !== undefined && first.node !== not && pieces.length === first.total) {
        newest.set(first.node, first.mark);
      }
    }
    return [...newest].map(([node, mark]) => ({ node, mark }));
  }

  /** Returns the pieces of a telling; undefined where it was replaced. Rejects with the error of the engine. */
  async read(node: string, mark: string): Promise<readonly Buffer[] | undefined> {
    const pieces: Buffer[] = [];
    for (const one of await this.#list()) {
      if (one.node !== node || one.mark !== mark) continue;
      const piece = await this.#engine.read(one.item);
      if (piece === undefined) return undefined;
      pieces.push(piece);
      if (pieces.length === one.total) return pieces;
    }
    return undefined;
  }

  async #list(): Promise<readonly Piece[]> {
    const items = await this.#engine.list("usage", Number.MAX_SAFE_INTEGER, MOST_PIECES);
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

/** Digests of the pieces of the files of a load. */

import { createHmac } from "node:crypto";
import type { Piece } from "./pieces/piece.ts";

/** Most pieces of which digests are kept. */
const MOST = 10_000;
/** Characters of a digest in base64url: 132 bits. */
const LENGTH = 22;

/** Digests as they are stored: of users, and of everything that users depend on. */
export interface StoredPieces {
  readonly users: readonly string[];
  readonly others: readonly string[];
}

/** Digests of the pieces of one load. */
export class PieceDigests {
  readonly #key: string;
  readonly #users: string[] = [];
  readonly #others: string[] = [];
  #areAll = true;

  /** @param key makes digests that tell nothing of the entries */
  constructor(key: string) {
    this.#key = key;
  }

  /** Adds the next piece. */
  add(piece: Piece): void {
    const digest = this.of(piece);
    if (digest === undefined || this.#users.length + this.#others.length >= MOST) this.#areAll = false;
    else (piece.section === "users" ? this.#users : this.#others).push(digest);
  }

  /** The digest of a piece; undefined where nothing tells it from others. */
  of({ section, text }: Piece): string | undefined {
    if (text === undefined) return undefined;
    const hash = createHmac("sha256", `pieces of data sets\0${this.#key}`);
    return hash.update(`${section}\0`).update(text).digest("base64url").slice(0, LENGTH);
  }

  /** All digests in the order of the pieces; undefined where one has none, and where they are too many. */
  get stored(): StoredPieces | undefined {
    return this.#areAll ? { users: this.#users, others: this.#others } : undefined;
  }
}

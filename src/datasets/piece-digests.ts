/** Digests of the pieces of the files of a load. */

import { createHmac } from "node:crypto";
import { rememberLast } from "../remember-last.ts";
import type { Piece } from "./pieces/piece.ts";

/** Most pieces of which digests are kept, in a record of 1 MB: those of about 12,000,000 users. */
const MOST = 40_000;
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
  /** Digests of pieces of users by the numbers of the pieces. */
  readonly #byNumber: (string | undefined)[] = [];
  /** A piece of users is asked about before it is parsed, and when it is added. */
  readonly #ofUsersText = rememberLast((text: string) => this.#digest("users", text));
  #areAll = true;

  /** @param key makes digests that tell nothing of the entries */
  constructor(key: string) {
    this.#key = key;
  }

  /** Adds the next piece. */
  add(piece: Piece): void {
    const digest = this.of(piece);
    if (digest === undefined || this.#users.length + this.#others.length >= MOST) this.#areAll = false;
    else {
      (piece.section === "users" ? this.#users : this.#others).push(digest);
      this.#byNumber.push(piece.section === "users" ? digest : undefined);
    }
  }

  /** The digest of a piece; undefined where nothing tells it from others. */
  of({ section, text }: Pick<Piece, "section" | "text">): string | undefined {
    if (text === undefined) return undefined;
    return section === "users" ? this.#ofUsersText(text) : this.#digest(section, text);
  }

  #digest(section: Piece["section"], text: string): string {
    const hash = createHmac("sha256", `pieces of data sets\0${this.#key}`);
    return hash.update(`${section}\0`).update(text).digest("base64url").slice(0, LENGTH);
  }

  /** The digest of a piece of users by the number of the piece, if {@link stored} has all; undefined for another piece. */
  ofUsers(number: number): string | undefined {
    return this.#byNumber[number];
  }

  /** All digests in the order of the pieces; undefined where one has none, and where they are too many. */
  get stored(): StoredPieces | undefined {
    return this.#areAll ? { users: this.#users, others: this.#others } : undefined;
  }
}

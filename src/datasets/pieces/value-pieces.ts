/** A data set that is in memory, in pieces. */

import { canonicalSource } from "@svc-authorizer/policy/source-files/canonical-source.ts";
import type { DocumentSource } from "@svc-authorizer/policy/source-files/source.ts";
import { type Ending, isSection, type Piece, type PieceSize, type PieceSource } from "./piece.ts";

/** A parsed document. */
export class ValuePieces implements PieceSource {
  readonly #source: DocumentSource;
  readonly #entries: number;
  readonly digest: string;

  constructor(source: DocumentSource, { entries }: PieceSize, digest: string) {
    this.#source = canonicalSource(source);
    this.#entries = entries;
    this.digest = digest;
  }

  get file(): string {
    return this.#source.file;
  }

  async *pieces(): AsyncGenerator<Piece, Ending> {
    const { value } = this.#source;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return { head: value };
    const members = Object.entries(value);
    for (const [name, list] of members) {
      if (!isSection(name) || !Array.isArray(list)) continue;
      for (let start = 0; start < list.length; start += this.#entries)
        yield {
          section: name,
          start,
          entries: list.slice(start, start + this.#entries),
          ...this.#text(start),
        };
    }
    const head = members.map(([name, member]) => [name, Array.isArray(member) ? [] : member] as const);
    return { head: Object.fromEntries(head) };
  }

  /** The text of a piece: in the same file, its pieces are the same. */
  #text(start: number) {
    return this.digest === "" ? {} : { text: `${this.digest} ${start}` };
  }

  async locate(pointers: readonly string[]) {
    return this.#source.locate(pointers);
  }
}

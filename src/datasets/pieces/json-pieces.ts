/** A data set in a JSON file, of which a piece at a time is in memory. */

import { canonicalDocument, canonicalPolicy } from "@svc-authorizer/policy/model/policy-members.ts";
import { type Parsed, pointerOf } from "@svc-authorizer/policy/source-files/source.ts";
import { type Slice, type SliceOptions, slicesOf } from "./json-slices.ts";
import { parseElements, parseSlice } from "./parse-slice.ts";
import { type Ending, isSection, type Piece, type PieceSize, type PieceSource } from "./piece.ts";
import { PiecePlaces } from "./piece-places.ts";
import { movedPointer, TextProblems } from "./text-problems.ts";
import { TextWindow, textOf } from "./text-window.ts";

/** A slice that can be parsed. */
type ParsedSlice = Extract<Slice, { readonly kind: "value" | "elements" }>;

/** A JSON file. */
export class JsonPieces implements PieceSource {
  readonly file: string;
  readonly #options: SliceOptions;
  #digest: string | undefined;

  constructor(file: string, size: PieceSize) {
    this.file = file;
    this.#options = { size, isCut: isSection };
  }

  get digest(): string | undefined {
    return this.#digest;
  }

  async *pieces(): AsyncGenerator<Piece, Ending> {
    const problems = new TextProblems(this.file);
    const window = new TextWindow(textOf(this.file, (digest) => (this.#digest = digest)));
    const head = new Map<string, unknown>();
    try {
      for await (const slice of slicesOf(window, this.#options)) {
        if (slice.kind === "object") continue;
        const { name, position } = slice.member;
        if (slice.kind === "member") {
          if (head.has(name)) problems.repeated({ pointer: pointerOf([name]), ...position });
          head.set(name, []);
          continue;
        }
        const value = read(slice, problems);
        if (value === undefined) continue;
        // As every list here: its entries are read apart, or its name is strange, which is all that is said of it.
        if (slice.kind === "value") head.set(name, Array.isArray(value) ? [] : value);
        else yield { ...pieceOf(name, slice.start, value as readonly unknown[]), text: slice.text };
      }
    } catch (error) {
      problems.ended(error);
    } finally {
      await window.close();
    }
    const found = await problems.list((pointers) => this.locate(pointers));
    return found.length > 0 ? { problems: found } : { head: canonicalDocument(Object.fromEntries(head)) };
  }

  async locate(pointers: readonly string[]) {
    const places = new PiecePlaces(pointers);
    const window = new TextWindow(textOf(this.file));
    try {
      for await (const slice of slicesOf(window, this.#options)) {
        if (slice.kind === "object") places.begins(slice.position);
        else if (slice.kind === "member") places.found(pointerOf([slice.member.name]), slice.value);
        else look(slice, places);
      }
    } finally {
      await window.close();
    }
    return places.all();
  }
}

function parsed(slice: ParsedSlice): Parsed {
  return slice.kind === "value" ? parseSlice(slice) : parseElements(slice);
}

/** The value of a slice; undefined where it has faults, which are noted. */
function read(slice: ParsedSlice, problems: TextProblems): unknown {
  const { name } = slice.member;
  const start = slice.kind === "value" ? 0 : slice.start;
  const result = parsed(slice);
  if ("value" in result) {
    problems.unsound(name, result.value, start);
    return result.value;
  }
  problems.faults(result.faults, (pointer) => {
    const whole = `${pointerOf([name])}${pointer}`;
    return start === 0 ? whole : movedPointer(whole, start);
  });
  return undefined;
}

function look(slice: ParsedSlice, places: PiecePlaces): void {
  const part = { name: slice.member.name, ...(slice.kind === "elements" && { range: slice }) };
  if (places.wanted(part).length === 0) return;
  const result = parsed(slice);
  if ("value" in result) places.look(part, result);
}

/** A piece, with the members of policies as they are stored. */
export function pieceOf(name: string, start: number, entries: readonly unknown[]): Piece {
  if (!isSection(name)) throw new TypeError(`${name} is no section`);
  return { section: name, start, entries: name === "policies" ? entries.map(canonicalPolicy) : entries };
}

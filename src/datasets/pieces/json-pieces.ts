/** A data set in a JSON file, of which a piece at a time is in memory. */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { canonicalDocument, canonicalPolicy } from "@svc-authorizer/policy/model/policy-members.ts";
import { type Parsed, pointerOf } from "@svc-authorizer/policy/source-files/source.ts";
import { type Slice, type SliceOptions, slicesOf } from "./json-slices.ts";
import { parseElements, parseSlice } from "./parse-slice.ts";
import {
  type Ending,
  isSection,
  type Piece,
  type PieceSize,
  type PieceSource,
  type Reading,
} from "./piece.ts";
import { PiecePlaces } from "./piece-places.ts";
import { TextParts } from "./text-parts.ts";
import { movedPointer, TextProblems } from "./text-problems.ts";
import { TextWindow, textOf } from "./text-window.ts";

/** A part of a section, by its place in the text. */
interface KnownPart extends Pick<SectionSlice, "member" | "start" | "count" | "position" | "isCut"> {
  readonly from: number;
  readonly to: number;
}

/** A text that was read as a whole. */
interface KnownText {
  readonly parts: readonly KnownPart[];
  /** The members beside the sections. */
  readonly head: unknown;
}

type SectionSlice = Extract<Slice, { readonly kind: "elements" }>;

/** A slice that can be parsed. */
type ParsedSlice = Extract<Slice, { readonly kind: "value" | "elements" }>;

/** A JSON file. */
export class JsonPieces implements PieceSource {
  readonly file: string;
  readonly #options: SliceOptions;
  #digest: string | undefined;
  /** As the last whole reading found it. */
  #known: KnownText | undefined;

  constructor(file: string, size: PieceSize) {
    this.file = file;
    this.#options = { size, isCut: isSection };
  }

  get digest(): string | undefined {
    return this.#digest;
  }

  pieces(reading: Reading = {}): AsyncGenerator<Piece, Ending> {
    return this.#known === undefined ? this.#cut(reading) : this.#again(this.#known, reading);
  }

  /** Reads what was read before: who asks finds out by the digest whether the file is still the same. */
  async *#again({ parts, head }: KnownText, { isPassed }: Reading): AsyncGenerator<Piece, Ending> {
    const problems = new TextProblems(this.file);
    const text = new TextParts(textOf(this.file, (digest) => (this.#digest = digest)));
    this.#digest = undefined;
    try {
      for (const [number, { from, to, ...part }] of parts.entries()) {
        const { name } = part.member;
        if (isPassed?.(number) === true) {
          yield { ...pieceOf(name, part.start, []), passed: part.count };
          continue;
        }
        const slice = { kind: "elements", ...part, offset: from, text: await text.part(from, to) } as const;
        const value = read(slice, problems);
        if (value === undefined) break;
        yield { ...pieceOf(name, part.start, value as readonly unknown[]), text: slice.text };
      }
      await text.end();
    } catch (error) {
      problems.ended(error);
    } finally {
      await text.close();
    }
    const found = await problems.list(async () => new Map());
    return found.length > 0 ? { problems: found } : { head };
  }

  async *#cut({ isValid }: Reading): AsyncGenerator<Piece, Ending> {
    const parts: KnownPart[] = [];
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
        const isKnown =
          slice.kind === "elements" && isSection(name) && isValid?.({ section: name, text: slice.text });
        const value = isKnown ? parseJsonText(`[${slice.text}]`) : read(slice, problems);
        if (value === undefined) continue;
        // As every list here: its entries are read apart, or its name is strange, which is all that is said of it.
        if (slice.kind === "value") head.set(name, Array.isArray(value) ? [] : value);
        else {
          const { member, start, count, position, isCut, offset: from, text } = slice;
          parts.push({ member, start, count, position, isCut, from, to: from + text.length });
          yield { ...pieceOf(name, start, value as readonly unknown[]), text };
        }
      }
    } catch (error) {
      problems.ended(error);
    } finally {
      await window.close();
    }
    const found = await problems.list((pointers) => this.locate(pointers));
    if (found.length > 0) return { problems: found };
    this.#known = { parts, head: canonicalDocument(Object.fromEntries(head)) };
    return { head: this.#known.head };
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

/**
 * A data set in lines of JSON (`.ndjson`): `{"format": 1}` and what else a data set says once, and then one entry on each
 * line, such as `{"users": {"username": "alice"}}`.
 */

import { canonicalDocument } from "@svc-authorizer/policy/model/policy-members.ts";
import { type Parsed, pointerOf } from "@svc-authorizer/policy/source-files/source.ts";
import { pieceOf } from "./json-pieces.ts";
import { type Line, linesOf } from "./lines.ts";
import { parseSlice } from "./parse-slice.ts";
import {
  type Ending,
  endsPiece,
  isSection,
  type Piece,
  type PieceSize,
  type PieceSource,
  type Section,
} from "./piece.ts";
import { PiecePlaces } from "./piece-places.ts";
import { TextProblems } from "./text-problems.ts";
import { TextFaultError, TextWindow, textOf } from "./text-window.ts";

/** Entries of one section on lines that follow each other. */
interface Run {
  readonly section: Section;
  readonly start: number;
  readonly entries: unknown[];
  /** Of each line. */
  readonly texts: string[];
  chars: number;
}

/** A file of lines. */
export class NdjsonPieces implements PieceSource {
  readonly file: string;
  readonly #size: PieceSize;
  #digest: string | undefined;

  constructor(file: string, size: PieceSize) {
    this.file = file;
    this.#size = size;
  }

  get digest(): string | undefined {
    return this.#digest;
  }

  async *pieces(): AsyncGenerator<Piece, Ending> {
    const problems = new TextProblems(this.file);
    const window = new TextWindow(textOf(this.file, (digest) => (this.#digest = digest)));
    const head = new Map<string, unknown>();
    const counts = new Map<Section, number>();
    let run: Run | undefined;
    try {
      for await (const line of linesOf(window)) {
        const parsed = parseSlice(line);
        if ("faults" in parsed) {
          const place = placeOfFaults(line, counts);
          problems.faults(parsed.faults, place);
          continue;
        }
        for (const [name, value] of membersOf(parsed.value, line)) {
          if (!isSection(name)) {
            if (head.has(name)) problems.repeated({ pointer: pointerOf([name]), ...line.position });
            head.set(name, Array.isArray(value) ? [] : value);
            problems.unsound(name, value, 0);
            continue;
          }
          if (Array.isArray(value)) throw new TextFaultError(ONE_ENTRY, line.position);
          const start = counts.get(name) ?? 0;
          counts.set(name, start + 1);
          problems.unsound(name, [value], start);
          if (run !== undefined && (run.section !== name || isFull(run, this.#size))) {
            yield pieceOfRun(run);
            run = undefined;
          }
          run ??= { section: name, start, entries: [], texts: [], chars: 0 };
          run.entries.push(value);
          run.texts.push(line.text);
          run.chars += line.text.length;
        }
      }
    } catch (error) {
      problems.ended(error);
    } finally {
      await window.close();
    }
    if (run !== undefined) yield pieceOfRun(run);
    const found = await problems.list((pointers) => this.locate(pointers));
    if (found.length > 0) return { problems: found };
    const lists = [...counts.keys()].map((name) => [name, []] as const);
    return { head: canonicalDocument(Object.fromEntries([...head, ...lists])) };
  }

  async locate(pointers: readonly string[]) {
    const places = new PiecePlaces(pointers);
    const window = new TextWindow(textOf(this.file));
    const counts = new Map<string, number>();
    places.begins({ line: 1, column: 1 });
    try {
      for await (const line of linesOf(window)) {
        const parsed = parseSlice(line);
        if (!("value" in parsed)) continue;
        for (const [name, value] of membersOf(parsed.value, line)) {
          const start = counts.get(name) ?? 0;
          counts.set(name, start + 1);
          const range = isSection(name) ? { range: { start, count: 1 } } : {};
          if (places.wanted({ name, ...range }).length === 0) continue;
          places.look(
            { name, ...range },
            isSection(name) ? asList(name, value, parsed) : asMember(name, value, parsed),
          );
        }
      }
    } finally {
      await window.close();
    }
    return places.all();
  }
}

const ONE_ENTRY = 'a line has one entry, such as {"users": {"username": "alice"}}';

type ParsedLine = Extract<Parsed, { readonly value: unknown }>;

function isFull({ entries, texts, chars }: Run, size: PieceSize): boolean {
  const last = texts.at(-1)!;
  return endsPiece({ entries: entries.length, chars }, size, (index) => last.charCodeAt(index), last.length);
}

function pieceOfRun({ section, start, entries, texts }: Run): Piece {
  return { ...pieceOf(section, start, entries), text: texts.join("\n") };
}

function membersOf(value: unknown, { position }: Line): readonly (readonly [string, unknown])[] {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new TextFaultError("a line is an object", position);
  const members = Object.entries(value);
  if (members.length > 1 && members.some(([name]) => isSection(name)))
    throw new TextFaultError(ONE_ENTRY, position);
  return members;
}

/** Moves pointers of faults in a line: `/users/username` is that of the next user. */
function placeOfFaults(_line: Line, counts: ReadonlyMap<Section, number>) {
  return (pointer: string): string => {
    const [name = "", ...rest] = pointer.slice(1).split("/");
    if (!isSection(name)) return pointer;
    return [`/${name}`, counts.get(name) ?? 0, ...rest].join("/");
  };
}

/** The value of a line as that of a list of one entry. */
function asList(name: string, value: unknown, { locate }: ParsedLine): ParsedLine {
  return {
    value: [value],
    locate: (pointers) => {
      const places = locate(pointers.map((pointer) => `/${name}${pointer.replace(/^\/0/, "")}`));
      return new Map([...places].map(([pointer, place]) => [`/0${pointer.slice(name.length + 1)}`, place]));
    },
  };
}

function asMember(name: string, value: unknown, { locate }: ParsedLine): ParsedLine {
  const prefix = pointerOf([name]);
  return {
    value,
    locate: (pointers) => {
      const places = locate(pointers.map((pointer) => `${prefix}${pointer}`));
      return new Map([...places].map(([pointer, place]) => [pointer.slice(prefix.length), place]));
    },
  };
}

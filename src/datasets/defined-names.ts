/** The names that data sets define, in little memory: where each was first defined, and which definitions are invalid. */

import { TextHashes } from "../compact/text-hashes.ts";
import type { Place } from "./merge.ts";
import type { Section } from "./pieces/piece.ts";
import type { ProblemSource } from "./problem-list.ts";

/** Texts of one entry whose places are told apart. */
const TEXTS_OF_ENTRY = 8;

/** The entries of one section over all data sets, numbered in the order of reading. */
class EntryNumbers {
  readonly #section: Section;
  readonly #sources: { readonly source: ProblemSource; readonly first: number }[] = [];
  #next = 0;

  constructor(section: Section) {
    this.#section = section;
  }

  /** Begins with the entries of a source. */
  begin(source: ProblemSource): void {
    this.#sources.push({ source, first: this.#next });
  }

  /** Begins from the first entry again. */
  restart(): void {
    this.#sources.length = 0;
    this.#next = 0;
  }

  /** The number of the next entry, or of the first of some. */
  take(count = 1): number {
    const first = this.#next;
    this.#next += count;
    return first;
  }

  /** The place of an entry. */
  placeOf(number: number): Place {
    const { source, first } = this.#sources.findLast((one) => one.first <= number)!;
    return { source, pointer: `/${this.#section}/${number - first}` };
  }
}

/** The names of one section. */
export class DefinedNames {
  readonly numbers: EntryNumbers;
  readonly #names = new TextHashes({ hasNumbers: true });
  readonly #broken = new TextHashes();
  #brokenNumbers = new Uint8Array(128);

  constructor(section: Section) {
    this.numbers = new EntryNumbers(section);
  }

  /** The names of valid definitions. */
  readonly entries = { has: (name: string): boolean => this.#names.has(name) };
  /** The names of invalid definitions. */
  readonly brokenNames = { has: (name: string): boolean => this.#broken.has(name) };

  /** Notes a valid definition; returns the number of an earlier one of that name. */
  define(name: string, number: number): number | undefined {
    return this.#names.add(name, number) ? undefined : this.#names.numberOf(name);
  }

  /** The number of the entry that defines a name. */
  numberOf(name: string): number | undefined {
    return this.#names.numberOf(name);
  }

  /** Notes an invalid entry. */
  breakEntry(number: number, name: string | undefined): void {
    if (name !== undefined) this.#broken.add(name);
    const at = number >> 3;
    if (at >= this.#brokenNumbers.length) {
      const longer = new Uint8Array(Math.max(at + 1, this.#brokenNumbers.length * 2));
      longer.set(this.#brokenNumbers);
      this.#brokenNumbers = longer;
    }
    this.#brokenNumbers[at]! |= 1 << (number & 7);
  }

  /** True for the entry that defines a name: it is valid, and the first one. */
  isDefinition(name: string | undefined, number: number): boolean {
    if (((this.#brokenNumbers[number >> 3] ?? 0) & (1 << (number & 7))) !== 0) return false;
    return name !== undefined && this.#names.numberOf(name) === number;
  }
}

/** Texts that belong to one user, such as access keys. */
export class DefinedTexts {
  readonly #texts = new TextHashes({ hasNumbers: true });
  readonly #users: EntryNumbers;

  constructor(users: EntryNumbers) {
    this.#users = users;
  }

  /**
   * Notes a text of a user.
   * @param index of the text among those of its kind that the user has
   * @param pointers where the texts of that kind are within a user
   * @returns where the text was given before
   */
  give(text: string, user: number, index: number, pointers: (index: number) => string): Place | undefined {
    const at = user * TEXTS_OF_ENTRY + Math.min(index, TEXTS_OF_ENTRY - 1);
    return this.#texts.add(text, at) ? undefined : this.#placeOf(this.#texts.numberOf(text)!, pointers);
  }

  #placeOf(first: number, pointers: (index: number) => string): Place {
    const place = this.#users.placeOf(Math.floor(first / TEXTS_OF_ENTRY));
    const at = first % TEXTS_OF_ENTRY;
    // Of the last ones, only the user is known.
    return at === TEXTS_OF_ENTRY - 1 ? place : { ...place, pointer: `${place.pointer}${pointers(at)}` };
  }

  /** The number of the user that a text was first given to. */
  ownerOf(text: string): number | undefined {
    const first = this.#texts.numberOf(text);
    return first === undefined ? undefined : Math.floor(first / TEXTS_OF_ENTRY);
  }
}

/** The names that data sets define, in little memory: where each was first defined, and which definitions are invalid. */

import type { Numbered } from "../compact/numbered-hashes.ts";
import { NumberedTexts } from "../compact/numbered-texts.ts";
import type { Overflow } from "../compact/overflow.ts";
import { TextHashes } from "../compact/text-hashes.ts";
import type { Pause } from "../schedule/pace.ts";
import type { Place } from "./merge.ts";
import type { Section } from "./pieces/piece.ts";
import type { ProblemSource } from "./problem-list.ts";
import { Repetitions } from "./repetitions.ts";

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

/** The names of one section: to be asked about when they are settled. */
export class DefinedNames {
  readonly numbers: EntryNumbers;
  readonly #names: NumberedTexts;
  readonly #broken = new TextHashes();
  /** Bits of the entries that define nothing: they are invalid, or repeat a name. */
  #undefining = new Uint8Array(128);

  /** @param overflow keeps what is long */
  constructor(section: Section, overflow: Overflow) {
    this.numbers = new EntryNumbers(section);
    this.#names = new NumberedTexts(overflow);
  }

  /** The names of valid definitions. */
  readonly entries = { has: (name: string): boolean => this.#names.has(name) };
  /** The names of invalid definitions. */
  readonly brokenNames = { has: (name: string): boolean => this.#broken.has(name) };

  /** Notes a valid definition. */
  define(name: string, number: number): void {
    this.#names.add(name, { number, index: 0 });
  }

  /** Notes an invalid entry. */
  breakEntry(number: number, name: string | undefined): void {
    if (name !== undefined) this.#broken.add(name);
    this.#undefine(number);
  }

  /** Finds the names that are defined more than once: all but their first definitions count for nothing. */
  async settle(pause: Pause): Promise<Repetitions> {
    const repetitions = new Repetitions();
    const onRepeated = (repeated: Numbered, first: Numbered): void => {
      this.#undefine(repeated.number);
      repetitions.add({ repeated, first });
    };
    for (const _ of this.#names.settle(() => true, onRepeated)) await pause();
    return repetitions;
  }

  /** The number of the entry that defines a name. */
  numberOf(name: string): number | undefined {
    return this.#names.numberOf(name);
  }

  /** True for an entry that defines its name: it is valid, and the first one. */
  isDefinition(number: number): boolean {
    return ((this.#undefining[number >> 3] ?? 0) & (1 << (number & 7))) === 0;
  }

  #undefine(number: number): void {
    const at = number >> 3;
    if (at >= this.#undefining.length) {
      const longer = new Uint8Array(Math.max(at + 1, this.#undefining.length * 2));
      longer.set(this.#undefining);
      this.#undefining = longer;
    }
    this.#undefining[at]! |= 1 << (number & 7);
  }
}

/** Texts that belong to one user, such as access keys: to be asked about when they are settled. */
export class DefinedTexts {
  readonly #texts: NumberedTexts;

  /** @param overflow keeps what is long */
  constructor(overflow: Overflow) {
    this.#texts = new NumberedTexts(overflow);
  }

  /** Notes a text of a user, with its index among those of its kind that the user has. */
  give(text: string, user: number, index: number): void {
    this.#texts.add(text, { number: user, index });
  }

  /** Finds the texts that are given more than once by users who count. */
  async settle(counts: (user: number) => boolean, pause: Pause): Promise<Repetitions> {
    const repetitions = new Repetitions();
    const onRepeated = (repeated: Numbered, first: Numbered) => repetitions.add({ repeated, first });
    for (const _ of this.#texts.settle(counts, onRepeated)) await pause();
    return repetitions;
  }

  /** The number of the user that a text was first given to. */
  ownerOf(text: string): number | undefined {
    return this.#texts.numberOf(text);
  }
}

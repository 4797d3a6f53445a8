import fc from "fast-check";
import { expect, it } from "vitest";
import type { Numbered } from "../../src/compact/numbered-hashes.ts";
import { NumberedTexts } from "../../src/compact/numbered-texts.ts";
import { Overflow } from "../../src/compact/overflow.ts";
import { temporaryFolder } from "../temporary-folder.ts";

interface Given extends Numbered {
  readonly text: string;
}

/** The answers of a map. */
function expectedOf(given: readonly Given[], counts: (number: number) => boolean) {
  const first = new Map<string, Numbered>();
  const repetitions: (readonly [Numbered, Numbered])[] = [];
  for (const { text, number, index } of given) {
    if (!counts(number)) continue;
    const before = first.get(text);
    if (before === undefined) first.set(text, { number, index });
    else repetitions.push([{ number, index }, before]);
  }
  return { first, repetitions };
}

function byPlace([a]: readonly [Numbered, Numbered], [b]: readonly [Numbered, Numbered]): number {
  return a.number - b.number || a.index - b.index;
}

function check(given: readonly Given[], counts: (number: number) => boolean, overflow: Overflow): void {
  const texts = new NumberedTexts(overflow);
  for (const { text, ...numbered } of given) texts.add(text, numbered);
  const repetitions: (readonly [Numbered, Numbered])[] = [];
  for (const _ of texts.settle(counts, (...pair) => repetitions.push(pair)));
  const expected = expectedOf(given, counts);
  expect(repetitions.sort(byPlace)).toEqual(expected.repetitions.sort(byPlace));
  for (const { text } of given) expect(texts.numberOf(text)).toBe(expected.first.get(text)?.number);
  for (const text of ["", "none", "text 1 "]) expect(texts.has(text)).toBe(expected.first.has(text));
  overflow.close();
}

it("finds each text by its first number, and tells all that are given again", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 3 });
  const given = fc.array(fc.tuple(text, fc.nat(3)), { maxLength: 60 });
  fc.assert(
    fc.property(given, fc.integer({ min: 2, max: 5 }), (texts, every) => {
      const numbered = texts.map(([one, index], number) => ({ text: one, number, index }));
      check(numbered, (number) => number % every !== 1, new Overflow());
    }),
  );
});

it("does so where most of them have left memory", () => {
  // Each part of the hashes leaves memory, and each table is longer than what is read of it at once.
  const given = Array.from({ length: 60_000 }, (_, number) => ({
    text: `text ${number % 7 === 0 ? number >> 1 : number}`,
    number,
    index: number % 3,
  }));
  check(given, (number) => number % 11 !== 0, new Overflow(temporaryFolder(), 0));
});

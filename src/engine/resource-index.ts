/**
 * Which resource patterns match a required resource, at a cost that does not grow with the number of patterns.
 *
 * Patterns are filed under their service, account and the literal text before their first wildcard. One pass over
 * the required ARN hashes every prefix of its last field and probes the table at the lengths in use: a slice looked
 * up in a Map would cost several times as much. Patterns that go on after the first wildcard are tried one by one
 * where few share a literal beginning, else found by the rarest run of characters they need.
 */

import { GramIndex } from "./gram-index.ts";
import { type Findings, Slot } from "./matches.ts";
import { PatternEntry, Tail } from "./pattern-entry.ts";
import {
  classifyResource,
  matchesResource,
  type ResourcePattern,
  USER_PLACEHOLDER,
} from "./resource-pattern.ts";
import type { CompiledStatement } from "./statement.ts";

const COLON = 0x3a;
/** From how many patterns with one literal beginning on they are looked up instead of tried. */
const MANY_PATTERNS = 8;
const HAS_ENTRY = 1;

interface Filed {
  readonly entry: PatternEntry;
  readonly tail: Tail;
}

/** Where the fields of a required ARN lie. One object is reused: a look-up allocates nothing. */
const fields = { serviceStart: 0, serviceEnd: 0, accountStart: 0, accountEnd: 0, resourceStart: 0 };

function sameText(text: string, start: number, end: number, expected: string): boolean {
  return end - start === expected.length && text.startsWith(expected, start);
}

/** The index over the statements that match one action. */
export class ResourceIndex {
  readonly #arnPrefix: string;
  readonly #partition: string;
  readonly #seed: number;
  readonly #slots = new Map<string, Slot>();
  readonly #entries: PatternEntry[] = [];
  readonly #entryByKey = new Map<string, PatternEntry>();
  readonly #grams = new GramIndex<Filed>();
  readonly #bound: { readonly template: string; readonly slot: Slot }[] = [];
  #any: Slot | undefined;
  #hasGrams = false;
  #lengths = new Uint8Array(1);
  #table = new Int32Array(1);
  #hashes = new Int32Array(1);
  #mask = 0;

  /** @param seed makes hash collisions unpredictable for whoever writes policies; results do not depend on it */
  constructor(partition: string, seed: number) {
    this.#partition = partition;
    this.#arnPrefix = `arn:${partition}:`;
    this.#seed = seed;
  }

  /** Distinct resource patterns. */
  get size(): number {
    return this.#slots.size;
  }

  /** Files a statement under each of its resources. */
  add(statement: CompiledStatement): void {
    for (const resource of statement.resources ?? []) this.#slot(resource)?.add(statement);
  }

  #slot(resource: string): Slot | undefined {
    const known = this.#slots.get(resource);
    if (known !== undefined) return known;
    const pattern = classifyResource(resource, this.#partition);
    if (pattern.kind === "never") return undefined;
    const slot = this.#file(pattern, new Slot(resource.includes(USER_PLACEHOLDER)));
    this.#slots.set(resource, slot);
    return slot;
  }

  /** Files a new pattern; ARNs that differ in the region only share a slot, for the region is never compared. */
  #file(pattern: Exclude<ResourcePattern, { kind: "never" }>, slot: Slot): Slot {
    if (pattern.kind === "any") {
      this.#any = slot;
      return slot;
    }
    if (pattern.kind === "bound") {
      this.#bound.push({ template: pattern.template, slot });
      return slot;
    }
    const entry = this.#entry(pattern.arn.service, pattern.arn.account, pattern.literal);
    if (pattern.kind === "pattern") {
      entry.tails ??= [];
      entry.tails.push(new Tail(pattern.arn.resource.slice(pattern.literal.length), slot));
      return slot;
    }
    entry[pattern.kind] ??= slot;
    return entry[pattern.kind] ?? slot;
  }

  #entry(service: string, account: string, literal: string): PatternEntry {
    const key = `${service}:${account}:${literal}`;
    let entry = this.#entryByKey.get(key);
    if (entry === undefined) {
      entry = new PatternEntry(service, account, literal);
      this.#entryByKey.set(key, entry);
      this.#entries.push(entry);
    }
    return entry;
  }

  /** Builds the table; to be called once, after the last `add`. */
  seal(): void {
    let size = 2;
    while (size < this.#entries.length * 2) size *= 2;
    this.#table = new Int32Array(size);
    this.#hashes = new Int32Array(size);
    this.#mask = size - 1;
    this.#lengths = new Uint8Array(
      this.#entries.reduce((most, { literal }) => Math.max(most, literal.length), 0) + 1,
    );
    for (const [index, entry] of this.#entries.entries()) this.#place(entry, index);
    this.#grams.seal();
    this.#entryByKey.clear();
  }

  #place(entry: PatternEntry, index: number): void {
    this.#lengths[entry.literal.length] = HAS_ENTRY;
    let hash = this.#seed;
    for (const field of [entry.service, entry.account]) hash = this.#fold(this.#foldText(hash, field), COLON);
    hash = this.#foldText(hash, entry.literal);
    let place = (hash ^ (hash >>> 15)) & this.#mask;
    while (this.#table[place] !== 0) place = (place + 1) & this.#mask;
    this.#table[place] = index + 1;
    this.#hashes[place] = hash;
    if (entry.tails === undefined || entry.tails.length <= MANY_PATTERNS) return;
    for (const tail of entry.tails) this.#grams.add(tail.chunks(), { entry, tail });
    entry.tails = undefined;
    this.#hasGrams = true;
  }

  #fold(hash: number, unit: number): number {
    return Math.imul(hash ^ unit, 0x01000193);
  }

  #foldText(hash: number, text: string): number {
    for (let index = 0; index < text.length; index++) hash = this.#fold(hash, text.charCodeAt(index));
    return hash;
  }

  /** Reports the slots of all patterns that match the required resource. */
  lookup(required: string, user: string, findings: Findings): void {
    if (this.#any !== undefined) this.#any.report(findings);
    for (const { template, slot } of this.#bound) {
      if (matchesResource(template, required, user, this.#partition)) slot.report(findings);
    }
    if (this.#entries.length === 0 || !this.#locateFields(required)) return;
    this.#probePrefixes(required, user, findings);
    if (this.#hasGrams) this.#lookupGrams(required, user, findings);
  }

  /** Finds the fields of an ARN of this partition; false when the text is none. */
  #locateFields(required: string): boolean {
    if (!required.startsWith(this.#arnPrefix)) return false;
    const serviceStart = this.#arnPrefix.length;
    const serviceEnd = required.indexOf(":", serviceStart);
    if (serviceEnd <= serviceStart) return false;
    const regionEnd = required.indexOf(":", serviceEnd + 1);
    if (regionEnd < 0) return false;
    const accountEnd = required.indexOf(":", regionEnd + 1);
    if (accountEnd < 0 || accountEnd + 1 === required.length) return false;
    fields.serviceStart = serviceStart;
    fields.serviceEnd = serviceEnd;
    fields.accountStart = regionEnd + 1;
    fields.accountEnd = accountEnd;
    fields.resourceStart = accountEnd + 1;
    return true;
  }

  #probePrefixes(required: string, user: string, findings: Findings): void {
    const lengths = this.#lengths;
    const start = fields.resourceStart;
    const longest = Math.min(required.length - start, lengths.length - 1);
    let hash = this.#seed;
    for (let index = fields.serviceStart; index <= fields.serviceEnd; index++) {
      hash = Math.imul(hash ^ required.charCodeAt(index), 0x01000193);
    }
    for (let index = fields.accountStart; index < start; index++) {
      hash = Math.imul(hash ^ required.charCodeAt(index), 0x01000193);
    }
    for (let length = 0; ; length++) {
      if (lengths[length] === HAS_ENTRY) {
        const entry = this.#find(hash, length, required);
        if (entry !== undefined) this.#reportEntry(entry, length, required, user, findings);
      }
      if (length === longest) return;
      hash = Math.imul(hash ^ required.charCodeAt(start + length), 0x01000193);
    }
  }

  #find(hash: number, length: number, required: string): PatternEntry | undefined {
    let place = (hash ^ (hash >>> 15)) & this.#mask;
    for (;;) {
      const stored = this.#table[place] as number;
      if (stored === 0) return undefined;
      if (this.#hashes[place] === hash) {
        const entry = this.#entries[stored - 1] as PatternEntry;
        if (entry.literal.length === length && this.#holds(entry, required)) return entry;
      }
      place = (place + 1) & this.#mask;
    }
  }

  /** True when the required ARN has the entry's service and account and begins with its literal. */
  #holds(entry: PatternEntry, required: string): boolean {
    return (
      sameText(required, fields.serviceStart, fields.serviceEnd, entry.service) &&
      sameText(required, fields.accountStart, fields.accountEnd, entry.account) &&
      required.startsWith(entry.literal, fields.resourceStart)
    );
  }

  #reportEntry(
    entry: PatternEntry,
    length: number,
    required: string,
    user: string,
    findings: Findings,
  ): void {
    if (entry.prefix !== undefined) entry.prefix.report(findings);
    if (entry.exact !== undefined && fields.resourceStart + length === required.length)
      entry.exact.report(findings);
    if (entry.tails === undefined) return;
    const text = required.slice(fields.resourceStart + length);
    for (const tail of entry.tails) if (tail.matches(text, user)) tail.slot.report(findings);
  }

  #lookupGrams(required: string, user: string, findings: Findings): void {
    this.#grams.visit(required, fields.resourceStart, ({ entry, tail }) => {
      if (!this.#holds(entry, required)) return;
      const text = required.slice(fields.resourceStart + entry.literal.length);
      if (tail.matches(text, user)) tail.slot.report(findings);
    });
  }
}

/**
 * Finds the resource patterns that match a required resource, at a cost that does not grow with the number of patterns.
 *
 * Patterns are filed under their service, account and the literal text before their first wildcard; a look-up probes
 * the table at the lengths in use. Patterns with text after the first wildcard are tried one by one if few share a
 * literal beginning, else they are found by the rarest run of characters that they need.
 */

import { GramIndex } from "../patterns/gram-index.ts";
import {
  classifyResource,
  matchesResource,
  type ResourcePattern,
  USER_PLACEHOLDER,
} from "../patterns/resource-pattern.ts";
import type { CompiledStatement } from "../statement.ts";
import { PER_ITEM, STEP_UNITS, type Steps } from "../work.ts";
import { type Findings, Slot } from "./matches.ts";
import { PatternEntry, Tail } from "./pattern-entry.ts";
import { hashOf, type RequiredResource } from "./required-resource.ts";

/** Number of patterns with one literal beginning from which they are looked up instead of tried. */
const MANY_PATTERNS = 8;

interface Filed {
  readonly entry: PatternEntry;
  readonly tail: Tail;
}

/** An index over statements. */
export class ResourceIndex {
  readonly #partition: string;
  readonly #slots = new Map<string, Slot>();
  /** Until the table is built. */
  readonly #entries: PatternEntry[] = [];
  readonly #entryByKey = new Map<string, PatternEntry>();
  /** Undefined where no beginning has many patterns, as in most indexes: it is large. */
  #grams: GramIndex<Filed> | undefined;
  readonly #bound: { readonly template: string; readonly slot: Slot }[] = [];
  #any: Slot | undefined;
  /** Lengths of the literal beginnings, ascending. */
  #lengths = new Int32Array(0);
  /**
   * By place, sixteen bits of the hash of the entry there, 0 where there is none: a look-up that finds nothing, as most
   * do, reads nothing else. Among thousands of patterns each read is a wait for memory.
   */
  #prints = new Uint16Array(1);
  /** By place, the entry there. */
  #table: (PatternEntry | undefined)[] = [];
  #mask = 0;

  constructor(partition: string) {
    this.#partition = partition;
  }

  /** Files a statement under one of its resources. */
  add(resource: string, statement: CompiledStatement, order: number): void {
    this.#slot(resource)?.add(statement, order);
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

  /** Adds a new pattern. ARNs that differ only in the region share a slot, because the region is never compared. */
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
      // Nearly all patterns have the same service and account: one copy of these texts serves them.
      const before = this.#entries.at(-1);
      entry = new PatternEntry(
        before?.service === service ? before.service : service,
        before?.account === account ? before.account : account,
        literal,
      );
      this.#entryByKey.set(key, entry);
      this.#entries.push(entry);
    }
    return entry;
  }

  /** Builds the table. Call it once, after the last `add`. */
  *sealInSteps(): Steps<void> {
    let size = 2;
    while (size < this.#entries.length * 2) size *= 2;
    this.#prints = new Uint16Array(size);
    this.#table = new Array<PatternEntry | undefined>(size).fill(undefined);
    this.#mask = size - 1;
    this.#lengths = Int32Array.from(new Set(this.#entries.map(({ literal }) => literal.length))).sort();
    let work = 0;
    for (const entry of this.#entries) {
      entry.seal();
      this.#place(entry);
      work += PER_ITEM;
      for (const tail of this.#tailsToFile(entry)) {
        this.#grams ??= new GramIndex<Filed>();
        this.#grams.add(tail.chunks(), { entry, tail });
        work += 4 * PER_ITEM;
        if (work < STEP_UNITS) continue;
        yield work;
        work = 0;
      }
      if (work < STEP_UNITS) continue;
      yield work;
      work = 0;
    }
    yield work;
    if (this.#grams !== undefined) yield* this.#grams.sealInSteps();
    this.#entries.length = 0;
    this.#entryByKey.clear();
    this.#slots.clear();
  }

  /** Adds an entry to the table. */
  #place(entry: PatternEntry): void {
    const hash = hashOf(entry.service, entry.account, entry.literal);
    let place = (hash ^ (hash >>> 15)) & this.#mask;
    while (this.#prints[place] !== 0) place = (place + 1) & this.#mask;
    this.#prints[place] = printOf(hash);
    this.#table[place] = entry;
  }

  /** The tails of an entry that has too many to try them one by one. */
  #tailsToFile(entry: PatternEntry): readonly Tail[] {
    const { tails } = entry;
    if (tails === undefined || tails.length <= MANY_PATTERNS) return [];
    entry.tails = undefined;
    return tails;
  }

  /** Reports the slots of all patterns that match the required resource. */
  lookup(required: RequiredResource, user: string, findings: Findings): void {
    if (this.#any !== undefined) this.#any.report(findings);
    for (const { template, slot } of this.#bound) {
      findings.work += PER_ITEM;
      if (matchesResource(template, required.text, user, this.#partition)) slot.report(findings);
    }
    const lengths = this.#lengths;
    if (lengths.length === 0 || !required.isArn) return;
    for (let position = 0; position < lengths.length; position++) {
      const length = lengths[position] as number;
      if (length > required.length) break;
      const entry = this.#find(required, length);
      if (entry !== undefined) this.#reportEntry(entry, required, user, findings);
    }
    if (this.#grams !== undefined) this.#lookupGrams(this.#grams, required, user, findings);
  }

  #find(required: RequiredResource, length: number): PatternEntry | undefined {
    const hash = required.hash(length);
    let place = (hash ^ (hash >>> 15)) & this.#mask;
    const wanted = printOf(hash);
    for (;;) {
      const print = this.#prints[place];
      if (print === 0) return undefined;
      if (print === wanted) {
        const entry = this.#table[place] as PatternEntry;
        const { literal } = entry;
        if (literal.length === length && required.begins(entry.service, entry.account, literal)) return entry;
      }
      place = (place + 1) & this.#mask;
    }
  }

  #reportEntry(entry: PatternEntry, required: RequiredResource, user: string, findings: Findings): void {
    const { length } = entry.literal;
    entry.reportPrefix(findings);
    if (length === required.length) entry.reportExact(findings);
    if (entry.tails === undefined) return;
    const text = required.text.slice(required.start + length);
    for (const tail of entry.tails) tail.report(text, user, findings);
  }

  #lookupGrams(grams: GramIndex<Filed>, required: RequiredResource, user: string, findings: Findings): void {
    findings.work += required.length * 20;
    // Many patterns in a row have the same beginning.
    let last: PatternEntry | undefined;
    let begins = false;
    let text = "";
    grams.visit(required.text, required.start, ({ entry, tail }) => {
      if (entry !== last) {
        last = entry;
        begins = required.begins(entry.service, entry.account, entry.literal);
        text = begins ? required.text.slice(required.start + entry.literal.length) : "";
      }
      if (begins) tail.report(text, user, findings);
    });
  }
}

/** Sixteen bits of a hash, never 0. */
function printOf(hash: number): number {
  return hash >>> 16 || 1;
}

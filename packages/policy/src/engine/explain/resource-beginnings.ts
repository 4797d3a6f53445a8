/**
 * Statements by the text of their resources before the first wildcard: it excludes most of them, at a cost that does not
 * grow with their number.
 */

import type { ResourceMatchers } from "../matching/resource-matchers.ts";
import type { CompiledStatement } from "../statement.ts";
import { PER_ITEM, STEP_UNITS, type Steps } from "../work.ts";

/** Finds the statements of one user one of whose resources can match. */
export class ResourceBeginnings {
  readonly #statements: readonly CompiledStatement[];
  readonly #resources: ResourceMatchers;
  /** A byte for each statement by its place: 1 for those that are filed. Only those about an action that was asked for are. */
  readonly #filed: Uint8Array;
  /** The same for those with a resource that matches everything. */
  readonly #always: Uint8Array;
  /** Service and account → beginning → places. */
  readonly #places = new Map<string, Map<string, number[]>>();
  readonly #lengths = new Set<number>();
  /** The last result. */
  readonly #reaching: Uint8Array;

  constructor(statements: readonly CompiledStatement[], resources: ResourceMatchers) {
    this.#statements = statements;
    this.#resources = resources;
    this.#filed = new Uint8Array(statements.length);
    this.#always = new Uint8Array(statements.length);
    this.#reaching = new Uint8Array(statements.length);
  }

  /**
   * A byte for each statement: 1 for those that are marked and one of whose resources can match. It holds until the next
   * call.
   */
  *reachingInSteps(marks: Uint8Array, resource: string): Steps<Uint8Array> {
    yield* this.#fileInSteps(marks);
    const reaching = this.#reaching;
    reaching.set(this.#always);
    const asked = this.#resources.asked(resource);
    const places = asked && this.#places.get(`${asked.service}:${asked.account}`);
    if (asked !== undefined && places !== undefined) {
      for (const length of this.#lengths) {
        if (length > asked.resource.length) continue;
        for (const place of places.get(asked.resource.slice(0, length)) ?? []) reaching[place] = 1;
      }
    }
    for (let place = reaching.indexOf(1); place >= 0; place = reaching.indexOf(1, place + 1))
      reaching[place] = marks[place] as number;
    return reaching;
  }

  *#fileInSteps(marks: Uint8Array): Steps<void> {
    let work = 0;
    for (let place = marks.indexOf(1); place >= 0; place = marks.indexOf(1, place + 1)) {
      if (this.#filed[place] === 1) continue;
      this.#filed[place] = 1;
      for (const text of this.#statements[place]?.resources ?? []) {
        this.#file(text, place);
        work += PER_ITEM + text.length;
        if (work < STEP_UNITS) continue;
        yield work;
        work = 0;
      }
    }
    yield work;
  }

  #file(text: string, place: number): void {
    const beginning = this.#resources.beginning(text);
    if (beginning === "never") return;
    if (beginning === "any") {
      this.#always[place] = 1;
      return;
    }
    const { service, account, literal } = beginning;
    const key = `${service}:${account}`;
    let byLiteral = this.#places.get(key);
    if (byLiteral === undefined) {
      byLiteral = new Map();
      this.#places.set(key, byLiteral);
    }
    this.#lengths.add(literal.length);
    const known = byLiteral.get(literal);
    if (known === undefined) byLiteral.set(literal, [place]);
    else known.push(place);
  }
}

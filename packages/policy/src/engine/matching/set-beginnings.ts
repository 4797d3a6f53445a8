/** The beginnings of the patterns of one set of policies, of which filters are made: remembered with the set. */

import { trimmed } from "../../model/trimmed.ts";
import { classifyResource } from "../patterns/resource-pattern.ts";
import type { ActionList, CompiledStatement } from "../statement.ts";
import { PER_ITEM, STEP_UNITS, type Steps } from "../work.ts";
import { NO_STATEMENT } from "./matches.ts";
import { hashOf } from "./required-resource.ts";

/** Beginnings that a set remembers: those of the actions that were asked about last. */
const MOST_REMEMBERED = 4;
/** Units of work of a statement about another action. */
const PER_OTHER = 10;

/** Lists of actions that match some action. */
export type MatchingLists = ReadonlySet<ActionList>;

/** The beginnings of the patterns of statements with some lists of actions. */
export interface SetBeginnings {
  /** The lists. */
  readonly lists: readonly ActionList[];
  /** Order of the first statement of effect exactly `allow`, or {@link NO_STATEMENT}. */
  readonly opener: number;
  /** True when some pattern has no beginning: it may match any resource. */
  readonly isOpen: boolean;
  /** The hash of each beginning. */
  readonly hashes: readonly number[];
  /** The lengths of the beginnings; few are there twice. */
  readonly lengths: readonly number[];
}

/** Collects the beginnings of statements. */
class CollectedBeginnings {
  readonly #partition: string;
  readonly #hashes: number[] = [];
  readonly #lengths: number[] = [];
  #opener = NO_STATEMENT;
  #isOpen = false;

  constructor(partition: string) {
    this.#partition = partition;
  }

  /** Adds a statement at its position in the set; gives the units of work. */
  add({ policy, index, resources = [] }: CompiledStatement, order: number): number {
    if (this.#opener === NO_STATEMENT && policy.statement[index]?.effect === "allow") this.#opener = order;
    let work = PER_ITEM;
    for (const resource of resources) {
      this.#add(resource);
      work += PER_ITEM + resource.length * 4;
    }
    return work;
  }

  #add(resource: string): void {
    const pattern = classifyResource(resource, this.#partition);
    if (pattern.kind === "never") return;
    if (pattern.kind === "any" || pattern.kind === "bound") {
      this.#isOpen = true;
      return;
    }
    const { arn, literal } = pattern;
    this.#hashes.push(hashOf(arn.service, arn.account, literal));
    if (this.#lengths.at(-1) !== literal.length) this.#lengths.push(literal.length);
  }

  /** Those of everything that was added. @param lists those of the statements */
  all(lists: readonly ActionList[]): SetBeginnings {
    return {
      lists,
      opener: this.#opener,
      isOpen: this.#isOpen,
      hashes: trimmed(this.#hashes),
      lengths: trimmed(this.#lengths),
    };
  }
}

/** The beginnings of a set, remembered for the lists of actions that were asked for last. */
export class RememberedBeginnings {
  readonly #policies: readonly { readonly statements: readonly CompiledStatement[] }[];
  readonly #lists: readonly ActionList[];
  readonly #partition: string;
  /** From the oldest on. */
  #known: readonly SetBeginnings[] = [];

  /**
   * @param policies those of the set, in order
   * @param lists the distinct lists of actions of their statements
   */
  constructor(
    policies: readonly { readonly statements: readonly CompiledStatement[] }[],
    lists: readonly ActionList[],
    partition: string,
  ) {
    this.#policies = policies;
    this.#lists = lists;
    this.#partition = partition;
  }

  /** The beginnings of the statements whose actions are among some lists, where they are remembered. */
  known(matching: MatchingLists): SetBeginnings | undefined {
    for (const one of this.#known) if (this.#isOf(one, matching)) return one;
    return undefined;
  }

  /** The same; found step by step where they are not remembered. */
  *inSteps(matching: MatchingLists): Steps<SetBeginnings> {
    const known = this.known(matching);
    if (known !== undefined) return known;
    const collected = new CollectedBeginnings(this.#partition);
    let order = 0;
    let work = 0;
    for (const { statements } of this.#policies) {
      for (const statement of statements) {
        work += matching.has(statement.actions) ? collected.add(statement, order) : PER_OTHER;
        order++;
        if (work < STEP_UNITS) continue;
        yield work;
        work = 0;
      }
    }
    yield work;
    const found = collected.all(trimmed(this.#lists.filter((list) => matching.has(list))));
    this.#known = this.#known.slice(1 - MOST_REMEMBERED).concat(found);
    return found;
  }

  // Of a thousand sets one has changed, and each is asked: without a closure.
  #isOf({ lists }: SetBeginnings, matching: MatchingLists): boolean {
    let matched = 0;
    for (const list of this.#lists) {
      if (!matching.has(list)) continue;
      if (lists[matched] !== list) return false;
      matched++;
    }
    return matched === lists.length;
  }
}

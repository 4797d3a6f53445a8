/**
 * Policies that are attached together (those of a group), indexed once and shared by every user who has them.
 * `${user}` is bound when matching. The index of an action is built when the action is first requested.
 */

import { trimmed } from "../../model/trimmed.ts";
import { type ActionIndex, ActionIndexes, ListedStatements } from "../matching/action-indexes.ts";
import { ActionLists } from "../matching/action-lists.ts";
import { type ConditionsAsked, NO_STATEMENT } from "../matching/matches.ts";
import { RememberedBeginnings } from "../matching/set-beginnings.ts";
import type { ActionList, CompiledStatement } from "../statement.ts";
import { finish, PER_ITEM, STEP_UNITS, type Steps } from "../work.ts";
import type { CompiledPolicy } from "./compiled-policy.ts";
import { Failures, mayFail, NO_FAILURES } from "./failures.ts";
import { StatementOrder } from "./statement-order.ts";

/** Statements that are looked at between two looks at the units of work, and the units of one. */
const LOOKED_AT_ONCE = 1_000;
const PER_LOOK = 50;
/** Units of work of a statement in a set without its indexes, and of a pattern of actions. */
const PER_STATEMENT = 200;
const PER_ACTION = 50;

/** Statements up to which a set is read for its indexes when the first of them is needed: of many sets, few are looked into. */
const FEW = 1_000;

/** Policies in evaluation order. Immutable except for indexes that are built on first use. */
export class PolicySet {
  static #made = 0;
  /** A number that no other set of the process has or had. */
  readonly number = PolicySet.#made++;
  readonly policies: readonly CompiledPolicy[];
  /** Number of statements. */
  readonly size: number;
  /** True when some statement has a condition, so that the condition fields of a request matter. */
  readonly readsContext: boolean;
  /** True when a condition reads attributes of the resource (`resource.X`). */
  readonly readsResource: boolean;
  /** True when the evaluation of some statement can fail. */
  readonly canFail: boolean;
  /** True when some statement has a member that this version does not know, which denies everything. */
  readonly hasUnknownMember: boolean;
  /** About the units of work of building the index of one action. */
  readonly price: number;
  /** The distinct lists of actions of the statements. */
  readonly lists: readonly ActionList[];
  /** The beginnings of the patterns, of which filters are made. */
  readonly beginnings: RememberedBeginnings;
  /** The statements by position. */
  readonly order: StatementOrder;
  readonly #failures: Failures;
  readonly #partition: string;
  #listed: Listed | undefined;
  #indexes: ActionIndexes | undefined;

  /** Use {@link policySetInSteps}. */
  constructor(partition: string, parts: SetParts) {
    const { policies, starts, failures } = parts;
    this.policies = policies;
    this.order = new StatementOrder(policies, starts);
    this.lists = parts.lists;
    this.beginnings = new RememberedBeginnings(policies, parts.lists, partition);
    this.#partition = partition;
    this.#listed = parts.listed;
    this.#failures = failures;
    this.size = parts.size;
    this.readsContext = parts.readsContext;
    this.readsResource = parts.readsResource;
    this.canFail = failures.statements.length > 0;
    this.hasUnknownMember = failures.statements.some(({ unknownMember }) => unknownMember !== undefined);
    this.price = parts.price;
  }

  /** The indexes by action. */
  get indexes(): ActionIndexes {
    if (this.#indexes !== undefined) return this.#indexes;
    const { lists, byList } = this.#byLists;
    this.#indexes = new ActionIndexes(this.#partition, lists, byList);
    return this.#indexes;
  }

  /** As {@link indexes}, after a listing step by step: of many sets, it is long work. */
  *indexesInSteps(): Steps<ActionIndexes> {
    this.#listed ??= yield* listedInSteps(this.policies);
    return this.indexes;
  }

  /** Finds what a filter reads of the set, where that is the same for all actions: if its statements have one list of them. */
  *prepareInSteps(): Steps<void> {
    if (this.lists.length === 1) yield* this.beginnings.inSteps(new Set(this.lists));
  }

  /** True if the index of an action was built. */
  hasIndexOf(action: string): boolean {
    return this.#indexes?.known(action) !== undefined;
  }

  get #byLists(): Listed {
    this.#listed ??= finish(listedInSteps(this.policies));
    return this.#listed;
  }

  /** The statements whose evaluation can fail, in order. A failure denies everything. */
  get fallible(): readonly CompiledStatement[] {
    return this.#failures.statements;
  }

  /** Order of the first statement whose evaluation fails for these results, or {@link NO_STATEMENT}. */
  firstFailure(asked: ConditionsAsked): number {
    return this.canFail ? this.#failures.first(asked) : NO_STATEMENT;
  }

  /** The statement at a position in evaluation order. */
  statementAt(order: number): CompiledStatement {
    return this.order.statementAt(order);
  }

  /** The statements that match an action, in evaluation order, found without the indexes. */
  *statementsMatchingInSteps(action: string): Steps<readonly CompiledStatement[]> {
    const matches = new Uint8Array(this.size);
    yield* this.markMatchingInSteps(action, matches);
    let work = 0;
    const found: CompiledStatement[] = [];
    for (let order = matches.indexOf(1); order >= 0; order = matches.indexOf(1, order + 1)) {
      found.push(this.statementAt(order));
      if (++work < LOOKED_AT_ONCE) continue;
      yield work * PER_LOOK;
      work = 0;
    }
    yield work * PER_LOOK;
    return found;
  }

  /**
   * Marks the statements that match an action, with 1.
   * @param places place of each statement by its position; absent: the position itself
   */
  *markMatchingInSteps(action: string, marks: Uint8Array, places?: Int32Array): Steps<void> {
    let work = 0;
    const { lists, byList } = this.#byLists;
    for (const list of yield* lists.matchingInSteps(action)) {
      for (const order of (byList[list] as ListedStatements).orders) {
        marks[places === undefined ? order : (places[order] as number)] = 1;
        if (++work < LOOKED_AT_ONCE) continue;
        yield work * PER_LOOK;
        work = 0;
      }
    }
    yield work * PER_LOOK;
  }

  /** The index of an action; builds it if it is missing. */
  indexOf(action: string): ActionIndex {
    return this.indexes.of(action);
  }
}

/** The statements of a set by their lists of actions. */
interface Listed {
  readonly lists: ActionLists;
  readonly byList: readonly ListedStatements[];
}

function* listedInSteps(policies: readonly CompiledPolicy[]): Steps<Listed> {
  const lists = new ActionLists();
  const byList: ListedStatements[] = [];
  let order = 0;
  let work = 0;
  for (const { statements } of policies) {
    for (const statement of statements) {
      const list = lists.add(statement.actions);
      byList[list] ??= new ListedStatements();
      (byList[list] as ListedStatements).add(statement, order++);
      work += PER_ITEM + statement.actions.text.length;
    }
    if (work < STEP_UNITS) continue;
    yield work;
    work = 0;
  }
  yield work;
  return { lists, byList };
}

/** The input of a set. */
interface SetParts {
  readonly policies: readonly CompiledPolicy[];
  /** Order of the first statement of each policy that has statements. */
  readonly starts: readonly number[];
  readonly size: number;
  readonly price: number;
  readonly lists: readonly ActionList[];
  /** Undefined for few statements, which are listed when they are first needed. */
  readonly listed: Listed | undefined;
  readonly failures: Failures;
  readonly readsContext: boolean;
  readonly readsResource: boolean;
}

/** Combines compiled policies. Keeps their order, because a refusal names the first deny. */
export function* policySetInSteps(all: readonly CompiledPolicy[], partition: string): Steps<PolicySet> {
  const policies = trimmed(all.filter(({ statements }) => statements.length > 0));
  let failures = NO_FAILURES;
  const starts: number[] = [];
  let size = 0;
  let price = 0;
  let work = 0;
  let readsContext = false;
  let readsResource = false;
  const lists = new Set<ActionList>();
  for (const { statements } of policies) {
    starts.push(size);
    for (const statement of statements) {
      const { actions, condition, resources = [] } = statement;
      lists.add(actions);
      price += PER_ITEM;
      for (const resource of resources) price += resource.length * 4 + PER_ITEM;
      if (mayFail(statement)) {
        if (failures === NO_FAILURES) failures = new Failures();
        failures.add(statement, size);
      }
      size++;
      readsContext ||= condition !== undefined;
      readsResource ||= condition?.readsResource === true;
      work += PER_STATEMENT;
    }
    if (work < STEP_UNITS) continue;
    yield work;
    work = 0;
  }
  yield work;
  for (const { text, patterns } of lists) price += text.length + PER_ACTION * patterns.length;
  const listed = size > FEW ? yield* listedInSteps(policies) : undefined;
  return new PolicySet(partition, {
    policies,
    starts: trimmed(starts),
    size,
    price,
    lists: [...lists],
    listed,
    failures,
    readsContext,
    readsResource,
  });
}

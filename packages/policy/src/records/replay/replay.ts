/**
 * Decides recorded requests again under two sets of policies, and reports what changes (spec/decision-log §4.1). Differences are
 * grouped by the statement that makes them.
 */

import { type CompiledPolicies, compile } from "../../engine/compile/compile.ts";
import { decide } from "../../engine/decide/decide.ts";
import { DecidingStatements } from "../../engine/decide/deciding-place.ts";
import { Lookup } from "../../engine/decide/lookup.ts";
import { type CompiledStatement, nameOf } from "../../engine/statement.ts";
import type { StatementName } from "../../model/decision.ts";
import type { NamedStatements } from "../../model/policy.ts";
import type { LoggedDecision } from "../record.ts";
import {
  isHypothetical,
  isMasked,
  isMaskedField,
  questionsOf,
  type RecordedQuestion,
} from "../recorded-questions.ts";

/**
 * The policies of users, and of groups that were asserted for an unknown user: in the order of their names; undefined
 * for an unknown user.
 */
export type PoliciesOf = (user: string, groups?: readonly string[]) => readonly NamedStatements[] | undefined;

/** A recorded request whose decision changes. */
interface ReplayExample {
  readonly id: string;
  readonly at: string;
  readonly user: string;
  /** The permission; a tree as JSON. */
  readonly request: string;
}

/** The requests that one statement changes. */
export interface ReplayGroup extends StatementName {
  /** `wider`: refused before and allowed now; `narrower`: the other way round. */
  readonly change: "wider" | "narrower";
  /** `added`: the statement of the new policies that decides now; `removed`: the one of the old that did. */
  readonly side: "added" | "removed";
  readonly count: number;
  readonly examples: readonly ReplayExample[];
}

/** The result of a replay. */
export interface ReplayReport {
  readonly records: number;
  readonly decisions: number;
  readonly wider: number;
  readonly narrower: number;
  /** Of `decisions` those that were recorded as allowed. */
  readonly allowed: number;
  /** Decisions that cannot be made again, since the user or the permission is masked; not among `decisions`. */
  readonly masked: number;
  /** Decisions of batches that their records do not list; not among `decisions`. */
  readonly unlisted: number;
  /** Most requests first. */
  readonly groups: readonly ReplayGroup[];
  /** Condition fields that policies read, and that some records lack or have masked: sorted. */
  readonly missing_fields: readonly string[];
  /** Numbers of users and resources whose properties differ between both sides; absent where that is not known, or none do. */
  readonly changed_properties?: { readonly users: number; readonly resources: number };
  /**
   * The shares of allowed decisions that were recorded, and the number of records of which it is not known whether all were;
   * absent where neither is. Of what would be refused, `narrower` is then a part.
   */
  readonly partly_recorded?: { readonly shares: readonly number[]; readonly unknown: number };
}

/** Settings of a replay. */
interface ReplayOptions {
  readonly partition: string;
  readonly before: PoliciesOf;
  readonly after: PoliciesOf;
  /** Most examples of a group. */
  readonly examples: number;
}

interface OpenGroup extends Omit<ReplayGroup, "count" | "examples"> {
  count: number;
  readonly examples: ReplayExample[];
}

/** Users whose compiled policies are kept. */
const MOST_USERS = 10_000;

/** Replays records one after the other. */
export class Replay {
  readonly #options: ReplayOptions;
  readonly #before: CompiledUsers;
  readonly #after: CompiledUsers;
  readonly #groups = new Map<string, OpenGroup>();
  readonly #missing = new Set<string>();
  readonly #lookup = new Lookup();
  #records = 0;
  #decisions = 0;
  #wider = 0;
  #narrower = 0;
  #allowed = 0;
  #masked = 0;
  #unlisted = 0;

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#before = new CompiledUsers(options.before, options.partition);
    this.#after = new CompiledUsers(options.after, options.partition);
  }

  /** Decides the requests of a record. */
  add(record: LoggedDecision): void {
    if (isHypothetical(record)) return;
    this.#records++;
    this.#unlisted += unlistedOf(record);
    for (const question of questionsOf(record)) {
      if (question.error === undefined) this.#decide(record, question);
    }
  }

  /** The changes so far. */
  report(): ReplayReport {
    return {
      records: this.#records,
      decisions: this.#decisions,
      wider: this.#wider,
      narrower: this.#narrower,
      allowed: this.#allowed,
      masked: this.#masked,
      unlisted: this.#unlisted,
      groups: [...this.#groups.values()].sort((a, b) => b.count - a.count),
      missing_fields: [...this.#missing].sort(),
    };
  }

  #decide(record: LoggedDecision, question: RecordedQuestion): void {
    const { user, groups, required, context } = question;
    if (user === null) return;
    if (isMasked(question)) {
      this.#masked++;
      return;
    }
    this.#decisions++;
    if (question.effect === "allow") this.#allowed++;
    const before = this.#before.of(user, groups);
    const after = this.#after.of(user, groups);
    this.#noteMissing(after, context);
    const [oldBy, newBy] = [new DecidingStatements(), new DecidingStatements()];
    const request = { user, required, context };
    const was = decide(before.policies, { ...request, decidedBy: oldBy }, this.#lookup).effect === "allow";
    const { effect } = decide(after.policies, { ...request, decidedBy: newBy }, this.#lookup);
    const is = effect === "allow";
    if (was === is) return;
    if (is) this.#wider++;
    else this.#narrower++;
    const { id, at } = record;
    const shown = "action" in required ? `${required.action} ${required.resource}` : JSON.stringify(required);
    this.#note(is, oldBy.all, effect === "neutral" ? [] : newBy.all, { id, at, user, request: shown });
  }

  /**
   * Counts a change under the statement of the new policies that decides; where none does, under that of the old ones.
   */
  #note(
    wider: boolean,
    before: readonly CompiledStatement[],
    after: readonly CompiledStatement[],
    example: ReplayExample,
  ): void {
    const side = after.length > 0 ? "added" : "removed";
    const statement = after.at(-1) ?? before.at(-1);
    const name = statement === undefined ? { policy: "", statement: 0 } : nameOf(statement);
    const change = wider ? "wider" : "narrower";
    const key = JSON.stringify([change, side, name.policy, name.statement]);
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { ...name, change, side, count: 0, examples: [] };
      this.#groups.set(key, group);
    }
    group.count++;
    if (group.examples.length < this.#options.examples) group.examples.push(example);
  }

  #noteMissing({ reads }: CompiledUser, context: RecordedQuestion["context"]): void {
    for (const field of reads) {
      if (!context.has(field) || isMaskedField({ context }, field)) this.#missing.add(field);
    }
  }
}

/** Number of the decisions of a batch that its record does not list. */
function unlistedOf({ items, counts }: LoggedDecision): number {
  if (items === undefined || counts === undefined) return 0;
  return Math.max(0, counts.allow + counts.neutral + counts.deny - items.length);
}

interface CompiledUser {
  readonly policies: CompiledPolicies;
  /** Condition fields that they read. */
  readonly reads: readonly string[];
}

/** The compiled policies of users; equal lists of policies are compiled once. */
class CompiledUsers {
  readonly #policiesOf: PoliciesOf;
  readonly #partition: string;
  readonly #users = new Map<string, CompiledUser>();
  readonly #lists = new Map<string, CompiledUser>();

  constructor(policiesOf: PoliciesOf, partition: string) {
    this.#policiesOf = policiesOf;
    this.#partition = partition;
  }

  of(user: string, groups: readonly string[] = []): CompiledUser {
    const who = groups.length === 0 ? user : JSON.stringify([user, groups]);
    const known = this.#users.get(who);
    if (known !== undefined) return known;
    const policies = this.#policiesOf(user, groups) ?? [];
    const key = JSON.stringify(policies.map(({ name }) => name));
    const compiled = this.#lists.get(key) ?? this.#compile(policies);
    if (this.#users.size >= MOST_USERS) this.#users.clear();
    this.#users.set(who, compiled);
    this.#lists.set(key, compiled);
    return compiled;
  }

  #compile(policies: readonly NamedStatements[]): CompiledUser {
    const compiled = compile(policies, { partition: this.#partition, evaluator: "extended" });
    const reads = compiled.statements.flatMap(({ condition }) => [...(condition?.reads ?? [])]);
    return { policies: compiled, reads: [...new Set(reads)] };
  }
}

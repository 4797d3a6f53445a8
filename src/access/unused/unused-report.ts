/** Finds what decided nothing for some time: users, keys, groups, policies, statements, actions (decision-log.md §5.2). */

import { compileWildcard } from "../../engine/patterns/wildcard.ts";
import type { Statement } from "../../model/policy.ts";
import type { DirectoryImage } from "../directory-image.ts";
import { type KnownUse, lastOf, UseOf } from "../use-of.ts";

/** The question. */
export interface UnusedQuestion {
  /** Unix milliseconds: used since then is used. */
  readonly since: number;
  readonly now: number;
  /** Names of all actions that a pattern can stand for. */
  readonly actions: readonly string[];
}

/** Unix seconds of the last use; absent where none is known. */
interface LastUse {
  readonly last_used?: number;
}

/** A statement of a policy. */
export interface UnusedStatement extends LastUse {
  readonly policy: string;
  readonly statement: number;
  readonly sid?: string;
  readonly effect: string;
}

/** The things that were not used. Lists are in the order of names. */
export interface UnusedReport {
  /** RFC 3339. */
  readonly since: string;
  /** RFC 3339: since when use is counted; absent where it is not known. */
  readonly counted_since?: string;
  readonly revision: number;
  readonly nodes: readonly { readonly node: string; readonly counted_since: string }[];
  readonly users: readonly (LastUse & { readonly id: string; readonly creation_date: number })[];
  readonly keys: readonly (LastUse & {
    readonly access_key_id: string;
    readonly user: string;
    readonly creation_date: number;
  })[];
  readonly groups: readonly (LastUse & {
    readonly id: string;
    readonly creation_date: number;
    readonly members: number;
  })[];
  readonly policies: readonly (LastUse & {
    readonly id: string;
    /** Users and groups that it is attached to. */
    readonly attached: number;
  })[];
  /** Statements of policies of which others were used. */
  readonly statements: readonly UnusedStatement[];
  /** Actions that used statements allow and that nobody used. */
  readonly actions: readonly {
    readonly policy: string;
    readonly statement: number;
    readonly sid?: string;
    readonly unused: readonly string[];
  }[];
  readonly warnings: readonly string[];
  /** True where a list has more than is shown. */
  readonly truncated: boolean;
}

/** Most entries of a list. */
const MOST_LISTED = 10_000;

/** Returns what was not used. */
export function unusedReport(image: DirectoryImage, use: KnownUse, question: UnusedQuestion): UnusedReport {
  return new Unused(image, use, question).report();
}

class Unused {
  readonly #image: DirectoryImage;
  readonly #nodes: KnownUse["nodes"];
  readonly #use: UseOf;
  readonly #question: UnusedQuestion;
  readonly #since: number;
  #truncated = false;

  constructor(image: DirectoryImage, use: KnownUse, question: UnusedQuestion) {
    this.#image = image;
    this.#nodes = use.nodes;
    this.#use = new UseOf(use);
    this.#question = question;
    this.#since = Math.floor(question.since / 1_000);
  }

  report(): UnusedReport {
    const counted = this.#countedSince();
    const parts = {
      users: this.#cut(this.#users()),
      keys: this.#cut(this.#keys()),
      groups: this.#cut(this.#groups()),
      policies: this.#cut(this.#policies()),
      statements: this.#cut(this.#statements()),
      actions: this.#cut(this.#actions()),
    };
    return {
      since: new Date(this.#question.since).toISOString(),
      ...(counted !== undefined && { counted_since: new Date(counted).toISOString() }),
      revision: this.#image.revision,
      nodes: this.#nodes.map(({ node, at }) => ({ node, counted_since: new Date(at).toISOString() })),
      ...parts,
      warnings: this.#warnings(counted),
      truncated: this.#truncated,
    };
  }

  #countedSince(): number | undefined {
    const times = this.#nodes.map(({ at }) => at);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #warnings(counted: number | undefined): readonly string[] {
    const { served } = this.#use;
    const { since } = this.#question;
    return [
      ...(counted === undefined || counted > since
        ? ["use is counted for a shorter time than was asked for: what was used before that is named too"]
        : []),
      ...(served > 0
        ? [
            `data servers read effective policies ${served} times and decided by themselves: groups, policies, statements and actions that they used are named too`,
          ]
        : []),
    ];
  }

  #cut<T>(all: readonly T[]): readonly T[] {
    if (all.length <= MOST_LISTED) return all;
    this.#truncated = true;
    return all.slice(0, MOST_LISTED);
  }

  /** Undefined for what was used in time. */
  #unusedSince(last: number | undefined): LastUse | undefined {
    if (last === undefined) return {};
    return last >= this.#since ? undefined : { last_used: last };
  }

  #users(): UnusedReport["users"] {
    return this.#image.users.flatMap(({ name: id, created: creation_date }) => {
      const found = this.#unusedSince(this.#use.thing("user", id, creation_date)?.last);
      return found === undefined ? [] : [{ id, creation_date, ...found }];
    });
  }

  #keys(): UnusedReport["keys"] {
    return this.#image.users.flatMap(({ name: user, keys }) =>
      keys.flatMap(({ id: access_key_id, created: creation_date }) => {
        const found = this.#unusedSince(this.#use.thing("key", access_key_id, creation_date)?.last);
        return found === undefined ? [] : [{ access_key_id, user, creation_date, ...found }];
      }),
    );
  }

  #groups(): UnusedReport["groups"] {
    const members = new Map<string, number>();
    for (const { groups } of this.#image.users) {
      for (const group of groups) members.set(group, (members.get(group) ?? 0) + 1);
    }
    return this.#image.groups.flatMap(({ name: id, created: creation_date }) => {
      const found = this.#unusedSince(this.#use.thing("group", id, creation_date)?.last);
      return found === undefined ? [] : [{ id, creation_date, members: members.get(id) ?? 0, ...found }];
    });
  }

  #lastOfStatement(policy: string, statement: Statement): number | undefined {
    return lastOf(this.#use.statement(policy, statement).values());
  }

  #lastOfPolicy(name: string, statements: readonly Statement[]): number | undefined {
    const times = statements
      .map((statement) => this.#lastOfStatement(name, statement))
      .filter((last) => last !== undefined);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  #policies(): UnusedReport["policies"] {
    const attached = new Map<string, number>();
    for (const { policies } of [...this.#image.users, ...this.#image.groups]) {
      for (const policy of policies) attached.set(policy, (attached.get(policy) ?? 0) + 1);
    }
    return this.#image.policies.flatMap(({ name: id, statement }) => {
      const found = this.#unusedSince(this.#lastOfPolicy(id, statement));
      return found === undefined ? [] : [{ id, attached: attached.get(id) ?? 0, ...found }];
    });
  }

  #usedPolicies(): DirectoryImage["policies"] {
    return this.#image.policies.filter(
      ({ name, statement }) => this.#unusedSince(this.#lastOfPolicy(name, statement)) === undefined,
    );
  }

  #statements(): readonly UnusedStatement[] {
    return this.#usedPolicies().flatMap(({ name: policy, statement: all }) =>
      all.flatMap((one, statement) => {
        const found = this.#unusedSince(this.#lastOfStatement(policy, one));
        const { sid, effect } = one;
        return found === undefined
          ? []
          : [{ policy, statement, ...(sid !== undefined && { sid }), effect, ...found }];
      }),
    );
  }

  #actions(): UnusedReport["actions"] {
    return this.#usedPolicies().flatMap(({ name: policy, statement: all }) =>
      all.flatMap((one, statement) => {
        const unused = this.#unusedActions(policy, one);
        const { sid } = one;
        return unused.length === 0 ? [] : [{ policy, statement, ...(sid !== undefined && { sid }), unused }];
      }),
    );
  }

  #unusedActions(policy: string, statement: Statement): readonly string[] {
    if (statement.effect === "deny") return [];
    const uses = this.#use.statement(policy, statement);
    // Uses of actions that were not counted one by one: which ones is not known.
    if (uses.has("")) return [];
    const used = new Set([...uses].filter(([, { last }]) => last >= this.#since).map(([action]) => action));
    if (used.size === 0) return [];
    const named = statement.action.flatMap((pattern) => {
      if (!/[*?]/.test(pattern)) return [pattern];
      const matcher = compileWildcard(pattern);
      return this.#question.actions.filter((action) => matcher.match(action));
    });
    return [...new Set(named)].filter((action) => !used.has(action)).sort();
  }
}

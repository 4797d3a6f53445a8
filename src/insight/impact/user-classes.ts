/** Users with the same policies, as far as these matter for a change: one comparison is enough for all of them. */

import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import type { NamedStatements, Statement, Via } from "@svc-authorizer/policy/model/policy.ts";
import type { Principal } from "../../directory/principal.ts";
import type { Relevance } from "./relevance.ts";

/** Users with the same policies before the change, and after it. */
export interface UserClass {
  /** Number of them. */
  users: number;
  /** Names of the first. */
  readonly some: string[];
  /** The first, with the ways in which it holds the changed policy. */
  readonly user: string;
  readonly via: readonly Via[];
  /** True for a user who is compared alone: `${user}` means something of its own for a name with a slash. */
  readonly isAlone: boolean;
  readonly before: readonly NamedStatements[];
  readonly after: readonly NamedStatements[];
}

/** The effect of a change on one user. */
export interface Holding {
  /** The policy that the user holds before the change and the one after it, under the same name. */
  readonly before: NamedStatements | undefined;
  readonly after: NamedStatements | undefined;
  readonly via: readonly Via[];
}

/** Most classes; each has lists of policies. */
const MOST_CLASSES = 20_000;
/** Most names that are kept of a class. */
const MOST_NAMES = 20;
const USER = "${user}";
const WILDCARD = /[*?]/;

/** Sorts users into classes. */
export class UserClasses {
  readonly #changed: string;
  readonly #relevance: Relevance;
  readonly #classes = new Map<string, UserClass>();
  /** Id and version of a policy → its number. */
  readonly #numbers = new Map<string, number>();
  /** The policies of a group that matter, by the list that all members share. */
  readonly #ofLists = new WeakMap<readonly StoredPolicy[], readonly StoredPolicy[]>();

  /** @param changed name of the changed policy */
  constructor(changed: string, relevance: Relevance) {
    this.#changed = changed;
    this.#relevance = relevance;
  }

  /** The classes, those with the most users first. */
  get all(): readonly UserClass[] {
    return [...this.#classes.values()].sort((a, b) => b.users - a.users);
  }

  /** Adds a user; false if there is no room for another class. */
  async add({ username, held }: Principal, { before, after, via }: Holding): Promise<boolean> {
    const others = new Map<number, StoredPolicy>();
    for (const { policies } of held) {
      for (const policy of await this.#relevant(policies)) others.set(this.#numberOf(policy), policy);
    }
    const numbers = [...others.keys()].sort((a, b) => a - b);
    const isPattern = WILDCARD.test(username);
    const isAlone =
      username.includes("/") && [before, after, ...others.values()].some((one) => one && namesUser(one));
    const marks = [before !== undefined, after !== undefined, isPattern].map(Number);
    const key = [...marks, ...numbers, ...(isAlone ? [username] : [])].join(" ");
    const known = this.#classes.get(key);
    if (known !== undefined) {
      known.users++;
      if (known.some.length < MOST_NAMES) known.some.push(username);
      return true;
    }
    if (this.#classes.size >= MOST_CLASSES) return false;
    const inForce = isPattern ? withoutOwn : named;
    const rest = numbers.map((number) => inForce(others.get(number) as StoredPolicy));
    const withPolicy = (policy: NamedStatements | undefined) =>
      policy === undefined ? rest : [...rest, inForce(policy)];
    this.#classes.set(key, {
      users: 1,
      some: [username],
      user: username,
      isAlone,
      via,
      before: withPolicy(before),
      after: withPolicy(after),
    });
    return true;
  }

  async #relevant(policies: readonly StoredPolicy[]): Promise<readonly StoredPolicy[]> {
    const known = this.#ofLists.get(policies);
    if (known !== undefined) return known;
    const relevant: StoredPolicy[] = [];
    for (const policy of policies)
      if (policy.name !== this.#changed && (await this.#relevance.has(policy))) relevant.push(policy);
    this.#ofLists.set(policies, relevant);
    return relevant;
  }

  #numberOf({ id, version }: StoredPolicy): number {
    const key = `${id} ${version}`;
    const number = this.#numbers.get(key) ?? this.#numbers.size;
    this.#numbers.set(key, number);
    return number;
  }
}

function namesUser({ statement }: NamedStatements): boolean {
  return statement.some(({ resource }) => resource.includes(USER));
}

function named({ name, statement }: NamedStatements): NamedStatements {
  return { name, statement };
}

/**
 * The policy as it is for a name with wildcards: allows that contain `${user}` are no allows (spec/security §3.1). They
 * stay without actions, since answers name statements by their numbers.
 */
function withoutOwn({ name, statement }: NamedStatements): NamedStatements {
  const isOwn = ({ effect, resource }: Statement) => effect === "allow" && resource.includes(USER);
  return { name, statement: statement.map((one) => (isOwn(one) ? { ...one, action: [] } : one)) };
}

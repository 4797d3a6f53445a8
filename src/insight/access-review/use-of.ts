/** The use of the things of a directory, found by their names. */

import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { statementDigest } from "../../usage/statement-digest.ts";
import type { UsageKind, UsageRow, Used } from "../../usage/usage-rows.ts";

/** The counts of use of all nodes. */
export interface KnownUse {
  readonly rows: readonly UsageRow[];
  /** The nodes whose use is known; Unix milliseconds. */
  readonly nodes: readonly { readonly node: string; readonly at: number }[];
  /** Unix milliseconds since when all use is known; absent where none is. */
  readonly countedSince?: number;
  /** Sentences about the use that is left out at present. */
  readonly doubts: readonly string[];
}

const MS_PER_SECOND = 1_000;

/** Finds use. All times are Unix seconds. */
export class UseOf {
  readonly #things = new Map<string, Used>();
  readonly #statements = new Map<string, Map<string, Used>>();
  #served = 0;

  constructor({ rows }: Pick<KnownUse, "rows">) {
    this.add(rows);
  }

  /** Reads of effective policies by data servers. */
  get served(): number {
    return this.#served;
  }

  /** Takes further rows. */
  add(rows: readonly UsageRow[]): void {
    for (const { kind, name, part, action, count, last } of rows) {
      const used = { count, last: Math.floor(last / MS_PER_SECOND) };
      if (kind === "statement") {
        const key = `${name}\n${part}`;
        const actions = this.#statements.get(key) ?? new Map<string, Used>();
        actions.set(action, used);
        this.#statements.set(key, actions);
        continue;
      }
      if (kind === "served") this.#served += count;
      const key = `${kind}\n${name}`;
      // Several rows of a name are of things that existed one after the other.
      if ((this.#things.get(key)?.last ?? -1) <= used.last) this.#things.set(key, used);
    }
  }

  /** The use of a thing; undefined where there was none since its creation. */
  thing(kind: Exclude<UsageKind, "statement" | "served">, name: string, created: number): Used | undefined {
    const used = this.#things.get(`${kind}\n${name}`);
    return used === undefined || used.last < created ? undefined : used;
  }

  /** The use of a statement by action; "" stands for further actions. */
  statement(policy: string, statement: Statement): ReadonlyMap<string, Used> {
    return this.#statements.get(`${policy}\n${statementDigest(statement)}`) ?? NOTHING;
  }
}

const NOTHING: ReadonlyMap<string, Used> = new Map();

/** The newest of several uses; undefined for none. */
export function lastOf(uses: Iterable<Used>): number | undefined {
  let last: number | undefined;
  for (const used of uses) if (last === undefined || used.last > last) last = used.last;
  return last;
}

/** The walks through users, keys, groups and policies that find what was not used since a time. */

import { compileWildcard } from "@svc-authorizer/policy/engine/patterns/wildcard.ts";
import type { Acceptance, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { lastOf, UseOf } from "../use-of.ts";
import type {
  AccessInUse,
  Part,
  PartRange,
  ReviewedPolicy,
  UnusedEntry,
  UnusedKind,
} from "./unused-access.ts";
import type { Place } from "./unused-marks.ts";

/** Things whose use is asked for at once: about a millisecond. */
const PER_PART = 250;
const POLICIES_PER_PART = 50;

/** A thing that the walk came by. */
export interface Looked {
  readonly place: Place;
  /** Present for what was not used. */
  readonly entry?: UnusedEntry | undefined;
  /** Records that had to be read for it, roughly. */
  readonly cost: number;
}

interface LastUse {
  readonly last_used?: number;
}

/** A policy with its use. */
interface UsedPolicy {
  readonly policy: ReviewedPolicy;
  readonly use: UseOf;
  readonly last: number | undefined;
}

/** Walks. */
export class UnusedWalks {
  readonly #source: AccessInUse;
  /** Unix seconds. */
  readonly #since: number;

  /** @param since Unix milliseconds */
  constructor(source: AccessInUse, since: number) {
    this.#source = source;
    this.#since = Math.floor(since / 1_000);
  }

  /** Everything of a kind after a place. */
  of(kind: UnusedKind, from: Place): AsyncIterable<Looked> {
    if (kind === "user") return this.#users(from);
    if (kind === "key") return this.#keys(from);
    if (kind === "group") return this.#groups(from);
    if (kind === "policy") return this.#policies(from);
    return this.#statements(from);
  }

  /** Undefined for what was used in time. */
  #unused(last: number | undefined): LastUse | undefined {
    if (last === undefined) return {};
    return last >= this.#since ? undefined : { last_used: last };
  }

  async #useOf(kind: "user" | "key" | "group", names: readonly string[]): Promise<UseOf> {
    return new UseOf({ rows: names.length === 0 ? [] : await this.#source.usageOf(kind, names) });
  }

  async *#users({ kind, name }: Place): AsyncGenerator<Looked> {
    for await (const items of eachPart((range) => this.#source.userPart(range), name, PER_PART)) {
      const use = await this.#useOf(
        "user",
        items.map(({ username }) => username),
      );
      for (const { username: id, creation_date } of items) {
        const unused = this.#unused(use.thing("user", id, creation_date)?.last);
        const entry = unused && ({ kind: "user", id, creation_date, ...unused } as const);
        yield { place: { kind, name: id }, entry, cost: 1 };
      }
    }
  }

  async *#keys({ kind, name }: Place): AsyncGenerator<Looked> {
    for await (const items of eachPart((range) => this.#source.keyPart(range), name, PER_PART)) {
      const use = await this.#useOf(
        "key",
        items.map(({ access_key_id }) => access_key_id),
      );
      for (const { access_key_id, creation_date, username: user } of items) {
        const unused = this.#unused(use.thing("key", access_key_id, creation_date)?.last);
        const entry = unused && ({ kind: "key", access_key_id, user, creation_date, ...unused } as const);
        yield { place: { kind, name: access_key_id }, entry, cost: 1 };
      }
    }
  }

  async *#groups({ kind, name }: Place): AsyncGenerator<Looked> {
    for await (const items of eachPart((range) => this.#source.groupPart(range), name, PER_PART)) {
      const use = await this.#useOf(
        "group",
        items.map((group) => group.name),
      );
      for (const { name: id, creation_date } of items) {
        const place = { kind, name: id };
        const unused = this.#unused(use.thing("group", id, creation_date)?.last);
        if (unused === undefined) {
          yield { place, cost: 1 };
          continue;
        }
        let members = 0;
        for await (const page of (await this.#source.members(id)) ?? []) members += page.length;
        const entry = { kind: "group", id, creation_date, members, ...unused } as const;
        yield { place, entry, cost: 1 + members };
      }
    }
  }

  async *#policies({ kind, name }: Place): AsyncGenerator<Looked> {
    for await (const { policy, last } of this.#policiesAfter(name)) {
      const { name: id } = policy;
      const place = { kind, name: id };
      const unused = this.#unused(last);
      if (unused === undefined) {
        yield { place, cost: 1 };
        continue;
      }
      let attached = 0;
      for await (const count of this.#source.attachments(id)) attached += count;
      yield {
        place,
        entry: { kind: "policy", id, attached, ...accepting(policy.accept), ...unused },
        cost: 1 + attached,
      };
    }
  }

  /** Statements, or their actions, of policies of which something was used. */
  async *#statements(from: Place): AsyncGenerator<Looked> {
    const { kind, name, statement } = from;
    if (statement !== undefined) {
      const policy = await this.#source.policy(name);
      if (policy !== undefined) yield* this.#within(kind, await this.#used(policy), statement);
    }
    for await (const used of this.#policiesAfter(name)) yield* this.#within(kind, used, -1);
  }

  /** The statements of a policy after one of them. */
  async *#within(kind: UnusedKind, { policy, use, last }: UsedPolicy, after: number): AsyncGenerator<Looked> {
    const { name } = policy;
    const isUsed = this.#unused(last) === undefined;
    for (const [statement, one] of isUsed ? policy.statement.entries() : []) {
      if (statement <= after) continue;
      await this.#source.pause();
      const { sid, effect } = one;
      const concerned = policy.accept?.filter((each) => each.sid === undefined || each.sid === sid);
      const place = {
        policy: name,
        statement,
        ...(sid !== undefined && { sid }),
        ...accepting(concerned),
      };
      let entry: UnusedEntry | undefined;
      if (kind === "statement") {
        const unused = this.#unused(lastOf(use.statement(name, one).values()));
        entry = unused && { kind, ...place, effect, ...unused };
      } else {
        const unused = await this.#unusedActions(use, name, one);
        if (unused.length > 0) entry = { kind: "actions", ...place, unused };
      }
      if (entry !== undefined) yield { place: { kind, name, statement }, entry, cost: 0 };
    }
    yield { place: { kind, name }, cost: 1 };
  }

  async *#policiesAfter(name: string): AsyncGenerator<UsedPolicy> {
    for await (const items of eachPart((range) => this.#source.policyPart(range), name, POLICIES_PER_PART)) {
      for (const policy of items) yield this.#used(policy);
    }
  }

  /** Each statement is found by a digest of its text, which is long work for a thousand of them. */
  async #used(policy: ReviewedPolicy): Promise<UsedPolicy> {
    const use = new UseOf({ rows: [] });
    for await (const rows of this.#source.usageOfPolicy(policy.name)) use.add(rows);
    let last: number | undefined;
    for (const statement of policy.statement) {
      await this.#source.pause();
      const used = lastOf(use.statement(policy.name, statement).values());
      if (used !== undefined && (last === undefined || used > last)) last = used;
    }
    return { policy, use, last };
  }

  async #unusedActions(use: UseOf, policy: string, statement: Statement): Promise<readonly string[]> {
    if (statement.effect === "deny") return [];
    const uses = use.statement(policy, statement);
    // Uses of actions that were not counted one by one: which ones is not known.
    if (uses.has("")) return [];
    const used = new Set([...uses].filter(([, { last }]) => last >= this.#since).map(([action]) => action));
    if (used.size === 0) return [];
    const named = new Set<string>();
    for (const pattern of statement.action) {
      await this.#source.pause();
      for (const action of this.#namedBy(pattern)) named.add(action);
    }
    return [...named].filter((action) => !used.has(action)).sort();
  }

  #namedBy(pattern: string): readonly string[] {
    if (!/[*?]/.test(pattern)) return [pattern];
    const matcher = compileWildcard(pattern);
    return this.#source.actions.filter((action) => matcher.match(action));
  }
}

/** The things after a name, in parts. */
async function* eachPart<T>(
  read: (range: PartRange) => Promise<Part<T>>,
  name: string,
  limit: number,
): AsyncGenerator<readonly T[]> {
  for (let after: string | undefined = name; after !== undefined; ) {
    const part: Part<T> = await read({ after, limit });
    yield part.items;
    after = part.upTo;
  }
}

function accepting(accept: readonly Acceptance[] = []): { readonly accept?: readonly Acceptance[] } {
  return accept.length === 0 ? {} : { accept };
}

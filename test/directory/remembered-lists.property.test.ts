import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import { piecesOf, withChanged } from "@svc-authorizer/policy/model/policy-lists.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DirectoryChange } from "../../src/directory/directory.ts";
import type { PolicyAttachment } from "../../src/directory/read/attachments.ts";
import { HolderLists } from "../../src/directory/read/holder-lists.ts";
import type { KnownList } from "../../src/directory/read/remembered-lists.ts";
import { sized } from "../proofs/size.ts";

const GROUPS = ["g1", "g2", "g3"];
const POLICIES = ["p1", "p2", "p3"];

/**
 * A step of a run: a commit becomes visible (a policy may go, and another come under its name; a group may get another
 * name), the oldest that was not told is told, a reader opens a state or reads, or the store goes back to a state that
 * another one follows under the same number.
 */
const step = fc.oneof(
  fc.record({
    is: fc.constant("attach" as const),
    group: fc.constantFrom(...GROUPS),
    policy: fc.constantFrom(...POLICIES),
  }),
  fc.record({ is: fc.constant("update" as const), policy: fc.constantFrom(...POLICIES) }),
  fc.record({ is: fc.constant("recreate" as const), policy: fc.constantFrom(...POLICIES) }),
  fc.record({ is: fc.constant("rename" as const), group: fc.constantFrom(...GROUPS) }),
  fc.record({ is: fc.constant("tell" as const) }),
  fc.record({
    is: fc.constant("replace" as const),
    back: fc.nat(3),
    group: fc.constantFrom(...GROUPS),
    policy: fc.constantFrom(...POLICIES),
  }),
  fc.record({ is: fc.constant("open" as const), reader: fc.nat(2) }),
  // Everything is told of, and a reader opens the newest state.
  fc.record({ is: fc.constant("settle" as const), reader: fc.nat(2) }),
  fc.record({ is: fc.constant("look" as const), reader: fc.nat(2), group: fc.constantFrom(...GROUPS) }),
  fc.record({ is: fc.constant("keep" as const), reader: fc.nat(2), group: fc.constantFrom(...GROUPS) }),
);

/** A policy of a name; under another id it is another policy. */
interface NamedPolicy {
  readonly id: string;
  readonly version: number;
}

/** A state of the store: policies by name, the names of groups, and which group has which policy by name and id. */
interface State {
  readonly names: ReadonlyMap<string, string>;
  readonly policies: ReadonlyMap<string, NamedPolicy | undefined>;
  readonly attached: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

const FIRST: State = {
  names: new Map(GROUPS.map((group) => [group, `${group}-0`])),
  policies: new Map(POLICIES.map((name) => [name, { id: `${name}-0`, version: 0 }])),
  attached: new Map(GROUPS.map((group) => [group, new Map(POLICIES.map((name) => [name, `${name}-0`]))])),
};

function attached({ names, policies, attached: before }: State, group: string, policy: string): State {
  const own = new Map(before.get(group));
  const id = policies.get(policy)?.id;
  if (id === undefined || own.get(policy) === id) own.delete(policy);
  else own.set(policy, id);
  return { names, policies, attached: new Map(before).set(group, own) };
}

function storedPolicy(name: string, { id, version }: NamedPolicy): StoredPolicy {
  return { id, version: String(version), name, creation_date: 0, statement: [] };
}

/** The policies of a group; an attachment to an earlier policy of the name is void. */
function policiesOf({ policies, attached }: State, group: string): StoredPolicy[] {
  return [...(attached.get(group) ?? [])].sort().flatMap(([name, id]) => {
    const policy = policies.get(name);
    return policy?.id === id ? [storedPolicy(name, policy)] : [];
  });
}

/** A remembered list, with what was touched read again; undefined where a policy is gone, as the reader of users does. */
function renewed(
  { policies }: State,
  known: KnownList<StoredPolicy> | undefined,
): readonly StoredPolicy[] | undefined {
  const changed = new Map<StoredPolicy, StoredPolicy>();
  for (const before of known?.touched ?? []) {
    const policy = policies.get(before.name);
    if (policy?.id !== before.id) return undefined;
    changed.set(before, storedPolicy(before.name, policy));
  }
  return known && withChanged(known.list, changed);
}

/** An attachment to every policy that ever was, of which the last was made under this number. */
function attachments(made: number): readonly PolicyAttachment[] {
  const numbers = Array.from({ length: made + 1 }, (_, number) => number);
  return POLICIES.flatMap((name) => numbers.map((number) => ({ id: `${name}-${number}`, name })));
}

describe("what is remembered of holders", () => {
  it("is what the reader's own state says, however commits, news of them and reads interleave", () => {
    let remembered = 0;
    let renewals = 0;
    let knownPolicies = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 80, size: "max" }), (steps) => {
        const lists = new HolderLists();
        const { policies: known, policiesById } = lists;
        let made = 0;
        const states: State[] = [FIRST];
        const untold: { revision: number; change: DirectoryChange }[] = [];
        let base = "0";
        const open = () => ({
          ...lists.opened({ revision: states.length - 1, base }),
          state: states.at(-1) as State,
        });
        const readers = [open(), open(), open()];
        /** A whole state is told of before anything is committed on it. */
        const tellReplaced = (): void => {
          if (untold[0]?.change.all !== true) return;
          const { revision, change } = untold.shift()!;
          lists.tell(revision, change);
        };
        for (const one of steps) {
          const newest = states.at(-1) as State;
          if (one.is === "attach") {
            tellReplaced();
            const revision = states.push(attached(newest, one.group, one.policy)) - 1;
            untold.push({ revision, change: { groups: [one.group] } });
          } else if (one.is === "update") {
            tellReplaced();
            const before = newest.policies.get(one.policy);
            if (before === undefined) continue;
            const policies = new Map(newest.policies).set(one.policy, {
              ...before,
              version: before.version + 1,
            });
            const revision = states.push({ ...newest, policies }) - 1;
            untold.push({ revision, change: { policies: [before.id] } });
          } else if (one.is === "recreate") {
            tellReplaced();
            const before = newest.policies.get(one.policy);
            const after = before === undefined ? { id: `${one.policy}-${++made}`, version: 0 } : undefined;
            const policies = new Map(newest.policies).set(one.policy, after);
            const revision = states.push({ ...newest, policies }) - 1;
            untold.push({ revision, change: { policies: [(before ?? after)!.id] } });
          } else if (one.is === "rename") {
            tellReplaced();
            const names = new Map(newest.names).set(one.group, `${one.group}-${++made}`);
            const revision = states.push({ ...newest, names }) - 1;
            untold.push({ revision, change: { groups: [one.group] } });
          } else if (one.is === "replace") {
            states.splice(Math.max(1, states.length - one.back));
            states.push(attached(states.at(-1) as State, one.group, one.policy));
            base = String(Number(base) + 1);
            untold.splice(0, untold.length, { revision: states.length - 1, change: { all: true } });
          } else if (one.is === "tell") {
            const next = untold.shift();
            if (next !== undefined) lists.tell(next.revision, next.change);
          } else if (one.is === "settle") {
            for (const { revision, change } of untold.splice(0)) lists.tell(revision, change);
            readers[one.reader] = open();
          } else if (one.is === "open") readers[one.reader] = open();
          else {
            const reader = readers[one.reader]!;
            const stored = [...reader.state.policies].flatMap(([name, policy]) =>
              policy === undefined ? [] : [storedPolicy(name, policy)],
            );
            if (one.is === "keep") policiesById.keep(reader, stored);
            const inForce = policiesById.at(reader, attachments(made));
            for (const policy of inForce) {
              if (policy === undefined) continue;
              knownPolicies++;
              expect(stored).toContainEqual(policy);
            }
            const own = policiesOf(reader.state, one.group);
            const holder = { id: one.group, name: reader.state.names.get(one.group)! };
            if (one.is === "keep") known.keep(reader, holder, own);
            const found = known.at(reader, one.group);
            const list = renewed(reader.state, found);
            if (found === undefined || list === undefined) continue;
            remembered++;
            if (found.touched.length > 0) renewals++;
            expect(found.name).toBe(holder.name);
            expect(list).toEqual(own);
            expect(piecesOf(list).flat()).toEqual(own);
            known.keep(reader, holder, list, found);
          }
        }
      }),
      { numRuns: sized(300, 3_000) },
    );
    expect(remembered).toBeGreaterThan(sized(250, 3_000));
    expect(knownPolicies).toBeGreaterThan(sized(250, 3_000));
    expect(renewals).toBeGreaterThan(sized(0, 100));
  });
});

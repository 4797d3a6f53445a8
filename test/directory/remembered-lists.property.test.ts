import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DirectoryChange } from "../../src/directory/directory.ts";
import { GroupPolicies } from "../../src/directory/read/group-policies.ts";
import { sized } from "../proofs/size.ts";

const GROUPS = ["g1", "g2", "g3"];
const POLICIES = ["p1", "p2", "p3"];

/**
 * A step of a run: a commit becomes visible, the oldest that was not told is told, a reader opens a state or reads, or the
 * store goes back to a state that another one follows under the same number.
 */
const step = fc.oneof(
  fc.record({
    is: fc.constant("attach" as const),
    group: fc.constantFrom(...GROUPS),
    policy: fc.constantFrom(...POLICIES),
  }),
  fc.record({ is: fc.constant("update" as const), policy: fc.constantFrom(...POLICIES) }),
  fc.record({ is: fc.constant("tell" as const) }),
  fc.record({
    is: fc.constant("replace" as const),
    back: fc.nat(3),
    group: fc.constantFrom(...GROUPS),
    policy: fc.constantFrom(...POLICIES),
  }),
  fc.record({ is: fc.constant("open" as const), reader: fc.nat(2) }),
  fc.record({ is: fc.constant("look" as const), reader: fc.nat(2), group: fc.constantFrom(...GROUPS) }),
  fc.record({ is: fc.constant("keep" as const), reader: fc.nat(2), group: fc.constantFrom(...GROUPS) }),
);

/** A state of the store: versions of policies, and which group has which. */
interface State {
  readonly versions: ReadonlyMap<string, number>;
  readonly attached: ReadonlyMap<string, ReadonlySet<string>>;
}

function attached({ versions, attached: before }: State, group: string, policy: string): State {
  const own = new Set(before.get(group));
  if (!own.delete(policy)) own.add(policy);
  return { versions, attached: new Map(before).set(group, own) };
}

function policiesOf({ versions, attached }: State, group: string): StoredPolicy[] {
  return [...(attached.get(group) ?? [])].sort().map((id) => ({
    id,
    version: String(versions.get(id) ?? 0),
    name: id,
    creation_date: 0,
    statement: [],
  }));
}

describe("what is remembered of groups", () => {
  it("is what the reader's own state says, however commits, news of them and reads interleave", () => {
    let remembered = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 80 }), (steps) => {
        const known = new GroupPolicies();
        const states: State[] = [{ versions: new Map(), attached: new Map() }];
        const untold: { revision: number; change: DirectoryChange }[] = [];
        let base = "0";
        const open = () => ({ revision: states.length - 1, base, state: states.at(-1) as State });
        const readers = [open(), open(), open()];
        /** A whole state is told of before anything is committed on it. */
        const tellReplaced = (): void => {
          if (untold[0]?.change.all !== true) return;
          const { revision, change } = untold.shift()!;
          known.tell(revision, change);
        };
        for (const one of steps) {
          const newest = states.at(-1) as State;
          if (one.is === "attach") {
            tellReplaced();
            const revision = states.push(attached(newest, one.group, one.policy)) - 1;
            untold.push({ revision, change: { groups: [one.group] } });
          } else if (one.is === "update") {
            tellReplaced();
            const versions = new Map(newest.versions);
            versions.set(one.policy, (versions.get(one.policy) ?? 0) + 1);
            const revision = states.push({ ...newest, versions }) - 1;
            untold.push({ revision, change: { policies: [one.policy] } });
          } else if (one.is === "replace") {
            states.splice(Math.max(1, states.length - one.back));
            states.push(attached(states.at(-1) as State, one.group, one.policy));
            base = String(Number(base) + 1);
            untold.splice(0, untold.length, { revision: states.length - 1, change: { all: true } });
          } else if (one.is === "tell") {
            const next = untold.shift();
            if (next !== undefined) known.tell(next.revision, next.change);
          } else if (one.is === "open") readers[one.reader] = open();
          else {
            const reader = readers[one.reader]!;
            const own = policiesOf(reader.state, one.group);
            if (one.is === "keep") known.keep(reader, one.group, own);
            const found = known.at(reader, one.group);
            if (found === undefined) continue;
            remembered++;
            expect(found).toEqual(own);
          }
        }
      }),
      { numRuns: sized(300, 3_000) },
    );
    expect(remembered).toBeGreaterThan(sized(250, 3_000));
  });
});

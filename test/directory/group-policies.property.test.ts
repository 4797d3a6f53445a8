import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DirectoryChange, StoredPolicy } from "../../src/directory/directory.ts";
import { GroupPolicies } from "../../src/directory/read/group-policies.ts";

const GROUPS = ["g1", "g2", "g3"];
const POLICIES = ["p1", "p2", "p3"];

/** A step of a run: a commit becomes visible, the oldest that was not told is told, a reader opens a state or reads. */
const step = fc.oneof(
  fc.record({
    is: fc.constant("attach" as const),
    group: fc.constantFrom(...GROUPS),
    policy: fc.constantFrom(...POLICIES),
  }),
  fc.record({ is: fc.constant("update" as const), policy: fc.constantFrom(...POLICIES) }),
  fc.record({ is: fc.constant("tell" as const) }),
  fc.record({ is: fc.constant("open" as const), reader: fc.nat(2) }),
  fc.record({ is: fc.constant("look" as const), reader: fc.nat(2), group: fc.constantFrom(...GROUPS) }),
  fc.record({ is: fc.constant("keep" as const), reader: fc.nat(2), group: fc.constantFrom(...GROUPS) }),
);

/** A state of the store: versions of policies, and which group has which. */
interface State {
  readonly versions: ReadonlyMap<string, number>;
  readonly attached: ReadonlyMap<string, ReadonlySet<string>>;
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
        const readers = [0, 0, 0];
        for (const one of steps) {
          const newest = states.at(-1) as State;
          if (one.is === "attach" || one.is === "update") {
            const versions = new Map(newest.versions);
            const attached = new Map(newest.attached);
            if (one.is === "update") versions.set(one.policy, (versions.get(one.policy) ?? 0) + 1);
            else {
              const own = new Set(attached.get(one.group));
              if (!own.delete(one.policy)) own.add(one.policy);
              attached.set(one.group, own);
            }
            const change = one.is === "update" ? { policies: [one.policy] } : { groups: [one.group] };
            untold.push({ revision: states.push({ versions, attached }) - 1, change });
          } else if (one.is === "tell") {
            const next = untold.shift();
            if (next !== undefined) known.tell(next.revision, next.change);
          } else if (one.is === "open") readers[one.reader] = states.length - 1;
          else {
            const revision = readers[one.reader] as number;
            const own = policiesOf(states[revision] as State, one.group);
            if (one.is === "keep") known.keep(revision, one.group, own);
            const found = known.at(revision, one.group);
            if (found === undefined) continue;
            remembered++;
            expect(found).toEqual(own);
          }
        }
      }),
      { numRuns: 3_000 },
    );
    expect(remembered).toBeGreaterThan(3_000);
  });
});

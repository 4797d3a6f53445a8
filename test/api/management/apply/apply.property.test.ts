import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BatchOperation, DirectoryState } from "../../../../src/directory/batch.ts";
import { closedAfterAll } from "../../../closed-after-all.ts";
import { plainState } from "../../../datasets/plain-state.ts";
import { startManagement } from "../kit.ts";
import { applied, lines, meanwhile, stateOf } from "./apply-kit.ts";

const USERS = ["ann", "bob", "cy"];
const GROUPS = ["Crew", "Guests"];
const POLICIES = ["Own", "Other"];
const MANAGERS = ["first", "second"];
const ACTIONS = ["fs:ReadObject", "fs:WriteObject", "fs:*"];

const some = (names: readonly string[]) => fc.subarray([...names]);
const statement = fc
  .record({ effect: fc.constantFrom("allow", "deny"), action: fc.subarray(ACTIONS, { minLength: 1 }) })
  .map((one) => [{ ...one, resource: "*" }]);
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const user = fc.record({
  email: maybe(fc.constantFrom("a@example.com", "b@example.com")),
  external_id: maybe(fc.constantFrom("1", "2")),
  properties: maybe(fc.record({ team: fc.constantFrom("x", "y") })),
  groups: maybe(some(GROUPS)),
  policies: maybe(some(POLICIES)),
});
const group = fc.record({
  description: maybe(fc.constantFrom("one", "two")),
  policies: maybe(some(POLICIES)),
});

const documentOf = fc
  .record({
    users: fc.array(fc.tuple(fc.constantFrom(...USERS), user), { maxLength: 3 }),
    groups: fc.array(fc.tuple(fc.constantFrom(...GROUPS), group), { maxLength: 2 }),
    policies: fc.array(fc.tuple(fc.constantFrom(...POLICIES), statement), { maxLength: 2 }),
  })
  .map(({ users, groups, policies }) => ({
    format: 1,
    users: [...new Map(users)].map(([username, rest]) => ({ username, ...rest })),
    groups: [...new Map(groups)].map(([name, rest]) => ({ name, ...rest })),
    policies: [...new Map(policies)].map(([name, one]) => ({ name, statement: one })),
  }));

const byHand: fc.Arbitrary<BatchOperation> = fc.oneof(
  fc.constantFrom(...USERS).map((username) => ({ op: "delete_user", username }) as const),
  fc.constantFrom(...USERS).map((username) => ({ op: "put_user", user: { username } }) as const),
  fc.constantFrom(...GROUPS).map((name) => ({ op: "delete_group", name }) as const),
  fc.constantFrom(...POLICIES).map((name) => ({ op: "delete_policy", name }) as const),
  fc
    .tuple(fc.constantFrom(...USERS), fc.constantFrom(...GROUPS))
    .map(([username, name]) => ({ op: "remove_member", group: name, username }) as const),
);

const step = fc.record({
  byHand: fc.array(byHand, { maxLength: 2 }),
  documents: fc.array(documentOf, { minLength: 1, maxLength: 2 }),
  manager: fc.constantFrom(...MANAGERS),
  prune: fc.boolean(),
  as: fc.constantFrom("admin", "admin", "manager", "viewer"),
});

/** Most documents refer to some of these. */
const START: readonly BatchOperation[] = [
  ...POLICIES.map((name): BatchOperation => {
    return {
      op: "put_policy",
      policy: { name, statement: [{ effect: "allow", action: ["fs:ReadObject"], resource: "*" }] },
    };
  }),
  ...GROUPS.map((name): BatchOperation => ({ op: "put_group", name })),
];

const api = await closedAfterAll(startManagement({ "authorizer.escalation": "deny" }));

/** Expects the directory to have what documents name. */
function expectSaid(state: DirectoryState, documents: readonly Record<string, never[]>[]): void {
  for (const { users = [], groups = [], policies = [] } of documents) {
    for (const one of users as {
      username: string;
      groups?: string[];
      policies?: string[];
      email?: string;
    }[]) {
      const found = state.users.get(one.username);
      expect([...(found?.groups.keys() ?? [])]).toEqual(expect.arrayContaining(one.groups ?? []));
      expect([...(found?.policies.keys() ?? [])]).toEqual(expect.arrayContaining(one.policies ?? []));
      if (one.email !== undefined) expect(found?.user.value.email).toBe(one.email);
    }
    for (const one of groups as { name: string; policies?: string[] }[]) {
      expect([...(state.groups.get(one.name)?.policies.keys() ?? [])]).toEqual(
        expect.arrayContaining(one.policies ?? []),
      );
    }
    for (const one of policies as { name: string; statement: unknown }[]) {
      expect(state.policies.get(one.name)?.value.statement).toEqual(one.statement);
    }
  }
}

describe("applications, whatever happens in between", () => {
  it("leave nothing for a second plan, do what the plan said, or change nothing", async () => {
    const outcomes = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
        await api.authorizer.reset();
        await meanwhile(api, START);
        for (const { byHand: operations, documents, manager, prune, as } of steps) {
          await meanwhile(api, operations);
          const before = await stateOf(api);
          const options = { manager, prune, as };
          const plan = await applied(api, documents, { ...options, dry_run: true });
          expect(await stateOf(api)).toEqual(before);
          const done = await applied(api, documents, { ...options, yes: true });
          outcomes.set(done.status, (outcomes.get(done.status) ?? 0) + 1);
          const after = await stateOf(api);
          if (done.status !== 200) {
            expect(after).toEqual(before);
            // A plan shows what its caller may not do; everything else it refuses as well.
            if (plan.status === 200) expect(plan.json.refused).not.toEqual([]);
            continue;
          }
          expect(lines(done)).toEqual(lines(plan));
          expect(plan.json.refused).toEqual([]);
          expectSaid(after, documents as never);
          const changes = lines(done).filter((line) => !line.startsWith("keep"));
          if (changes.length === 0) expect(plainState(after)).toEqual(plainState(before));
          const again = await applied(api, documents, { ...options, dry_run: true });
          expect(lines(again).filter((line) => !line.startsWith("keep"))).toEqual([]);
        }
      }),
      { numRuns: 80 },
    );
    // Each way has been taken.
    for (const status of [200, 400, 403, 409]) expect([...outcomes.keys()]).toContain(status);
  });
});

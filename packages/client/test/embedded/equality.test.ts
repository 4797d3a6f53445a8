/**
 * The embedded decision point equals the service: random directories that change while both are asked. The number of
 * questions is small here; `npm run prove` asks 100,000.
 */

import { EmbeddedAuthorizer } from "@svc-authorizer/client/embedded/embedded-authorizer.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { sized } from "../../../../test/proofs/size.ts";

const QUESTIONS = sized(3_000, 100_000);
const USERS = ["alice", "bob", "carol", "ü"];
const GROUPS = ["g1", "g2", "g3"];
const POLICIES = ["p1", "p2", "p3", "p4"];
const ACTIONS = ["fs:ReadObject", "fs:WriteObject", "fs:ReadRepository", "auth:ReadUser"];
const RESOURCES = [
  "arn:svc:fs:::repository/a",
  "arn:svc:fs:::repository/b",
  "arn:svc:fs:::repository/a/object/x",
  "arn:svc:fs:::repository/alice-1",
  "arn:svc:fs:::repository/ü-1",
  "arn:svc:auth:::user/bob",
  "arn:svc:fs:eu::repository/a",
];

let authorizer: TestAuthorizer;
let point: EmbeddedAuthorizer;
beforeAll(async () => {
  authorizer = await startAuthorizer({
    dataset: {
      format: 1,
      users: USERS.map((username, n) => ({
        username,
        properties: { team: ["red", "blue"][n % 2] as string, level: n },
      })),
      groups: GROUPS.map((name) => ({ name })),
      resources: [
        { type: "repository", id: "a", properties: { team: "red", tags: ["x", "y"] } },
        { type: "repository", id: "b", properties: { team: "blue" } },
        { type: "object", id: "a/x", properties: { team: "blue", size: 5 } },
      ],
    },
  });
  point = await EmbeddedAuthorizer.follow({ url: authorizer.url, token: authorizer.token });
});
afterAll(async () => {
  point.close();
  await authorizer.close();
});

const condition = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Record<string, Record<string, string[]>>>(
      { IpAddress: { SourceIp: ["10.0.0.0/8"] } },
      { NotIpAddress: { SourceIp: ["10.1.0.0/16"] } },
      { StringEquals: { "resource.team": ["${subject.team}"] } },
      { StringNotEquals: { "resource.team": ["red"] } },
      { StringLike: { "context.mode": ["f*"] } },
      { NumericGreaterThan: { "subject.level": ["0"] } },
      { "ForAnyValue:StringEquals": { "resource.tags": ["y"] } },
      { Null: { "resource.team": ["true"] } },
      { Bool: { mfa: ["true"] } },
    ),
  },
);
const statement = fc.record({
  effect: fc.constantFrom("allow", "allow", "deny"),
  action: fc.subarray([...ACTIONS, "fs:*", "fs:Read*", "*"], { minLength: 1, maxLength: 2 }),
  resource: fc.constantFrom(
    "*",
    "arn:svc:fs:::repository/*",
    "arn:svc:fs:::repository/a",
    "arn:svc:fs:::repository/?",
    "arn:svc:fs:::repository/${user}-*",
    "arn:svc:auth:::user/${user}",
  ),
  condition,
});
const change = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("policy" as const),
      policy: fc.constantFrom(...POLICIES),
      statement: fc.array(statement, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("attach" as const),
      user: fc.constantFrom(...USERS, ...GROUPS),
      policy: fc.constantFrom(...POLICIES),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("detach" as const),
      user: fc.constantFrom(...USERS, ...GROUPS),
      policy: fc.constantFrom(...POLICIES),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("join" as const),
      user: fc.constantFrom(...USERS),
      group: fc.constantFrom(...GROUPS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("leave" as const),
      user: fc.constantFrom(...USERS),
      group: fc.constantFrom(...GROUPS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("drop" as const), policy: fc.constantFrom(...POLICIES) }),
  },
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;
const leaf = fc.record({ action: fc.constantFrom(...ACTIONS), resource: fc.constantFrom(...RESOURCES) });
const context = fc.record(
  {
    SourceIp: fc.constantFrom("10.1.2.3", "10.2.2.3", "192.168.0.1", "no address"),
    "context.mode": fc.constantFrom("fast", "slow"),
    mfa: fc.boolean(),
    "resource.team": fc.constant("red"),
    subject: fc.constant({ team: "red" }),
  },
  { requiredKeys: [] },
);
const question = fc.record({
  user: fc.constantFrom(...USERS, "nobody"),
  required: fc.oneof(
    leaf,
    fc.record({ and: fc.array(leaf, { maxLength: 3 }) }),
    fc.record({ or: fc.array(leaf, { maxLength: 3 }) }),
    fc.record({ any_resource: fc.record({ action: fc.constantFrom(...ACTIONS) }) }),
  ),
  context,
});

async function apply(one: Change): Promise<void> {
  const { users, groups, policies } = authorizer.directory;
  const of = (name: string) => (GROUPS.includes(name) ? groups : users);
  const work = (): Promise<unknown> => {
    switch (one.kind) {
      case "policy": {
        const policy = { name: one.policy, statement: one.statement } as never;
        return policies.update(policy).catch(() => policies.create(policy));
      }
      case "attach":
        return of(one.user).attachPolicy(one.user, one.policy);
      case "detach":
        return of(one.user).detachPolicy(one.user, one.policy);
      case "join":
        return groups.addMember(one.group, one.user);
      case "leave":
        return groups.removeMember(one.group, one.user);
      case "drop":
        return policies.delete(one.policy);
    }
  };
  // A change that does not apply (nothing to detach, no such policy) is none.
  await work().catch(() => undefined);
}

/** The number of a revision `N.LOG`. */
function numberOf(revision: string | undefined): number {
  return Number.parseInt(revision ?? "", 10);
}

it(`answers ${QUESTIONS} questions as the service does, while the directory changes`, async () => {
  const rounds = Math.ceil(QUESTIONS / 30);
  const effects = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 6 }),
      fc.array(question, { minLength: 30, maxLength: 30 }),
      async (changes, questions) => {
        for (const one of changes) await apply(one);
        const answers = await Promise.all(questions.map((one) => authorizer.client.check(one as never)));
        // Upkeep may commit behind the answers: it changes no decision.
        const answeredAt = numberOf(authorizer.client.revision);
        await vi.waitFor(() => expect(numberOf(point.revision)).toBeGreaterThanOrEqual(answeredAt), {
          timeout: 60_000,
          interval: 1,
        });
        for (const [index, one] of questions.entries()) {
          const { id: _, ...served } = answers[index]!;
          effects.add(served.effect);
          expect(point.check(one as never)).toEqual(served);
        }
      },
    ),
    { numRuns: rounds },
  );
  expect([...effects].sort()).toEqual(["allow", "deny", "neutral"]);
}, 600_000);

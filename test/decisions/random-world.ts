/** Small random directories of users, groups, policies and registered resources, and questions about them. */

import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import type { Condition, Statement } from "@svc-authorizer/policy/model/policy.ts";
import fc from "fast-check";
import type { BatchOperation } from "../../src/directory/batch.ts";

/** One of them would act as a wildcard (`guards: lenient`). */
const USERS = ["alice", "bob", "a/b", "é", "\uff21", "😀", "zoë", "al*"];
const GROUPS = ["g1", "g2", "g3"];
const POLICIES = ["p1", "p2", "p3", "p4"];
const RECORDS = ["a", "alice", "alice-1", "b", "bob-1", "é", "\uff21", "😀"];
const ARN = "arn:svc:demo:::record/";

const scalar = fc.constantFrom("a", "b", "alice", 1, true, null);
const properties: fc.Arbitrary<Properties> = fc
  .array(
    fc.tuple(
      fc.constantFrom("team", "status", "team", "status", "team.lead"),
      fc.oneof(
        { weight: 6, arbitrary: scalar },
        fc.constant(["a"]),
        fc.record({ lead: scalar }),
        fc.record({ "lead.of": scalar }),
      ),
    ),
    { maxLength: 3 },
  )
  .map((entries) => Object.fromEntries(entries));

const condition: fc.Arbitrary<Condition | undefined> = fc.constantFrom<(Condition | undefined)[]>(
  undefined,
  undefined,
  undefined,
  { StringEquals: { "subject.team": ["a"] } },
  { StringNotEquals: { "resource.status": ["a"] } },
  { StringEquals: { "resource.team": ["${subject.team}"] } },
  { StringEquals: { "resource.team": ["${user}"] } },
  { StringLike: { "resource.status": ["a*"] } },
  { StringNotLike: { "subject.status": ["b"] } },
  { Bool: { "context.vip": ["true"] } },
  { IpAddress: { SourceIp: ["10.0.0.0/8"] } },
  { StringEquals: { "action.mode": ["soft"] } },
  { StringEquals: { "resource.team.lead": ["a"] } },
  { StringNotEqualsIfExists: { "subject.team.lead": ["${resource.team.lead, 'a'}"] } },
  { "ForAnyValue:StringLike": { "subject.team": ["a*"] }, Null: { "resource.status": ["false"] } },
  { IpAddress: { "resource.status": ["10.0.0.0/8"] } },
);
const resource = fc.constantFrom(
  "*",
  `${ARN}*`,
  `${ARN}alice*`,
  `${ARN}b`,
  `${ARN}?`,
  `${ARN}\${user}`,
  `${ARN}\${user}-*`,
  "arn:svc:demo:::${user}/*",
  "arn:svc:demo::${user}:record/b",
  `["${ARN}a","${ARN}\${user}"]`,
);
const statement: fc.Arbitrary<Statement> = fc
  .record({
    effect: fc.constantFrom("allow", "allow", "allow", "deny"),
    action: fc.constantFrom(["demo:Read"], ["demo:Write"], ["demo:*"], ["*"], ["fs:ReadObject", "demo:R*"]),
    resource,
    condition,
  })
  .map(({ condition: c, ...rest }) => (c === undefined ? rest : { ...rest, condition: c }));

const pairs = <A, B>(a: readonly A[], b: readonly B[], most: number): fc.Arbitrary<(readonly [A, B])[]> =>
  fc.array(fc.tuple(fc.constantFrom(...a), fc.constantFrom(...b)), { maxLength: most });

/** The content of a directory, as one batch. */
export const directory: fc.Arbitrary<readonly BatchOperation[]> = fc
  .record({
    users: fc.array(properties, { minLength: USERS.length, maxLength: USERS.length }),
    policies: fc.array(fc.array(statement, { minLength: 1, maxLength: 3 }), {
      minLength: POLICIES.length,
      maxLength: POLICIES.length,
    }),
    records: fc.array(fc.option(properties), { minLength: RECORDS.length, maxLength: RECORDS.length }),
    members: pairs(USERS, GROUPS, 10),
    ofUsers: pairs(USERS, POLICIES, 5),
    ofGroups: pairs(GROUPS, POLICIES, 4),
  })
  .map(({ users, policies, records, members, ofUsers, ofGroups }) => [
    {
      op: "put_resource_type",
      resourceType: {
        type: "record",
        arn: `${ARN}{id}`,
        id: "{id}",
        actions: { read: "demo:Read", write: "demo:Write", "\uff21": "demo:Delete", "😀": "demo:Read" },
      },
    },
    ...GROUPS.map((name) => ({ op: "put_group" as const, name })),
    ...USERS.map((username, index) => ({
      op: "put_user" as const,
      user: { username, properties: users[index] ?? {} },
    })),
    ...POLICIES.map((name, index) => ({
      op: "put_policy" as const,
      policy: { name, statement: policies[index] ?? [] },
    })),
    ...RECORDS.flatMap((id, index) => {
      const own = records[index];
      if (own === null || own === undefined) return [];
      return [{ op: "put_resource" as const, resource: { type: "record", id, properties: own } }];
    }),
    ...members.map(([username, group]) => ({ op: "add_member" as const, group, username })),
    ...ofUsers.map(([username, policy]) => ({ op: "attach_to_user" as const, username, policy })),
    ...ofGroups.map(([group, policy]) => ({ op: "attach_to_group" as const, group, policy })),
  ]);

/** Entities and circumstances of a question; some are unknown. */
export const question = fc.record({
  user: fc.constantFrom(...USERS, "nobody"),
  type: fc.constantFrom("record", "record", "record", "arn", "nothing"),
  id: fc.constantFrom(...RECORDS, "unknown"),
  action: fc.constantFrom("read", "write", "demo:Read", "demo:Delete", "unknown"),
  subjectProperties: fc.option(properties, { nil: undefined }),
  resourceProperties: fc.option(properties, { nil: undefined }),
  actionProperties: fc.constantFrom(undefined, { mode: "soft" }),
  context: fc.constantFrom<(Properties | undefined)[]>(
    undefined,
    { vip: true },
    { SourceIp: "10.1.2.3" },
    { SourceIp: "no address", vip: true },
  ),
  limit: fc.integer({ min: 1, max: 4 }),
});

/** Names of all users, groups and records that can be there. */
export const NAMES = { users: USERS, records: RECORDS, arn: ARN };

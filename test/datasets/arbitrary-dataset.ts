/** Random data sets that are valid, with odd names, values and relations, drawn from small pools so that they meet. */

import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import fc from "fast-check";

const USERS = [
  "alice",
  "bob",
  "__proto__",
  "constructor",
  "a/b",
  "日本",
  "yes",
  "12",
  "null",
  "~",
  "é",
  "😀",
  "- x: #",
];
const GROUPS = ["Team", "toString", "G 1", "{g}", "Ω"];
const POLICIES = ["P", "valueOf", "0x1F", "P: 2", "'q'"];
const KEYS = ["AKIAJAAAAAAAAAAAAAAQ", "key 2", "__proto__"];
const PRINCIPALS = ["arn:aws:sts::1:assumed-role/x", "p/2"];
const EXTERNAL_IDS = ["x@idp", "y@idp", "1e3"];
const IDS = ["one", "two/2", "true"];

const text = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
  .filter((value) => value.isWellFormed());
const key = fc.oneof(fc.constantFrom("__proto__", "constructor", "a.b", "1", "yes"), text);
const scalar = fc.oneof(
  text,
  fc.constant(""),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
);
const value = fc.oneof(
  scalar,
  fc.constant(null),
  fc.array(scalar, { maxLength: 2 }),
  fc.dictionary(key, scalar, { maxKeys: 2 }),
);
const properties = fc.dictionary(key, value, { maxKeys: 3 });

const resource = fc.constantFrom("*", "arn:svc:fs:::repository/${user}", '["arn:svc:fs:::repository/a","*"]');
const action = fc.constantFrom("fs:*", "*", "fs:ReadObject");
const condition = fc.constantFrom(
  undefined,
  null,
  {},
  { IpAddress: { SourceIp: ["10.0.0.0/8"] } },
  JSON.parse('{"StringLike": {"__proto__": ["x*"], "1": [""]}}') as Record<string, never>,
);
const statement = fc
  .record({
    sid: fc.constantFrom(undefined, "First", "Own.Branches_of-2026", "1"),
    effect: fc.constantFrom("allow", "deny"),
    action: fc.array(action, { minLength: 1, maxLength: 2 }),
    resource,
    condition,
  })
  .map(({ sid, condition: given, ...rest }) => ({
    ...(sid === undefined ? {} : { sid }),
    ...rest,
    ...(given === undefined ? {} : { condition: given }),
  }));

/** Gives each text of a pool to at most one user. */
function dealt(pool: readonly string[]): fc.Arbitrary<readonly (readonly [string, number])[]> {
  return fc
    .array(fc.nat({ max: USERS.length }), { minLength: pool.length, maxLength: pool.length })
    .map((owners) => pool.map((item, index) => [item, owners[index] ?? 0] as const));
}

const dealtTo = (hands: readonly (readonly [string, number])[], user: string): string[] =>
  hands.filter(([, owner]) => USERS[owner] === user).map(([item]) => item);

/** A data set; `credentials` have their secrets in the file. */
export const arbitraryDataset: fc.Arbitrary<DatasetDocument> = fc
  .record({
    users: fc.subarray(USERS),
    groups: fc.subarray(GROUPS),
    policies: fc.subarray(POLICIES),
    ids: fc.subarray(IDS),
    keys: dealt(KEYS),
    principals: dealt(PRINCIPALS),
    externalIds: dealt(EXTERNAL_IDS),
  })
  .chain(({ users, groups, policies, ids, keys, principals, externalIds }) =>
    fc.record({
      format: fc.constant(1 as const),
      users: fc.tuple(
        ...users.map((username) =>
          fc.record(
            {
              username: fc.constant(username),
              friendly_name: text,
              email: fc.constantFrom("a@example.com", "b@example.com"),
              source: fc.constantFrom("internal", "oidc"),
              external_id: fc.constant(dealtTo(externalIds, username)[0] ?? `of ${username}`),
              properties,
              groups: fc.subarray(groups),
              policies: fc.subarray(policies),
              credentials: fc.tuple(
                ...dealtTo(keys, username).map((access_key_id) =>
                  fc.record({
                    access_key_id: fc.constant(access_key_id),
                    secret_access_key: fc.constantFrom("s1", "s2: #"),
                  }),
                ),
              ),
              external_principals: fc.constant(dealtTo(principals, username)),
            },
            { requiredKeys: ["username"] },
          ),
        ),
      ),
      groups: fc.tuple(
        ...groups.map((name) =>
          fc.record(
            { name: fc.constant(name), description: text, policies: fc.subarray(policies) },
            { requiredKeys: ["name"] },
          ),
        ),
      ),
      policies: fc.tuple(
        ...policies.map((name) =>
          fc.record(
            {
              name: fc.constant(name),
              accept: fc.constantFrom(
                [{ rule: "idle-action", reason: "x" }],
                [{ rule: "idle-action", sid: "A", reason: "y" }],
              ),
              statement: fc.array(statement, { minLength: 1, maxLength: 2 }),
            },
            { requiredKeys: ["name", "statement"] },
          ),
        ),
      ),
      resource_types: fc.constant(
        ids.length === 0
          ? []
          : [
              {
                type: "__proto__",
                arn: "arn:svc:demo:::record/{id}",
                id: "{id}",
                actions: { read: "demo:Read" },
              },
            ],
      ),
      resources: fc.tuple(
        ...ids.map((id) =>
          fc.record(
            { type: fc.constant("__proto__"), id: fc.constant(id), properties },
            { requiredKeys: ["type", "id"] },
          ),
        ),
      ),
    }),
  ) as fc.Arbitrary<DatasetDocument>;

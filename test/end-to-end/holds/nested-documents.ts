/** Documents with long lists inside of their entries, whose names the same document has: they can be applied. */

import { allow, arn, range } from "../hostile-calls.ts";

/** A document. */
interface NestedDocument {
  readonly name: string;
  /** Bytes of JSON that one value of the list takes, about. */
  readonly bytesEach: number;
  /** The document with so many values in the list. */
  readonly of: (count: number) => unknown;
  /** Absent: it is applied. Else why it cannot be. */
  readonly refused?: string;
}

const names = (count: number): string[] => range(count, (n) => `nested-${n}`);
const policy = (name: string) => ({ name, statement: [allow(["fs:ReadObject"], arn(`${name}/*`))] });
const group = (name: string) => ({ name });
const dataset = (sections: object): unknown => ({ format: 1, ...sections });
const ofStatement = (statement: object): unknown =>
  dataset({
    policies: [{ name: "nested", statement: [{ ...allow(["fs:ReadObject"], "*"), ...statement }] }],
  });
const ofUser = (user: object): unknown => dataset({ users: [{ username: "nested", ...user }] });

/** One for each list that an entry of a data set has. */
export const NESTED_DOCUMENTS: readonly NestedDocument[] = [
  {
    name: "the policies of a group",
    bytesEach: 150,
    of: (count) =>
      dataset({ policies: names(count).map(policy), groups: [{ name: "nested", policies: names(count) }] }),
  },
  {
    name: "the policies of a user",
    bytesEach: 150,
    of: (count) =>
      dataset({
        policies: names(count).map(policy),
        users: [{ username: "nested", policies: names(count) }],
      }),
  },
  {
    name: "the groups of a user",
    bytesEach: 50,
    of: (count) =>
      dataset({ groups: names(count).map(group), users: [{ username: "nested", groups: names(count) }] }),
  },
  {
    name: "the members of a group",
    bytesEach: 50,
    of: (count) =>
      dataset({
        groups: [{ name: "nested" }],
        users: names(count).map((username) => ({ username, groups: ["nested"] })),
      }),
  },
  {
    name: "the members of a group with many policies",
    bytesEach: 50,
    of: (count) =>
      dataset({
        policies: names(100).map(policy),
        groups: [{ name: "nested", policies: names(100) }],
        users: names(count).map((username) => ({ username, groups: ["nested"] })),
      }),
  },
  {
    name: "the statements of a policy",
    bytesEach: 100,
    of: (count) =>
      dataset({
        policies: [
          { name: "nested", statement: range(count, (n) => allow(["fs:ReadObject"], arn(`s${n}/*`))) },
        ],
      }),
  },
  {
    name: "the actions of a statement",
    bytesEach: 15,
    of: (count) => ofStatement({ action: range(count, (n) => `fs:Read${n}*`) }),
  },
  {
    name: "the resources of a statement",
    bytesEach: 45,
    of: (count) => ofStatement({ resource: JSON.stringify(range(count, (n) => arn(`r${n}/*`))) }),
  },
  {
    name: "the values of a condition",
    bytesEach: 12,
    of: (count) => ofStatement({ condition: { StringEquals: { "field-1": range(count, (n) => `v${n}`) } } }),
  },
  {
    name: "the fields of a condition",
    bytesEach: 20,
    of: (count) =>
      ofStatement({
        condition: { StringEquals: Object.fromEntries(range(count, (n) => [`field-${n}`, ["v"]])) },
      }),
  },
  {
    name: "the properties of a user",
    bytesEach: 20,
    of: (count) => ofUser({ properties: Object.fromEntries(range(count, (n) => [`field-${n}`, "v"])) }),
  },
  {
    name: "the values of a property",
    bytesEach: 10,
    of: (count) => ofUser({ properties: { team: range(count, (n) => `v${n}`) } }),
  },
  {
    name: "the principals of a user",
    bytesEach: 20,
    of: (count) => ofUser({ external_principals: range(count, (n) => `principal-${n}`) }),
    refused: "who may act as a user is not applied",
  },
  {
    name: "the credentials of a user",
    bytesEach: 100,
    of: (count) =>
      ofUser({
        credentials: range(count, (n) => ({
          access_key_id: `AKIAJ${String(n).padStart(14, "0")}Q`,
          secret_access_key: "a-secret-that-only-this-test-knows-01234",
        })),
      }),
    refused: "who may act as a user is not applied",
  },
  {
    name: "actions of a statement that are no texts",
    bytesEach: 7,
    of: (count) => ofStatement({ action: range(count, (n) => n) }),
    refused: "they are no actions",
  },
  {
    name: "values of a condition that are no texts",
    bytesEach: 7,
    of: (count) => ofStatement({ condition: { StringEquals: { "field-1": range(count, (n) => n) } } }),
    refused: "they are no texts",
  },
  {
    name: "unknown members of statements",
    bytesEach: 80,
    of: (count) =>
      dataset({
        policies: [
          { name: "nested", statement: range(count, (n) => ({ ...allow(["fs:Read*"], "*"), x: n })) },
        ],
      }),
    refused: "statements have no such members",
  },
  {
    name: "unknown members of a statement",
    bytesEach: 16,
    of: (count) => ofStatement(Object.fromEntries(range(count, (n) => [`x-${n}`, n]))),
    refused: "a statement has no such members",
  },
  {
    name: "unknown members of a user",
    bytesEach: 16,
    of: (count) => ofUser(Object.fromEntries(range(count, (n) => [`x-${n}`, n]))),
    refused: "a user has no such members",
  },
  {
    name: "unknown members of a credential",
    bytesEach: 16,
    of: (count) => ofUser({ credentials: [Object.fromEntries(range(count, (n) => [`x-${n}`, n]))] }),
    refused: "a credential has no such members",
  },
  {
    name: "accepted findings that are none",
    bytesEach: 25,
    of: (count) =>
      dataset({
        policies: [
          {
            name: "nested",
            statement: [allow(["fs:Read*"], "*")],
            accept: range(count, () => ({ rule: "X Y", reason: "" })),
          },
        ],
      }),
    refused: "they are no findings",
  },
];

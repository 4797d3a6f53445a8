/** Random data sets of which most have faults. */

import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import fc from "fast-check";

/** Makes a fault in a data set. */
type Spoil = (dataset: Record<string, unknown[]>, index: number) => void;

function entryOf(list: unknown[] | undefined, index: number): Record<string, unknown> {
  return (list?.[index % Math.max(1, list.length)] ?? {}) as Record<string, unknown>;
}

const SPOILS: Readonly<Record<string, Spoil>> = {
  "a name is defined twice": ({ users = [] }, index) => users.push({ ...entryOf(users, index) }),
  "a group is defined twice": ({ groups = [] }, index) => groups.unshift({ ...entryOf(groups, index) }),
  "a name is empty": ({ users }, index) => Object.assign(entryOf(users, index), { username: "" }),
  "an entry has no name": ({ policies = [] }) => policies.push({ statement: [] }),
  "a member is unknown": ({ groups }, index) => Object.assign(entryOf(groups, index), { colour: "red" }),
  "an entry is a text": ({ users = [] }) => users.unshift("alice"),
  "a reference leads nowhere": ({ users }, index) =>
    Object.assign(entryOf(users, index), { groups: ["Nobody"], policies: ["P", "Nothing"] }),
  "an external id is given twice": ({ users = [] }, index) =>
    users.push({ username: `twin ${index}`, external_id: entryOf(users, index)["external_id"] ?? "x@idp" }),
  "a key is given twice": ({ users = [] }, index) => {
    const credentials = [
      { access_key_id: "twin", secret_access_key: "s" },
      { access_key_id: "key 2", secret_access_key: "s" },
    ];
    users.push({ username: `one ${index}`, credentials }, { username: `other ${index}`, credentials });
  },
  "a secret is not in the environment": ({ users = [] }, index) =>
    users.push({
      username: `poor ${index}`,
      credentials: [{ access_key_id: "AKIAJPOOR", secret_access_key_env: "NOT_SET" }],
    }),
  "a statement has a strange member": ({ policies }, index) =>
    Object.assign(entryOf(policies, index), {
      statement: [{ Effect: "allow", action: ["fs:*"], resource: "*", NotAction: ["x"] }],
    }),
  "a resource has no type": ({ resources = [] }) => resources.push({ type: "none", id: "x" }),
  "a resource type is invalid": ({ resource_types: types = [] }) =>
    types.push({ type: "bad", arn: "no arn", id: "{id}", actions: {} }),
  "a text is no Unicode": ({ users }, index) => Object.assign(entryOf(users, index), { email: "\ud800" }),
  "a section is no list": (dataset) => Object.assign(dataset, { groups: { name: "Team" } }),
  "a section is unknown": (dataset) => Object.assign(dataset, { people: [{ username: "alice" }] }),
  "the format is another": (dataset) => Object.assign(dataset, { format: 2 }),
  "the preconfigured entities are wanted": (dataset) => Object.assign(dataset, { preconfigured: true }),
};

/** Spoils data sets in up to three ways; some stay sound. */
export function spoiled(datasets: fc.Arbitrary<DatasetDocument>): fc.Arbitrary<object> {
  const ways = fc.array(fc.tuple(fc.constantFrom(...Object.values(SPOILS)), fc.nat({ max: 20 })), {
    maxLength: 3,
  });
  return fc.tuple(datasets, ways).map(([dataset, spoils]) => {
    const copy = JSON.parse(JSON.stringify(dataset)) as Record<string, unknown[]>;
    for (const [spoil, index] of spoils) {
      // A former one may have left no list.
      if (Object.values(copy).every((one) => typeof one !== "object" || Array.isArray(one)))
        spoil(copy, index);
    }
    return copy;
  });
}

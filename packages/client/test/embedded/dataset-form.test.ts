/** A data set that the service refuses is refused without it, too: what is not understood may have been meant to restrict. */

import { readFileSync } from "node:fs";
import { DOCUMENT_MEMBERS, ENTITIES } from "@svc-authorizer/client/embedded/dataset-form.ts";
import { DatasetError, EmbeddedAuthorizer } from "@svc-authorizer/client/embedded/embedded-authorizer.ts";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { expect, it } from "vitest";

interface Parts {
  users: Record<string, unknown>[];
  groups: Record<string, unknown>[];
  policies: Record<string, unknown>[];
  resource_types: Record<string, unknown>[];
  resources: Record<string, unknown>[];
  [name: string]: unknown;
}

/** A data set that is right, changed. */
function changed(change: (parts: Parts) => void): DatasetDocument {
  const parts: Parts = {
    format: 1,
    users: [{ username: "u", groups: ["G"], policies: ["P"] }],
    groups: [{ name: "G", policies: ["P"] }],
    policies: [{ name: "P", statement: [{ effect: "allow", action: ["docs:Read"], resource: "*" }] }],
    resource_types: [
      { type: "doc", arn: "arn:svc:docs:::doc/{id}", id: "{id}", actions: { read: "docs:Read" } },
    ],
    resources: [{ type: "doc", id: "1", properties: { team: "red" } }],
  };
  change(parts);
  return parts as never;
}

/** The element of a list that the change is about. */
const first = (list: Record<string, unknown>[]): Record<string, unknown> => list[0] as never;

it.each<[string, string, (parts: Parts) => void]>([
  [
    "a user whose member is misspelt",
    "/users/0/inactve",
    (d) => Object.assign(first(d.users), { inactve: true }),
  ],
  [
    "a user with a member of another tool",
    "/users/0/disabled",
    (d) => Object.assign(first(d.users), { disabled: true }),
  ],
  [
    "a text in place of true",
    "/users/0/inactive",
    (d) => Object.assign(first(d.users), { inactive: "true" }),
  ],
  ["a user without a name", "/users/0", (d) => d.users.push(...d.users.splice(0, 1, {}))],
  [
    "a name that acts as a wildcard",
    "/users/0/username",
    (d) => Object.assign(first(d.users), { username: "u*" }),
  ],
  [
    "properties that are a list",
    "/users/0/properties",
    (d) => Object.assign(first(d.users), { properties: [] }),
  ],
  ["a user who is there twice", "/users/1/username", (d) => d.users.push({ username: "u" })],
  ["a group that is there twice", "/groups/1/name", (d) => d.groups.push({ name: "G" })],
  [
    "policies of a group that are no list",
    "/groups/0/policies",
    (d) => Object.assign(first(d.groups), { policies: "P" }),
  ],
  ["a policy that is there twice", "/policies/1/name", (d) => d.policies.push({ ...first(d.policies) })],
  ["a list that is misspelt", "/polices", (d) => Object.assign(d, { polices: [] })],
  ["a list that is none", "/users", (d) => Object.assign(d, { users: {} })],
  ["preconfigured as a text", "/preconfigured", (d) => Object.assign(d, { preconfigured: "false" })],
  [
    "a resource of an unknown type",
    "/resources/0",
    (d) => Object.assign(first(d.resources), { type: "docs" }),
  ],
  ["a resource that is there twice", "/resources/1/id", (d) => d.resources.push({ type: "doc", id: "1" })],
  [
    "a type without an ARN",
    "/resource_types/0/arn",
    (d) => Object.assign(first(d.resource_types), { arn: "doc" }),
  ],
])("%s is refused", async (_, pointer, change) => {
  const document = changed(change);
  await expect(startAuthorizer({ dataset: document })).rejects.toThrow(`${pointer}`);
  const read = (): unknown => EmbeddedAuthorizer.fromDataset(document);
  expect(read).toThrow(DatasetError);
  expect(read).toThrow(`${pointer}: `);
});

it("what is right is taken", () => {
  const point = EmbeddedAuthorizer.fromDataset(changed(() => undefined));
  expect(point.allows("u", "docs:Read", "arn:svc:docs:::doc/1")).toBe(true);
});

it("the members are those of the schema", () => {
  const schema = JSON.parse(readFileSync("policies/schema/dataset.schema.json", "utf8"));
  const namesOf = (form: object): string[] => Object.keys(form).sort();
  const lists = Object.entries(ENTITIES);
  expect(namesOf(schema.properties)).toEqual(
    [...namesOf(DOCUMENT_MEMBERS), ...lists.map(([name]) => name)].sort(),
  );
  for (const [name, { members, needs }] of lists) {
    const defined = schema.$defs[schema.properties[name].items.$ref.replace("#/$defs/", "")];
    expect(namesOf(defined.properties)).toEqual(namesOf(members));
    expect(defined.required.toSorted()).toEqual(needs.toSorted());
  }
});

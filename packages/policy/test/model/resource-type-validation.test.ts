import type { ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import {
  type ResourceTypeRules,
  resourceTypeProblems,
} from "@svc-authorizer/policy/model/resource-type-validation.ts";
import { describe, expect, it } from "vitest";

const rules: ResourceTypeRules = {
  partition: "svc",
  builtInServices: new Set(["fs", "auth"]),
};
const record: ResourceType = {
  type: "record",
  arn: "arn:svc:demo:::record/{id}",
  id: "{id}",
  actions: { read: "demo:Read", write: "demo:Write" },
};

function pointers(change: Partial<ResourceType>): string[] {
  return resourceTypeProblems({ ...record, ...change }, rules, "/resource_types/0").map(({ pointer }) =>
    pointer.slice("/resource_types/0/".length),
  );
}

it("accepts a type with a service of its own, also with a name of the data server's", () => {
  expect(pointers({ type: "user" })).toEqual([]);
  expect(pointers({})).toEqual([]);
  expect(pointers({ arn: "arn:svc:demo:::{a}/{b}", id: "{b}/rec/{a}" })).toEqual([]);
});

describe("a type is refused", () => {
  it.each([["arn"], [""], ["a\n"]])("when it is named %j", (type) => {
    expect(pointers({ type })).toEqual(["type"]);
  });

  it.each([
    "arn:other:demo:::record/{id}",
    "record/{id}",
    "arn:svc:demo:::record",
    "arn:svc:demo:::*/{id}",
    "arn:svc:demo:::rec?rd/{id}",
    "arn:svc:demo:::${user}/{id}",
    "arn:svc:demo:::${id}",
    "arn:svc:{id}:::record",
    "arn:svc:demo::{id}:record",
    "arn:svc:*:::record/{id}",
    "arn:svc:fs:::record/{id}",
    "arn:svc:demo:::{}/x",
    "arn:svc:demo:::{id}/{id}",
    "arn:svc:demo:::{id",
  ])("when its ARN is %j", (arn) => expect(pointers({ arn })).toEqual(["arn"]));

  it("when two placeholders have no slash between them", () => {
    expect(pointers({ arn: "arn:svc:demo:::{a}-{b}", id: "{a}/{b}" })).toEqual(["arn"]);
    expect(pointers({ arn: "arn:svc:demo:::{a}/{b}", id: "{a}{b}" })).toEqual(["id"]);
  });

  it("when ARN and id have different placeholders", () => {
    const [problem] = resourceTypeProblems({ ...record, id: "{key}" }, rules);
    expect(problem).toEqual({ pointer: "/id", message: expect.stringContaining("{id}, {key}") });
  });

  it.each([
    "Read",
    "demo:",
    ":Read",
    "demo:*",
    "demo:Re?d",
    "*:Read",
    "fs:ReadObject",
    "a:b:c",
    "demo:Re ad",
  ])("when an action is %j", (read) => expect(pointers({ actions: { read } })).toEqual(["actions/read"]));

  it("when the short name of an action could be an action", () => {
    expect(pointers({ actions: { "demo:Read": "demo:Read", "": "demo:Read" } })).toEqual([
      "actions/demo:Read",
      "actions/",
    ]);
  });

  it("with all its problems at once", () => {
    expect(pointers({ type: "arn", arn: "x", id: "x", actions: { "a/b": "x" } })).toEqual([
      "type",
      "arn",
      "id",
      "actions/a~1b",
    ]);
  });
});

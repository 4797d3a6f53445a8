/** Decisions from a data set alone. */

import {
  type DatasetDocument,
  EmbeddedAuthorizer,
} from "@svc-authorizer/client/embedded/embedded-authorizer.ts";
import { expect, it } from "vitest";

const DOCUMENT: DatasetDocument = {
  format: 1,
  preconfigured: true,
  users: [
    { username: "alice", groups: ["Viewers"], policies: ["Own"], properties: { team: "red" } },
    { username: "bob", policies: ["Team"], properties: { team: "red" } },
  ],
  policies: [
    {
      name: "Own",
      statement: [{ effect: "allow", action: ["fs:*"], resource: "arn:svc:fs:::repository/${user}-*" }],
    },
    {
      name: "Team",
      statement: [
        {
          effect: "allow",
          action: ["demo:Read"],
          resource: "arn:svc:demo:::record/*",
          condition: { StringEquals: { "resource.team": ["${subject.team}"] } },
        },
      ],
    },
  ],
  resource_types: [
    { type: "record", arn: "arn:svc:demo:::record/{id}", id: "{id}", actions: { read: "demo:Read" } },
  ],
  resources: [
    { type: "record", id: "1", properties: { team: "red" } },
    { type: "record", id: "2", properties: { team: "blue" } },
  ],
};

it("decides from groups, policies, properties of users and of registered resources", () => {
  const point = EmbeddedAuthorizer.fromDataset(DOCUMENT);
  expect(point.allows("alice", "fs:ReadObject", "arn:svc:fs:::repository/r/object/o")).toBe(true);
  expect(point.allows("alice", "fs:WriteObject", "arn:svc:fs:::repository/r/object/o")).toBe(false);
  expect(point.allows("alice", "fs:WriteObject", "arn:svc:fs:::repository/alice-1")).toBe(true);
  const record = (id: number): string => `arn:svc:demo:::record/${id}`;
  expect(point.allows("bob", "demo:Read", record(1))).toBe(true);
  expect(point.allows("bob", "demo:Read", record(2))).toBe(false);
  // A registered property wins over one that the caller claims.
  expect(point.allows("bob", "demo:Read", record(2), { "resource.team": "red" })).toBe(false);
  expect(point.filter({ user: "bob", action: "demo:Read", resources: [record(2), record(1)] })).toEqual([1]);
  expect(point.revision).toBeUndefined();
});

it("refuses a question that needs more work than the service would do", () => {
  const like = (count: number) => Array.from({ length: count }, (_, index) => `*\${context.v}?${index}`);
  const policy = (name: string, count: number, action: "fs:ReadObject" | "fs:WriteObject") => ({
    name,
    statement: [
      {
        effect: "allow",
        action: [action],
        resource: "*",
        condition: { StringLikeIfExists: { "context.t": like(count) } },
      },
    ],
  });
  const point = EmbeddedAuthorizer.fromDataset({
    format: 1,
    users: [{ username: "alice", policies: ["Short", "Long"] }],
    policies: [policy("Short", 20, "fs:ReadObject"), policy("Long", 2_000, "fs:WriteObject")],
  } as DatasetDocument);
  const context = { "context.t": `${"x".repeat(8_000)}y7`, "context.v": "x".repeat(4_000) };
  const resource = "arn:svc:fs:::repository/r/object/o";
  expect(point.allows("alice", "fs:ReadObject", resource, context)).toBe(true);
  expect(point.allows("alice", "fs:ReadObject", resource, { ...context, "context.t": "x" })).toBe(false);
  expect(point.allows("alice", "fs:WriteObject", resource, { "context.t": "xy7", "context.v": "x" })).toBe(
    true,
  );
  expect(() => point.allows("alice", "fs:WriteObject", resource, context)).toThrow(RangeError);
});

it("lists everything that is wrong with a data set", () => {
  const wrong = {
    format: 1,
    users: [{ username: "alice", groups: ["Viewers"], policies: ["Missing"] }],
    policies: [{ name: "P", statement: [{ effect: "permit", action: [], resource: "x" }] }],
  } as const;
  expect(() => EmbeddedAuthorizer.fromDataset(wrong)).toThrow(
    /\/policies\/0\/statement\/0\/effect[\s\S]*\/users\/0\/groups\/0: .*Viewers[\s\S]*\/users\/0\/policies\/0: .*Missing/,
  );
});

it("takes nobody's word for groups and tokens: those questions are for the service", () => {
  const point = EmbeddedAuthorizer.fromDataset(DOCUMENT);
  const required = { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/r/object/o" } as const;
  const unknown = { user: "zoe", groups: ["Viewers"], required };
  expect(point.check(unknown)).toMatchObject({
    allowed: false,
    reason: "unknown_user",
    message: expect.stringContaining("ask the service"),
  });
  expect(
    point.filter({ user: "zoe", groups: ["Viewers"], ...required, resources: [required.resource] }),
  ).toEqual([]);
  // Groups add nothing to a user, and take nothing away, as at the service.
  expect(point.check({ user: "alice", groups: ["Admins"], required })).toEqual({
    allowed: true,
    effect: "allow",
  });
  const written = { ...required, action: "fs:WriteObject" };
  expect(point.check({ user: "alice", groups: ["Admins"], required: written }).allowed).toBe(false);
  for (const user of ["alice", "zoe"]) {
    expect(() => point.check({ user, token: "x", required })).toThrow(TypeError);
    expect(() => point.filter({ user, token: "x", ...required, resources: [] })).toThrow(TypeError);
  }
});

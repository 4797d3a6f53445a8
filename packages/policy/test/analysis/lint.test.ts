import { selfEscalations } from "@svc-authorizer/policy/analysis/escalation/self-escalation.ts";
import { readPolicies } from "@svc-authorizer/policy/analysis/files/policy-documents.ts";
import { type Finding, lintDocument, servicesOf } from "@svc-authorizer/policy/analysis/lint/lint.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { parseDocument } from "@svc-authorizer/policy/source-files/read-document.ts";
import { describe, expect, it } from "vitest";

const vocabulary = await openCatalog({ partition: "svc" });

function lint(text: string): Finding[] {
  const read = parseDocument("x.yaml", text);
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  const document = readPolicies(read.source, "x");
  const services = new Set([...vocabulary.services, ...servicesOf(document.resourceTypes, "svc")]);
  return lintDocument(document, { vocabulary, services });
}

const places = (findings: readonly Finding[]) =>
  findings.map(({ rule, line, column, pointer }) => `${rule} ${line}:${column} ${pointer}`);

describe("findings", () => {
  it("stand at the line and column of what they are about, in YAML", () => {
    const text = `name: P
statement:
  - effect: Allow
    action: ["fs:ReadObject", "nope:X"]
    resource: "arn:svc:fs:::repository/r/object/*"
`;
    expect(places(lint(text))).toEqual([
      "guard 3:13 /statement/0/effect",
      "guard 4:31 /statement/0/action/1",
    ]);
  });

  it("and in JSON", () => {
    const text = '[{"name":"P","statement":[\n  {"effect":"allow","action":["fs:Read"],"resource":""}]}]';
    expect(places(lint(text))).toEqual([
      "unknown-action 2:31 /0/statement/0/action/0",
      "guard 2:53 /0/statement/0/resource",
    ]);
  });

  it.each([
    ["a policy", "{name: P, statement: [{effect: x, action: ['*'], resource: '*'}]}", "/statement/0/effect"],
    [
      "a statement document",
      "{statement: [{effect: x, action: ['*'], resource: '*'}]}",
      "/statement/0/effect",
    ],
    [
      "a list",
      "[{name: P, statement: [{effect: x, action: ['*'], resource: '*'}]}]",
      "/0/statement/0/effect",
    ],
    [
      "a data set",
      "{format: 1, policies: [{name: P, statement: [{effect: x, action: ['*'], resource: '*'}]}]}",
      "/policies/0/statement/0/effect",
    ],
  ])("are found in %s", (_, text, pointer) => {
    expect(lint(text).filter(({ rule }) => rule === "guard")).toMatchObject([{ pointer }]);
  });

  it.each([
    ["1", ""],
    ["{name: P}", "/statement"],
    ["{format: 1, policies: 7}", "/policies"],
    ["[7]", "/0"],
    ["{name: 7, statement: []}", "/name"],
    ["{name: P, statement: [7]}", "/statement/0"],
    ["{name: P, nmae: Q, statement: [{effect: allow, action: ['fs:*'], resource: '*'}]}", "/nmae"],
    ["{name: P, statement: [{effect: allow, action: 'fs:*', resource: '*'}]}", "/statement/0/action"],
    ["{name: P, statement: [{effect: allow, action: ['fs:*'], resource: ['*']}]}", "/statement/0/resource"],
    ["{name: P, statement: [{action: ['fs:*'], resource: '*'}]}", "/statement/0/effect"],
    [
      "{name: P, statement: [{effect: allow, action: ['fs:*'], resource: '*', condition: 7}]}",
      "/statement/0/condition",
    ],
    [
      "{name: P, statement: [{effect: allow, action: ['fs:*'], resource: '*', condition: {StringLike: {a: b}}}]}",
      "/statement/0/condition/StringLike/a",
    ],
  ])("of form: %s", (text, pointer) => {
    expect(lint(text).filter(({ rule }) => rule === "form")).toMatchObject([{ pointer, severity: "error" }]);
  });

  it("say nothing else of a statement that could not be read", () => {
    expect(lint("{name: P, statement: [{effect: allow, action: '*', resource: ['*']}]}")).toHaveLength(2);
  });

  it("know the services that resource types of the document declare", () => {
    const types =
      "resource_types: [{type: r, arn: 'arn:svc:demo:::r/{id}', id: '{id}', actions: {read: demo:Read}}]";
    const policies =
      "policies: [{name: P, statement: [{effect: allow, action: [demo:Read], resource: 'arn:svc:demo:::r/1'}]}]";
    expect(lint(`{format: 1, ${types}, ${policies}}`)).toEqual([]);
    expect(lint(`{format: 1, ${policies}}`)).toMatchObject([{ rule: "guard" }]);
  });

  it("name a policy that a document has twice", () => {
    const one = "{name: P, statement: [{effect: allow, action: ['fs:ReadObject'], resource: '*'}]}";
    expect(lint(`[${one}, ${one}]`)).toMatchObject([{ pointer: "/1/name", policy: "P" }]);
  });

  it("are none for the policies that ship, which accept that administrators can do everything", () => {
    const text = JSON.stringify(vocabulary.preconfigured.policies);
    expect(lint(text)).toEqual([]);
    const bare = JSON.stringify(vocabulary.preconfigured.policies.map((one) => ({ ...one, accept: [] })));
    const named = lint(bare).filter(({ rule }) => rule === "self-escalation");
    expect(new Set(named.map(({ policy }) => policy))).toEqual(new Set(["AuthFullAccess"]));
  });
});

describe("self-escalation", () => {
  const AUTH = "arn:svc:auth:::";
  const statement = (effect: string, action: string, resource: string): Statement => ({
    effect,
    action: [action],
    resource,
  });
  const found = (...statements: Statement[]) =>
    selfEscalations({ name: "P", statement: statements }, "svc").map(({ message }) =>
      message.match(/auth:\w+/g),
    );

  it.each([
    ["auth:AttachPolicy", "*"],
    ["auth:AttachPolicy", `${AUTH}user/\${user}`],
    ["auth:AttachPolicy", `${AUTH}group/*`],
    ["auth:CreatePolicy", `${AUTH}policy/*`],
    ["auth:UpdatePolicy", `${AUTH}policy/Team*`],
    ["auth:AddGroupMember", `${AUTH}group/*`],
    ["auth:CreateCredentials", `${AUTH}user/*`],
    ["auth:CreateUserExternalPrincipal", `${AUTH}*`],
  ])("%s on %s", (action, resource) => {
    expect(found(statement("allow", action, resource))).toEqual([[action]]);
  });

  it.each([
    ["auth:CreateCredentials", `${AUTH}user/\${user}`],
    ["auth:AttachPolicy", `${AUTH}policy/*`],
    ["auth:AddGroupMember", `${AUTH}user/*`],
    ["auth:ReadPolicy", "*"],
    ["fs:*", "*"],
    ["auth:UpdatePolicy", `${AUTH}policy/Notes`],
  ])("is not %s on %s", (action, resource) => {
    expect(found(statement("allow", action, resource))).toEqual([]);
  });

  it("is not what a deny of the same policy takes back, unless only in part or under a condition", () => {
    const allow = statement("allow", "auth:AddGroupMember", `${AUTH}group/*`);
    expect(found(allow, statement("deny", "auth:Add*", `${AUTH}group/*`))).toEqual([]);
    expect(found(allow, statement("deny", "auth:Add*", `${AUTH}group/Admins`))).toHaveLength(1);
    const condition = { IpAddress: { SourceIp: ["10.0.0.0/8"] } };
    expect(found(allow, { ...statement("deny", "*", "*"), condition })).toHaveLength(1);
  });

  it("is found in a wide pattern, with every way it opens", () => {
    expect(found(statement("allow", "auth:*", "*"))[0]).toContain("auth:CreateCredentials");
    expect(found(statement("allow", "*", "*"))[0]?.length).toBeGreaterThan(5);
  });
});

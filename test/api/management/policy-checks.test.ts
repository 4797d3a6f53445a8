/** Checks of policies before they are saved: `POST /auth/policies/lint`. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATASET, type Management, startManagement } from "./kit.ts";

let api: Management;
beforeAll(async () => {
  const types = [
    { type: "order", arn: "arn:svc:shop:::order/{id}", id: "{id}", actions: { place: "shop:Order" } },
  ];
  api = await startManagement({}, { ...DATASET, resource_types: types } as typeof DATASET);
});
afterAll(() => api?.close());

const lint = (body: unknown) => api.call("admin", "POST", "/auth/policies/lint", { body });
const allow = (action: string, resource = "*") => ({ effect: "allow", action: [action], resource });

describe("a document is checked", () => {
  it("without findings where there is nothing to say", async () => {
    const { status, json } = await lint({ document: { id: "Good", statement: [allow("fs:ReadObject")] } });
    expect(status).toBe(200);
    expect(json).toEqual({ errors: 0, warnings: 0, complete: true, findings: [] });
  });

  it("with line and column of a text", async () => {
    const document = JSON.stringify({ statement: [allow("fs:ReadObjects"), allow("nothing")] }, undefined, 2);
    const { json } = await lint({ document });
    expect(json).toMatchObject({ errors: 1, warnings: 1 });
    expect(json.findings).toMatchObject([
      { severity: "warning", rule: "unknown-action", pointer: "/statement/0/action/0", line: 6, column: 9 },
      { severity: "error", rule: "guard", pointer: "/statement/1/action/0", line: 13, column: 9 },
    ]);
  });

  it("names the place from which on a text is no JSON", async () => {
    const { json } = await lint({ document: '{"statement": [\n  {"effect": "allow",}\n]}' });
    expect(json.findings).toEqual([
      {
        severity: "error",
        rule: "syntax",
        message: "not valid JSON: the comma before this is one too many",
        pointer: "",
        line: 2,
        column: 22,
      },
    ]);
  });

  it("tells which statements let users widen their rights", async () => {
    const { json } = await lint({ document: { statement: [allow("auth:AttachPolicy")] } });
    expect(json.findings.map(({ rule }: { rule: string }) => rule)).toContain("self-escalation");
  });

  it("knows the services that resource types declare", async () => {
    expect((await lint({ document: { statement: [allow("shop:Order")] } })).json.errors).toBe(0);
    expect((await lint({ document: { statement: [allow("shopp:Order")] } })).json.errors).toBe(1);
  });

  it("of any content, as text or object, in a second, while others are answered", async () => {
    const hostile = allow("fs:*", `arn:svc:fs:::repository/${"*?a".repeat(1_000)}`);
    const statement = Array.from({ length: 300 }, (_, index) => ({
      ...hostile,
      action: [`fs:*${index}*?a*`],
    }));
    const [answer, other] = await Promise.all([
      lint({ document: { statement } }),
      api.call("admin", "GET", "/auth/users"),
    ]);
    expect(answer.status).toBe(200);
    expect(other.status).toBe(200);
    for (const document of [
      "",
      "[",
      "null",
      "[[[[",
      "\u202e<script>",
      "{}",
      '{"statement":[1,null,{}]}',
      {},
    ]) {
      const { status, json } = await lint({ document });
      expect([document, status]).toEqual([document, 200]);
      expect(json.errors).toBeGreaterThan(0);
    }
  });
});

it("a body of another form is refused with every problem", async () => {
  const { status, json } = await lint({ document: 7, name: 1, more: true });
  expect(status).toBe(400);
  for (const part of ["/document", "/name", "/more"]) expect(json.message).toContain(part);
});

it("a policy may be named as the call is", async () => {
  const body = { id: "lint", statement: [allow("fs:ReadObject")] };
  expect((await api.call("admin", "POST", "/auth/policies", { body })).status).toBe(201);
  expect((await api.call("admin", "GET", "/auth/policies/lint")).json.id).toBe("lint");
  expect((await api.call("admin", "GET", "/auth/policies/lint/versions")).json.results).toHaveLength(1);
  expect((await api.call("admin", "PUT", "/auth/policies/lint", { body })).status).toBe(200);
  expect((await api.call("admin", "DELETE", "/auth/policies/lint")).status).toBe(204);
});

/** The condition fixture through HTTP: given policies to `/simulate`, stored ones to `/evaluations`. */

import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  CASE_USER,
  CONDITION_CASES,
  type ConditionCase,
  EFFECTS,
  statementsOf,
} from "../../packages/policy/test/engine/condition-cases.ts";

/** Both entrances take at most as many at once. */
const BATCH = 1000;
/** Statements that keep a policy below the size limit. */
const STATEMENTS = 200;
const ARN = "arn:svc:demo:::record/1";

/** A case with one of its effects; each has an action of its own, so that one user can have all policies. */
const CHECKS = CONDITION_CASES.flatMap((one, index) =>
  EFFECTS.map((effect) => ({ ...one, effect, action: `demo:${effect}${index}` })),
);
const STORED = CHECKS.filter(({ stored }) => stored !== false);

function inBatches<T>(items: readonly T[], size: number): T[][] {
  const starts = Array.from({ length: Math.ceil(items.length / size) }, (_, index) => index * size);
  return starts.map((start) => items.slice(start, start + size));
}

function policiesOfUser() {
  const statements = STORED.flatMap((check) => statementsOf(check, check.effect, check.action));
  return inBatches(statements, STATEMENTS).map((statement, index) => ({ name: `Cases${index}`, statement }));
}

let authorizer: TestAuthorizer;
beforeAll(async () => {
  const policies = policiesOfUser();
  authorizer = await startAuthorizer({
    dataset: {
      format: 1,
      users: [{ username: CASE_USER, policies: policies.map(({ name }) => name) }],
      policies,
      resource_types: [
        { type: "record", arn: "arn:svc:demo:::record/{id}", id: "{id}", actions: { read: "demo:Read" } },
      ],
    },
  });
});
afterAll(() => authorizer.close());

async function post(path: string, body: unknown) {
  const response = await fetch(`${authorizer.url}/access/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${authorizer.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return response.json() as Promise<{ results: { effect: string }[]; evaluations: { decision: boolean }[] }>;
}

/** Native calls refuse a list of lists before any condition is evaluated. */
const isNative = ({ id }: ConditionCase): boolean => !id.endsWith("a list of lists");

describe("the condition fixture", () => {
  it("through /simulate", async () => {
    for (const batch of inBatches(CHECKS.filter(isNative), BATCH)) {
      const cases = batch.map((check) => ({
        user: CASE_USER,
        policies: [{ name: "p", statement: statementsOf(check, check.effect, check.action) }],
        required: { action: check.action, resource: ARN },
        context: check.fields,
      }));
      const { results } = await post("simulate", { cases });
      expect(results.map(({ effect }, index) => [batch[index]?.id, effect])).toEqual(
        batch.map((check) => [check.id, check[check.effect]]),
      );
    }
  });

  it("through /evaluations, with stored policies", async () => {
    for (const batch of inBatches(STORED, BATCH)) {
      const evaluations = batch.map(({ fields, action }) => ({
        action: { name: action },
        resource: { type: "record", id: "1", properties: fields.resource ?? {} },
        subject: { type: "user", id: CASE_USER, properties: fields.subject ?? {} },
        context: fields.context ?? {},
      }));
      const { evaluations: answers } = await post("evaluations", { evaluations });
      expect(answers.map(({ decision }, index) => [batch[index]?.id, decision])).toEqual(
        batch.map((check) => [check.id, check[check.effect] === "allow"]),
      );
    }
  });

  it("is refused when written where it says so", async () => {
    const refused = CONDITION_CASES.filter(({ stored }) => stored === false);
    expect(refused.length).toBeGreaterThan(20);
    for (const one of refused) {
      const body = { name: "Refused", statement: statementsOf(one, "allow", "fs:ReadObject") };
      const response = await fetch(`${authorizer.url}/api/v1/auth/policies`, {
        method: "POST",
        headers: { authorization: `Bearer ${authorizer.token}`, "content-type": "application/json" },
        body: JSON.stringify({ ...body, creation_date: 0 }),
      });
      expect([one.id, response.status]).toEqual([one.id, 400]);
      const text = await response.text();
      expect(text).toContain("/statement/0/condition");
    }
  });
});

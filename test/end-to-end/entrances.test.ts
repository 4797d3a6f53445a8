/** The decision corpus through every entrance but the engine's own (packages/policy/test/engine/vectors.test.ts). */
import type { CheckResult } from "@svc-authorizer/client/client.ts";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../closed-after-all.ts";
import { readFixture } from "../read-fixture.ts";

interface Vector {
  id: string;
  expected: string;
  message?: string;
  expected_any_resource?: boolean;
  expected_listed?: boolean;
  user: string;
  policies: never[];
  required: never;
  context: Record<string, string> | null;
  action: string;
  resource: string;
}

const corpus = readFixture<{ vectors: Vector[]; filter_vectors: Vector[] }>(
  "decisions/evaluation-vectors.json",
);

const authorizer = await closedAfterAll(startAuthorizer());

async function simulate(cases: unknown[]): Promise<unknown[]> {
  const response = await fetch(`${authorizer.url}/access/v1/simulate`, {
    method: "POST",
    headers: { authorization: `Bearer ${authorizer.token}`, "content-type": "application/json" },
    body: JSON.stringify({ cases }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { results: unknown[] }).results;
}

describe("the decision corpus", () => {
  it("over HTTP, all cases in one call", async () => {
    const cases = corpus.vectors.map(({ user, policies, required, context }) => ({
      user,
      policies,
      required,
      ...(context === null ? {} : { context }),
      evaluator: "data_server",
    }));
    const results = (await simulate(cases)) as CheckResult[];
    expect(
      results.map(({ effect, message, allowed }, index) => [
        corpus.vectors[index]?.id,
        effect,
        message,
        allowed,
      ]),
    ).toEqual(
      corpus.vectors.map(({ id, expected, message }) => [id, expected, message, expected === "allow"]),
    );
  });

  it("of list filtering over HTTP", async () => {
    const cases = corpus.filter_vectors.map(({ user, policies, action, resource }) => ({
      user,
      policies,
      list: { action, resource },
      evaluator: "data_server",
    }));
    expect(await simulate(cases)).toEqual(
      corpus.filter_vectors.map(({ expected_any_resource, expected_listed }) => ({
        any_resource: expected_any_resource,
        listed: expected_listed,
      })),
    );
  });

  it("through the client, one by one", async () => {
    for (const { id, user, policies, required, context, expected } of corpus.vectors) {
      const simulation = { user, policies, required, ...(context === null ? {} : { context }) };
      const { effect } = await authorizer.client.simulate({ ...simulation, evaluator: "data_server" });
      expect([id, effect]).toEqual([id, expected]);
    }
  });
});

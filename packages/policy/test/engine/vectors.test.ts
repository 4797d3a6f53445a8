import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import { hasActionOnAnyResource, isListedInSteps } from "@svc-authorizer/policy/engine/decide/list-filter.ts";
import { finish } from "@svc-authorizer/policy/engine/work.ts";
import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import { describe, expect, it } from "vitest";
import { readFixture } from "../../../../test/read-fixture.ts";

interface Vector {
  id: string;
  title: string;
  user: string;
  policies: NamedStatements[];
  required: RequiredPermissions;
  context: Record<string, string> | null;
  expected: string;
  message?: string;
}

interface FilterVector {
  id: string;
  title: string;
  user: string;
  policies: NamedStatements[];
  action: string;
  resource: string;
  expected_any_resource: boolean;
  expected_listed: boolean;
}

const corpus = readFixture<{ vectors: Vector[]; filter_vectors: FilterVector[] }>(
  "decisions/evaluation-vectors.json",
);

const options = { partition: "svc", evaluator: "data_server" } as const;

describe("the engine decides as the data server does", () => {
  it.each(corpus.vectors)("$id $title", ({ user, policies, required, context, expected, message }) => {
    const outcome = decide(compile(policies, options), {
      user,
      required,
      context: new Map(Object.entries(context ?? {})),
    });
    expect(outcome.effect).toBe(expected);
    expect(outcome.message).toBe(message);
  });
});

describe("the list filter answers as the data server's", () => {
  it.each(corpus.filter_vectors)("$id $title", (vector) => {
    const policies = compile(vector.policies, options);
    expect(hasActionOnAnyResource(policies, vector.action)).toBe(vector.expected_any_resource);
    const listed = finish(isListedInSteps(policies, vector.user, vector.action, vector.resource));
    expect(listed).toBe(vector.expected_listed);
  });
});

import { DEFAULT_POLICY_LIMITS } from "@svc-authorizer/policy/model/policy-validation.ts";
import { expect, it } from "vitest";
import { AUTHORIZER_LIMIT_ITEMS } from "../../src/config/items/authorizer-limits.ts";
import { limitsOf } from "../../src/config/limits.ts";
import { configFromObject } from "../../src/config/load.ts";

const values = (items: object) => configFromObject({ ...items }, {}, { requirements: "none" }).values;

it("the limits are the items under the names of code, and nothing else", () => {
  const limits = limitsOf(values({ authorizer: { limits: { body_bytes: "2 KiB", request_timeout: "2s" } } }));
  expect(limits).toMatchObject({
    bodyBytes: 2048,
    requestTimeoutMs: 2000,
    queue: 1000,
    policiesPerUser: 10_000,
  });
  expect(Object.keys(limits)).toHaveLength(AUTHORIZER_LIMIT_ITEMS.length);
});

it("the limits of policies that the model has by itself are the defaults of the configuration", () => {
  expect(limitsOf(values({}))).toMatchObject({ ...DEFAULT_POLICY_LIMITS });
});

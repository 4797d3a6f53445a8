import { describe, expect, it } from "vitest";
import { secretsIn } from "./repository.ts";

describe("the search for secrets", () => {
  it.each([
    ["a password", "POSTGRES_PASSWORD: hunter2"],
    ["a quoted one", 'secret_key = "changeme"'],
    ["one in an assignment", "SVC_AUTH_API_TOKEN=letmein"],
    ["a default for a variable", "POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:-hunter2}"],
    ["a long key anywhere", "key C2y6yDjf5R0ob0A8Jgw30GRDJDyobZx64QDydHI7mQ=="],
  ])("finds %s", (_what, text) => {
    expect(secretsIn(text)).not.toEqual([]);
  });

  it.each([
    ["a variable filled from outside", "POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:-}"],
    ["a reference to a secret", "valueFrom: {secretKeyRef: {name: svc-authorizer, key: api-token}}"],
    ["a long name", "node-gyp-build-optional-packages-optional"],
    ["a shell's own variable", 'SVC_AUTH_API_TOKEN="$(secret api-token)"'],
  ])("takes %s for none", (_what, text) => {
    expect(secretsIn(text)).toEqual([]);
  });
});

import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

let authorizer: TestAuthorizer;
beforeAll(async () => {
  authorizer = await startAuthorizer({ dataset: "fixtures/datasets/roles.yaml" });
});
afterEach(() => authorizer.reset());
afterAll(() => authorizer.close());

it("lets viewers read and not write", async () => {
  const object = "arn:svc:fs:::repository/r/object/o";
  expect(await authorizer.client.allows("viewer", "fs:ReadObject", object)).toBe(true);
  expect(await authorizer.client.allows("viewer", "fs:WriteObject", object)).toBe(false);
});

/** Conversations of identity providers with the service (spec/scim §2). */

import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openedOnce } from "../../opened.ts";
import { call, play, startScim, stepsOf } from "./kit.ts";

describe.each(["okta", "entra", "rfc7644", "leavers"])("the conversation with %s", (name) => {
  const service = openedOnce(() => startScim());
  const kept = new Map<string, string>();

  it.each(stepsOf(name))("$name", (step) => play(service, step, kept));
});

describe("the strict ways", () => {
  let service: TestAuthorizer;
  beforeAll(async () => {
    service = await startScim({
      "authorizer.scim.unknown_extensions": "refuse",
      "authorizer.scim.replace_without_match": "refuse",
    });
  });
  afterAll(() => service.close());

  it.each([
    [
      "an extension that is not known",
      { op: "add", path: "urn:x:extension:Own:2.0:User:a", value: "1" },
      "invalidPath",
    ],
    [
      "a replacement that matches nothing",
      { op: "replace", path: 'emails[type eq "work"].value', value: "a@x.io" },
      "noTarget",
    ],
  ])("refuse %s", async (_name, operation, scimType) => {
    const send = { schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"], userName: scimType };
    const { body } = await call(service, "POST", "/Users", send);
    const schemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];
    const answer = await call(service, "PATCH", `/Users/${body.id}`, { schemas, Operations: [operation] });
    expect(answer).toMatchObject({ status: 400, body: { scimType } });
  });
});

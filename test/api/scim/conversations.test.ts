/** Conversations of identity providers with the service (scim.md §2). */

import { afterAll, beforeAll, describe, it } from "vitest";
import type { TestAuthorizer } from "../../../src/testing/start-authorizer.ts";
import { play, startScim, stepsOf } from "./kit.ts";

describe.each(["okta", "entra", "rfc7644"])("the conversation with %s", (name) => {
  let service: TestAuthorizer;
  const kept = new Map<string, string>();
  beforeAll(async () => {
    service = await startScim();
  });
  afterAll(() => service.close());

  it.each(stepsOf(name))("$name", (step) => play(service, step, kept));
});

/** A change that others keep overtaking (spec/journal §2.4). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { expect, it } from "vitest";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { openDirectoryOn } from "./open-test-directory.ts";

it("is tried again for as long as authorizer.replication.commit_timeout says, and then a conflict", async () => {
  const store = openMemoryStore();
  const { users } = await openDirectoryOn(store, { commitTimeoutMs: 50 });
  let attempts = 0;
  store.commit = async () => {
    attempts += 1;
    throw new AuthorizerError("conflict", "overtaken");
  };
  const began = performance.now();
  await expect(users.create({ username: "ann" })).rejects.toMatchObject({ code: "conflict" });
  // At least one after the first, and none after the time.
  expect(attempts).toBeGreaterThan(1);
  expect(performance.now() - began).toBeLessThan(4_000);
});

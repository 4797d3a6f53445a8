/** Use cases that commit nothing, over a store that several nodes share (spec/journal §2.8). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { expect, it } from "vitest";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { type Commit, isCheck, type Store } from "../../src/store/port.ts";
import { openDirectoryOn } from "./open-test-directory.ts";

/** A store whose checks fail, as they do where others write what was read all the time. */
function contended(store: Store): { readonly store: Store; readonly checks: () => number } {
  let checks = 0;
  const commit = async (asked: Commit): Promise<number> => {
    if (!isCheck(asked)) return store.commit(asked);
    checks += 1;
    throw new AuthorizerError("conflict", "changed meanwhile");
  };
  const own = {
    commit: { value: commit },
    prove: { value: async () => {} },
    snapshot: { value: () => store.snapshot() },
    changes: { value: (after: number, limit: number) => store.changes(after, limit) },
    subscribe: { value: (listener: never) => store.subscribe(listener) },
  };
  return { store: Object.create(store, own) as Store, checks: () => checks };
}

it("are proved once: what runs again after that answers, however much others write", async () => {
  const memory = openMemoryStore();
  const { store, checks } = contended(memory);
  const directory = await openDirectoryOn(store);
  await directory.users.create({ username: "alice" });
  const before = checks();
  await expect(directory.users.create({ username: "alice" })).rejects.toMatchObject({
    code: "already_exists",
  });
  expect(checks() - before).toBe(1);
  await expect(directory.users.delete("bob")).rejects.toMatchObject({ code: "not_found" });
  expect(checks() - before).toBe(2);
  await directory.close();
  await memory.close();
});

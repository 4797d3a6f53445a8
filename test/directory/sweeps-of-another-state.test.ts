/** Sweeps while another state takes the place of the one that they read: they remove only what is unreachable in it. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { it } from "vitest";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { nextSweeps, sweepStep } from "../../src/directory/upkeep/sweep.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { Store } from "../../src/store/port.ts";
import { expectPutBackWhole } from "../store/put-back.ts";
import { policy, unsweeping } from "./backends.ts";
import { openDirectoryOn } from "./open-test-directory.ts";

async function fill({ users, groups, policies, credentials, externalPrincipals }: OpenedDirectory) {
  await users.create({ username: "alice" });
  await groups.create({ name: "G" });
  await policies.create(policy("P"));
  await groups.addMember("G", "alice");
  await groups.attachPolicy("G", "P");
  await users.attachPolicy("alice", "P");
  await credentials.create("alice", { access_key_id: "KEY", secret_access_key: "a secret" });
  await externalPrincipals.create("alice", "role/x");
}

/** Sweeps until nothing is left. */
async function sweep(store: Store): Promise<void> {
  for (;;) {
    const ids = await nextSweeps(store, 10);
    if (ids.length === 0) return;
    for (const id of ids) {
      try {
        while (!(await sweepStep(store, id)));
      } catch (error) {
        // Looked at again.
        if (!isErrorCode(error, "conflict")) throw error;
      }
    }
  }
}

it.each([
  ["a user", ({ users }: OpenedDirectory) => users.delete("alice")],
  ["a group", ({ groups }: OpenedDirectory) => groups.delete("G")],
  ["a policy", ({ policies }: OpenedDirectory) => policies.delete("P")],
])("of %s leave all of a state in which it was not deleted", async (_, remove) => {
  const store = openMemoryStore();
  const directory = await openDirectoryOn(unsweeping(store));
  await fill(directory);
  await expectPutBackWhole({ store, change: () => remove(directory), work: sweep });
  await directory.close();
});

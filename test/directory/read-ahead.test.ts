import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { openDirectoryOn } from "./open-test-directory.ts";

/** Statements of a policy and characters of each: about as long as it may be, so that about 130 of them are known at most. */
const STATEMENTS = 25;
const CHARACTERS = 3_600;
const POLICIES = 160;
/** From so many on, the policies of a user are a long list. */
const MANY = 64;

const LONG: readonly Statement[] = Array.from({ length: STATEMENTS }, (_, index) => {
  const resource = `arn:svc:fs:::repository/${"r".repeat(CHARACTERS)}${index}`;
  return { effect: "allow", action: ["fs:ReadObject"], resource };
});

describe("reading ahead of a directory with long policies", () => {
  const store = openMemoryStore();
  let directory: OpenedDirectory;
  const policies: StoredPolicy[] = [];
  const attached = new Map<string, number>();

  beforeAll(async () => {
    directory = await openDirectoryOn(store);
    const { users, groups } = directory;
    for (const username of ["many", "all", "few"]) await users.create({ username });
    for (const name of ["first", "last"]) await groups.create({ name });
    for (let index = 0; index < POLICIES; index++) {
      const name = `policy-${String(index).padStart(3, "0")}`;
      await directory.policies.create({ name, statement: LONG });
      await users.attachPolicy("all", name);
      if (index < MANY) await users.attachPolicy("many", name);
    }
    await users.attachPolicy("few", "policy-000");
    await groups.attachPolicy("first", "policy-000");
    await groups.attachPolicy("last", `policy-${POLICIES - 1}`);
    const visitor = {
      attached: async (to: "user" | "group", list: readonly StoredPolicy[]) => {
        attached.set(to, (attached.get(to) ?? 0) + list.length);
      },
      policies: async (some: readonly StoredPolicy[]) => void policies.push(...some),
    };
    await directory.readAhead(visitor, new AbortController().signal);
  });

  afterAll(async () => {
    await directory.close();
    await store.close();
  });

  it("reads policies up to a bound of memory", () => {
    expect(policies.length).toBeGreaterThan(MANY);
    expect(policies.length).toBeLessThan(POLICIES);
  });

  it("makes the lists of users with many, and of groups, of these policies alone", () => {
    expect(attached).toEqual(
      new Map([
        ["group", 1],
        ["user", MANY],
      ]),
    );
  });
});

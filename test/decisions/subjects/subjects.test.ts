/** Subjects that the directory does not know, over a directory that changes (spec/decision-api §8, spec/security §4). */

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OpenedDirectory } from "../../../src/directory/open-directory.ts";
import { CACHE, openWorld, type World } from "../world.ts";

const READ = "fs:ReadObject";
const ASSERTER = { name: "portal", assertGroups: ["*"] };
const RESOURCE = "arn:svc:fs:::repository/r/object/o";

let world: World;
let inBetween: (() => Promise<void>) | undefined;
const seen = (directory: OpenedDirectory): OpenedDirectory => ({
  ...directory,
  principalOfGroups: async (names) => {
    const run = inBetween;
    inBetween = undefined;
    await run?.();
    return directory.principalOfGroups(names);
  },
});
beforeEach(async () => {
  inBetween = undefined;
  const cache = { ...CACHE, size: 50 };
  world = await openWorld({ unknownSubjects: "from_request", cache }, undefined, "strict", seen);
  await world.grant("Reads", READ);
  await world.directory.groups.create({ name: "readers" });
  await world.directory.groups.attachPolicy("readers", "Reads");
});
afterEach(() => world.close());

/** The effect of a check about a subject with groups. */
async function effect(user: string, groups: readonly string[], action = READ): Promise<string> {
  const answer = await world.decisions.check({
    user,
    groups,
    required: { action, resource: RESOURCE },
    context: new Map(),
    explain: false,
    entrance: "check",
    requestId: "",
    call: { caller: ASSERTER, peer: "", startedAt: 0, traceParent: undefined, signal: undefined },
  });
  return answer.reason ?? answer.effect;
}

describe("an unknown subject follows the directory", () => {
  beforeEach(async () => {
    // Fills the caches.
    expect(await effect("zoe", ["readers", "later"])).toBe("allow");
    expect(await effect("zoe", ["readers", "later"])).toBe("allow");
  });

  it("when a policy changes", async () => {
    const statement = [{ effect: "allow", action: ["fs:WriteObject"], resource: "*" }];
    await world.directory.policies.update({ name: "Reads", statement });
    expect(await effect("zoe", ["readers", "later"])).toBe("neutral");
  });

  it("when a policy is detached from a group", async () => {
    await world.directory.groups.detachPolicy("readers", "Reads");
    expect(await effect("zoe", ["readers", "later"])).toBe("neutral");
  });

  it("when a group is made that it named before", async () => {
    await world.directory.groups.create({ name: "later" });
    await world.directory.policies.create({
      name: "No",
      statement: [{ effect: "deny", action: ["*"], resource: "*" }],
    });
    await world.directory.groups.attachPolicy("later", "No");
    expect(await effect("zoe", ["readers", "later"])).toBe("deny");
  });

  it("when a group is deleted, and made again without its policies", async () => {
    await world.directory.groups.delete("readers");
    expect(await effect("zoe", ["readers", "later"])).toBe("unknown_user");
    await world.directory.groups.create({ name: "readers" });
    expect(await effect("zoe", ["readers", "later"])).toBe("neutral");
  });

  it("when it becomes a user, who has only what the directory says", async () => {
    await world.directory.users.create({ username: "zoe" });
    expect(await effect("zoe", ["readers", "later"])).toBe("neutral");
    await world.directory.users.delete("zoe");
    expect(await effect("zoe", ["readers", "later"])).toBe("allow");
  });
});

describe("user and groups of one decision", () => {
  it("are of one state, also where the subject becomes a user while its groups are read", async () => {
    inBetween = async () => void (await world.directory.users.create({ username: "zoe" }));
    expect(await effect("zoe", ["readers"])).toBe("neutral");
  });

  it("are read again after any change", async () => {
    inBetween = async () => void (await world.directory.groups.create({ name: "unrelated" }));
    expect(await effect("zoe", ["readers"])).toBe("allow");
  });

  it("are given up where the directory never rests", async () => {
    let made = 0;
    const again = async (): Promise<void> => {
      inBetween = again;
      await world.directory.groups.create({ name: `made-${made++}` });
    };
    inBetween = again;
    // The missing group may be any that is made, so its set is read again.
    await expect(effect("zoe", ["readers", "absent"])).rejects.toMatchObject({ code: "unavailable" });
    expect(made).toBe(10);
  });
});

describe("the caches", () => {
  it("are bounded, whatever names are sent", async () => {
    const size = () => world.decisions.counters.cacheSize();
    for (let index = 0; index < 300; index++) {
      expect(await effect(`user-${index}`, ["readers", `group-${index}`])).toBe("allow");
    }
    expect(size()).toBeLessThanOrEqual(50);
  });

  it("hold a set once, in whatever order it is named", async () => {
    await world.directory.groups.create({ name: "others" });
    const orders = [
      ["readers", "others"],
      ["others", "readers"],
      ["others", "others", "readers"],
    ];
    for (const order of orders) expect(await effect("zoe", order)).toBe("allow");
    expect(world.decisions.counters.cacheSize()).toBe(1);
  });

  it("serve a subject that was seen before without reading the store", async () => {
    await effect("zoe", ["readers"]);
    await effect("yan", ["readers"]);
    const before = { ...world.store };
    for (let index = 0; index < 10; index++) {
      await effect("zoe", ["readers"]);
      await effect("yan", ["readers"]);
    }
    expect({ ...world.store }).toEqual(before);
  });

  it("keep no set whose names are very long, and decide about it all the same", async () => {
    const long = Array.from({ length: 20 }, (_, index) => `${"x".repeat(1_000)}${index}`);
    expect(await effect("zoe", ["readers", ...long])).toBe("allow");
    expect(world.decisions.counters.cacheSize()).toBe(0);
  });
});

describe("an unknown subject with groups", () => {
  it("is decided about exactly as a member of these groups would be", async () => {
    const actions = [READ, "fs:WriteObject", "fs:DeleteObject"];
    const names = ["a", "b", "c", "d"];
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            group: fc.constantFrom(...names),
            effect: fc.constantFrom("allow", "allow", "deny"),
            action: fc.constantFrom(...actions, "fs:*"),
            resource: fc.constantFrom("*", RESOURCE, "arn:svc:fs:::repository/${user}/object/o"),
          }),
          { maxLength: 8 },
        ),
        fc.uniqueArray(fc.constantFrom(...names, "absent"), { minLength: 1 }),
        async (statements, groups) => {
          const fresh = await openWorld({ unknownSubjects: "from_request" });
          const { directory } = fresh;
          for (const name of names) await directory.groups.create({ name });
          for (const [index, { group, ...statement }] of statements.entries()) {
            const policy = { name: `P${index}`, statement: [{ ...statement, action: [statement.action] }] };
            await directory.policies.create(policy);
            await directory.groups.attachPolicy(group, policy.name);
          }
          const existing = groups.filter((name) => names.includes(name));
          await directory.users.create({ username: "r" });
          for (const name of existing) await directory.groups.addMember(name, "r");
          const kept = world;
          world = fresh;
          try {
            const all = () => Promise.all(actions.map((action) => effect("r", groups, action)));
            const member = await all();
            expect(await Promise.all(actions.map((action) => effect("r", names, action)))).toEqual(member);
            await directory.users.delete("r");
            const unknown = existing.length === 0;
            expect(await all()).toEqual(unknown ? actions.map(() => "unknown_user") : member);
          } finally {
            world = kept;
            await fresh.close();
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

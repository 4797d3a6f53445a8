import { describe, expect, it, onTestFinished } from "vitest";
import { subjectText } from "../../../src/insight/access-review/access-texts.ts";
import { openMemoryStore } from "../../../src/store/memory/memory-store.ts";
import type { Snapshot, Store } from "../../../src/store/port.ts";
import { openWorld, type World } from "../../decisions/world.ts";

/** Unix seconds. */
const CREATED = 1_700_000_000;

/** A directory with alice, her group and others who are of no concern to her. */
async function worldWith(others: number, store: Store = openMemoryStore()): Promise<World> {
  const world = await openWorld({}, store);
  onTestFinished(() => world.close());
  const { users, groups } = world.directory;
  for (const name of ["Direct", "Shared", "Other"]) await world.grant(name, `fs:${name}`);
  for (const name of ["Analysts", "Others"]) await groups.create({ name });
  await groups.attachPolicy("Analysts", "Shared");
  await groups.attachPolicy("Others", "Other");
  for (const [index, username] of ["alice", "bob"].entries()) {
    await users.create({ username, creation_date: CREATED + index });
    await groups.addMember("Analysts", username);
  }
  await users.attachPolicy("alice", "Direct");
  await users.attachPolicy("alice", "Shared");
  for (let index = 0; index < others; index++) {
    const username = `other-${index}`;
    await users.create({ username });
    await groups.addMember("Others", username);
    await world.grant(`P${index}`, "fs:ReadObject");
    await users.attachPolicy(username, `P${index}`);
  }
  return world;
}

async function subjectOf({ directory }: World, asked: { user?: string; group?: string }) {
  const bytes = await subjectText(directory, { user: asked.user, group: asked.group });
  return JSON.parse(Buffer.from(bytes).toString("utf8"));
}

const statementOf = (name: string) => [{ effect: "allow", action: [`fs:${name}`], resource: "*" }];

describe("the subject of a suggestion", () => {
  it("is a user with the policies of today, and the ways in which they reach the user", async () => {
    const world = await worldWith(1);
    expect(await subjectOf(world, { user: "alice" })).toEqual({
      revision: world.directory.history.head.revision,
      created: CREATED,
      members: [],
      held: [
        { name: "Direct", statement: statementOf("Direct"), via: [{ user: "alice" }] },
        { name: "Shared", statement: statementOf("Shared"), via: [{ user: "alice" }, { group: "Analysts" }] },
      ],
    });
  });

  it("is a group with its members and its own policies", async () => {
    const world = await worldWith(1);
    expect(await subjectOf(world, { group: "Analysts" })).toEqual({
      revision: world.directory.history.head.revision,
      created: expect.any(Number),
      members: [
        ["alice", CREATED],
        ["bob", CREATED + 1],
      ],
      held: [{ name: "Shared", statement: statementOf("Shared"), via: [{ group: "Analysts" }] }],
    });
  });

  it.each([{ user: "alice" }, { group: "Analysts" }])(
    "costs the same beside many others: %o",
    async (asked) => {
      const recordsRead = async (others: number) => {
        const reads = { records: 0 };
        const world = await worldWith(others, counting(openMemoryStore(), reads));
        reads.records = 0;
        await subjectOf(world, asked);
        return reads.records;
      };
      const read = await recordsRead(1);
      expect(read).toBeGreaterThan(0);
      expect(await recordsRead(60)).toBe(read);
    },
  );
});

/** The store, with the records that are read from it counted. */
function counting(store: Store, reads: { records: number }): Store {
  const noted = <T>(found: T): T => {
    reads.records += Array.isArray(found) ? found.length : 1;
    return found;
  };
  const counted = (snapshot: Snapshot): Snapshot => ({
    revision: snapshot.revision,
    get: async (...place) => noted(await snapshot.get(...place)),
    getMany: async (...places) => noted(await snapshot.getMany(...places)),
    scan: async (...range) => noted(await snapshot.scan(...range)),
    release: () => snapshot.release(),
  });
  const snapshot = store.snapshot.bind(store);
  return Object.assign(store, { snapshot: async () => counted(await snapshot()) });
}

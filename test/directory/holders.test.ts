import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BatchOperation } from "../../src/directory/batch.ts";
import type { HolderTest } from "../../src/directory/directory.ts";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { type HolderSizes, readHolders } from "../../src/directory/read/holders.ts";
import { PolicyCache } from "../../src/directory/read/policy-cache.ts";
import { readState } from "../../src/directory/read/reader.ts";
import { type MemoryStore, openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { openDirectoryOn } from "./open-test-directory.ts";

const STATEMENT = [{ effect: "allow", action: ["fs:*"], resource: "*" }];
const USERS = ["a", "a/b", "b", "c", "é", "\uff21", "😀", "z"];
const GROUPS = ["g1", "g2", "g3"];
const POLICIES = ["p1", "p2", "p3"];
const SMALL: HolderSizes = { mostLists: 500, listed: 2, leastListed: 1, users: 2 };

let store: MemoryStore;
let directory: OpenedDirectory;

beforeEach(async () => {
  store = openMemoryStore();
  directory = await openDirectoryOn(store);
});
afterEach(async () => {
  await directory.close();
  await store.close();
});

/** Ids of policies by name. */
async function policyIds(): Promise<ReadonlyMap<string, string>> {
  const found = await directory.survey(
    (survey) => survey.policies(),
    () => undefined,
  );
  return new Map(found.map(({ name, id }) => [name, id]));
}

async function holders(
  wanted: Readonly<Record<string, HolderTest>>,
  { after = "", sizes = SMALL }: { after?: string; sizes?: HolderSizes } = {},
): Promise<string[]> {
  const ids = await policyIds();
  const tests = new Map(Object.entries(wanted).map(([name, test]) => [ids.get(name) ?? "", test]));
  return readState(store, new PolicyCache(), async (reader) => {
    const names: string[] = [];
    for await (const page of readHolders(reader, tests, after, () => undefined, sizes)) names.push(...page);
    return names;
  });
}

const anybody: HolderTest = () => true;

function entities(): BatchOperation[] {
  return [
    ...USERS.map((username) => ({ op: "put_user" as const, user: { username } })),
    ...GROUPS.map((name) => ({ op: "put_group" as const, name })),
    ...POLICIES.map((name) => ({ op: "put_policy" as const, policy: { name, statement: STATEMENT } })),
  ];
}

describe("holders of policies", () => {
  const pairs = <A, B>(a: readonly A[], b: readonly B[]): fc.Arbitrary<[A, B][]> =>
    fc.array(fc.tuple(fc.constantFrom(...a), fc.constantFrom(...b)), { maxLength: 8 });

  it("are those who have one directly or through a group, each once and in byte order", async () => {
    const empty = store.capture();
    const sizes = fc.record({
      mostLists: fc.constantFrom(500, 500, 0, 1),
      listed: fc.constantFrom(1, 4, 100),
      leastListed: fc.constantFrom(1, 3),
      users: fc.constantFrom(1, 3, 100),
    });
    const after = fc.constantFrom("", "a", "aa", "é", "😀");
    const wanted = fc.subarray(POLICIES, { minLength: 1 });
    const attachments = fc.tuple(pairs(USERS, POLICIES), pairs(GROUPS, POLICIES), pairs(USERS, GROUPS));
    await fc.assert(
      fc.asyncProperty(attachments, wanted, after, sizes, async (attached, names, from, size) => {
        const [ofUsers, ofGroups, members] = attached;
        store.restore(empty);
        directory.storeReplaced();
        await directory.batches.apply(
          [
            ...entities(),
            ...ofUsers.map(([username, policy]) => ({ op: "attach_to_user" as const, username, policy })),
            ...ofGroups.map(([group, policy]) => ({ op: "attach_to_group" as const, group, policy })),
            ...members.map(([username, group]) => ({ op: "add_member" as const, group, username })),
          ],
          { managed: false },
        );
        const held = (user: string): string[] => [
          ...ofUsers.filter(([one]) => one === user).map(([, policy]) => policy),
          ...members
            .filter(([one]) => one === user)
            .flatMap(([, group]) => ofGroups.filter(([one]) => one === group).map(([, policy]) => policy)),
        ];
        const ordered = [...USERS].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        const later = ordered.filter((user) => Buffer.compare(Buffer.from(user), Buffer.from(from)) > 0);
        const expected = later.filter((user) => held(user).some((policy) => names.includes(policy)));
        const found = await holders(Object.fromEntries(names.map((name) => [name, anybody])), {
          after: from,
          sizes: size,
        });
        // With too many lists all users come into question.
        if (size.mostLists === 500) expect(found).toEqual(expected);
        else expect(found.filter((user) => expected.includes(user))).toEqual(expected);
        expect(found).toEqual(later.filter((user) => found.includes(user)));
      }),
      { numRuns: 150 },
    );
  });

  it("are only those whom the test of a policy they hold passes", async () => {
    await directory.batches.apply(
      [
        ...entities(),
        { op: "attach_to_user", username: "a", policy: "p1" },
        { op: "attach_to_user", username: "b", policy: "p2" },
        { op: "attach_to_group", group: "g1", policy: "p2" },
        { op: "add_member", group: "g1", username: "a" },
        { op: "add_member", group: "g1", username: "z" },
      ],
      { managed: false },
    );
    expect(await holders({ p1: (name) => name === "z", p2: (name) => name !== "b" })).toEqual(["a", "z"]);
  });

  it("leave out who has the name of a deleted user", async () => {
    await directory.batches.apply([...entities(), { op: "attach_to_user", username: "a", policy: "p1" }], {
      managed: false,
    });
    expect(await holders({ p1: anybody })).toEqual(["a"]);
    await directory.users.delete("a");
    await directory.users.create({ username: "a" });
    expect(await holders({ p1: anybody })).toEqual([]);
  });
});

it("a survey reads one state, also of users who share groups and policies", async () => {
  await directory.batches.apply(
    [
      ...entities(),
      { op: "attach_to_group", group: "g1", policy: "p2" },
      { op: "attach_to_user", username: "a", policy: "p1" },
      { op: "add_member", group: "g1", username: "a" },
      { op: "add_member", group: "g1", username: "b" },
    ],
    { managed: false },
  );
  const before = [await directory.principal("a"), await directory.principal("b")];
  await directory.survey(
    async (survey) => {
      expect(await survey.principal("a")).toEqual(before[0]);
      await directory.groups.detachPolicy("g1", "p2");
      expect(await survey.principal("b")).toEqual(before[1]);
      expect(await survey.principal("nobody")).toBeUndefined();
      expect(await survey.principal("no\nname")).toBeUndefined();
    },
    () => undefined,
  );
  expect((await directory.principal("b"))?.policies).toEqual([]);
});

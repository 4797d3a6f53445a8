/** The mark that the set-up is done: in the commit that gives an administrator a way to sign in (spec/security §6.2). */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isSetUp, noteAdministrator } from "../../src/bootstrap/first-administrator.ts";
import type { Directory } from "../../src/directory/directory.ts";
import { openTestDirectory } from "../directory/open-test-directory.ts";

type Opened = Awaited<ReturnType<typeof openTestDirectory>>;

let opened: Opened;
let directory: Directory;
beforeEach(async () => {
  opened = await openTestDirectory();
  ({ directory } = opened);
});
afterEach(() => opened.close());

const KEY = { access_key_id: "AKIAJEXAMPLEEXAMPLEQ", secret_access_key: "a-very-secret-access-key" };
const PRINCIPAL = "arn:aws:sts::123456789012:assumed-role/Admins";

type Step = readonly [what: string, run: (directory: Directory) => Promise<unknown>];

const user: Step = ["a user", ({ users }) => users.create({ username: "alice" })];
const group: Step = ["the group", ({ groups }) => groups.create({ name: "Admins" })];
const member: Step = ["a member", ({ groups }) => groups.addMember("Admins", "alice")];
const key: Step = ["a key", ({ credentials }) => credentials.create("alice", KEY)];
const principal: Step = [
  "a principal",
  ({ externalPrincipals }) => externalPrincipals.create("alice", PRINCIPAL),
];
const active = (isActive: boolean): Step => [
  isActive ? "the user is active" : "the user is inactive",
  async (directory) => {
    const provisioning = directory.provisioning(() => false);
    const { id } = (await provisioning.findUser({ username: "alice" })) ?? { id: "" };
    await provisioning.changeUser(id, ({ inactive: _, ...rest }) =>
      isActive ? rest : { ...rest, inactive: true },
    );
  },
];
const batch: Step = [
  "a data set with all of it",
  ({ batches }) =>
    batches.apply(
      [
        { op: "put_group", name: "Admins" },
        { op: "put_user", user: { username: "alice" } },
        { op: "put_credential", username: "alice", ...KEY },
        { op: "add_member", group: "Admins", username: "alice" },
      ],
      { managed: true },
    ),
];

/** The last step gives the way to sign in. */
const WAYS: readonly (readonly Step[])[] = [
  [batch],
  [user, group, member, key],
  [user, key, group, member],
  [user, group, member, principal],
  [user, principal, group, member],
  [user, group, member, active(false), key, active(true)],
  [user, key, active(false), group, member, active(true)],
];

describe("the set-up is done", () => {
  it.each(WAYS.map((steps) => [steps.map(([what]) => what).join(", "), steps] as const))(
    "with the last of: %s; not before, and for good",
    async (_what, steps) => {
      for (const [, run] of steps) {
        expect(await isSetUp(directory)).toBe(false);
        await run(directory);
      }
      const { revision } = opened.store.history.head;
      expect(await isSetUp(directory)).toBe(true);
      // The mark was in that commit, not in one of its own.
      expect(opened.store.history.head.revision).toBe(revision);
      await directory.users.delete("alice");
      expect(await isSetUp(directory)).toBe(true);
    },
  );

  it("not by a key of somebody else, nor by what another group may do", async () => {
    await directory.users.create({ username: "bob" });
    await directory.groups.create({ name: "Admins" });
    await directory.groups.create({ name: "Others" });
    await directory.groups.addMember("Others", "bob");
    await directory.credentials.create("bob", KEY);
    expect(await isSetUp(directory)).toBe(false);
  });

  it("not by a member who was removed in the same commit, nor by a key that goes with it", async () => {
    await batchOf([{ op: "remove_member", group: "Admins", username: "alice" }]);
    expect(await isSetUp(directory)).toBe(false);
    await batchOf([{ op: "delete_credential", username: "alice", access_key_id: KEY.access_key_id }]);
    expect(await isSetUp(directory)).toBe(false);
  });

  it("at the first start with a store of an earlier version in which an administrator can sign in", async () => {
    await batch[1](directory);
    const { store } = opened;
    await store.commit({
      reads: { revision: store.history.head.revision, keys: new Map(), ranges: [] },
      put: [],
      delete: [{ partition: "meta", key: "mark/setup" }],
    } as never);
    expect(await isSetUp(directory)).toBe(false);
    await noteAdministrator(directory);
    expect(await isSetUp(directory)).toBe(true);
  });

  it("and no mark comes to a store that has none", async () => {
    await noteAdministrator(directory);
    expect(await isSetUp(directory)).toBe(false);
  });
});

function batchOf(more: Parameters<Directory["batches"]["apply"]>[0]): Promise<unknown> {
  return directory.batches.apply(
    [
      { op: "put_group", name: "Admins" },
      { op: "put_user", user: { username: "alice" } },
      { op: "put_credential", username: "alice", ...KEY },
      { op: "add_member", group: "Admins", username: "alice" },
      ...more,
    ],
    { managed: false },
  );
}

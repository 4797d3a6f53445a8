/**
 * An identity provider changes members of groups by the ids of users, on a node that has not heard yet of what another
 * one committed (spec/journal §2.8).
 */

import { afterEach, beforeEach, expect, it } from "vitest";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import { openNode, sharedBy } from "../journal/bed.ts";
import { openDirectoryOn } from "./open-test-directory.ts";

interface Node {
  readonly directory: OpenedDirectory;
  readonly close: () => Promise<void>;
}

let here: Node;
let there: Node;

/** A node that hears of nothing by itself. */
async function startNode(log: MemoryEngine): Promise<Node> {
  const engine = { ...sharedBy(log), watch: () => () => {} };
  const store = await openNode(engine, { pollMs: 600_000, maxStalenessMs: 600_000 });
  const directory = await openDirectoryOn(store);
  return {
    directory,
    close: async () => {
      await directory.close();
      await store.close();
    },
  };
}

const of = ({ directory }: Node) => directory.provisioning(() => false);

beforeEach(async () => {
  const log = new MemoryEngine();
  here = await startNode(log);
  there = await startNode(log);
});
afterEach(async () => {
  await here.close();
  await there.close();
});

/** A group that both nodes know. */
async function group(): Promise<string> {
  const { id } = await of(here).createGroup({ name: "Readers", members: [] });
  await there.directory.users.create({ username: "of-no-concern" });
  expect((await of(there).group(id)).name).toBe("Readers");
  return id;
}

it("a new member, whom the node does not know, leaves", async () => {
  const id = await group();
  const user = await of(here).createUser({ username: "ann" });
  await of(here).changeGroup(id, { add: [user.id] });
  await of(there).changeGroup(id, { remove: [user.id] });
  expect(await of(there).members(id)).toEqual([]);
  expect(await of(there).groupsOf([user.id])).toEqual(new Map([[user.id, []]]));
});

it("a new user, whom the node does not know, joins", async () => {
  const id = await group();
  const user = await of(here).createUser({ username: "ann" });
  await of(there).changeGroup(id, { add: [user.id] });
  expect(await of(there).members(id)).toEqual([{ id: user.id, name: "ann" }]);
});

it("a user, whom the node does not know, is a member of a new group", async () => {
  await group();
  const user = await of(here).createUser({ username: "ann" });
  const { id } = await of(there).createGroup({ name: "Writers", members: [user.id] });
  expect(await of(there).members(id)).toEqual([{ id: user.id, name: "ann" }]);
});

it("a member who was renamed leaves", async () => {
  const id = await group();
  const user = await of(here).createUser({ username: "ann" });
  await of(here).changeGroup(id, { add: [user.id] });
  await of(there).changeUser(user.id, (found) => ({ ...found, friendly_name: "Ann" }));
  await of(here).changeUser(user.id, (found) => ({ ...found, username: "ann-marie" }));
  await of(there).changeGroup(id, { remove: [user.id] });
  expect(await of(there).members(id)).toEqual([]);
  expect(await of(there).groupsOf([user.id])).toEqual(new Map([[user.id, []]]));
});

it("a user who was renamed joins", async () => {
  const id = await group();
  const user = await of(here).createUser({ username: "ann" });
  await of(there).changeUser(user.id, (found) => ({ ...found, friendly_name: "Ann" }));
  await of(here).changeUser(user.id, (found) => ({ ...found, username: "ann-marie" }));
  await of(there).changeGroup(id, { add: [user.id] });
  expect(await of(there).members(id)).toEqual([{ id: user.id, name: "ann-marie" }]);
});

it("an id that nobody has is refused, and its removal changes nothing", async () => {
  const id = await group();
  await expect(of(there).changeGroup(id, { add: ["nobody"] })).rejects.toMatchObject({
    code: "invalid_request",
  });
  await of(there).changeGroup(id, { remove: ["nobody"] });
  expect(await of(there).members(id)).toEqual([]);
});

/** Lost entries are made again, as far as it still fits (spec/journal §3). */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { lostChangesOf } from "../../src/compose/store/lost-file.ts";
import type { BatchOperation } from "../../src/directory/batch.ts";
import type { LostChanges } from "../../src/directory/lost-changes.ts";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { checkWholeStore } from "../../src/directory/upkeep/check-store.ts";
import { entryName } from "../../src/journal/engine.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { openLocalReplica } from "../../src/store/local/open-replica.ts";
import { endSessionsOf } from "../directory/end-sessions.ts";
import { openDirectoryOn, SECRET_KEY } from "../directory/open-test-directory.ts";
import { openNode } from "./bed.ts";

const user = (username: string, fields: object = {}): BatchOperation => ({
  op: "put_user",
  user: { username, ...fields },
});
const policy = (name: string, effect: "allow" | "deny" = "allow"): BatchOperation => ({
  op: "put_policy",
  policy: { name, statement: [{ effect, action: ["fs:Read*"], resource: "*" }] },
});
const key = (username: string, access_key_id: string): BatchOperation => ({
  op: "put_credential",
  username,
  access_key_id,
  secret_access_key: "a secret of an access key of the tests",
});
const member = (username: string, group: string): BatchOperation => ({ op: "add_member", username, group });
const attach = (username: string, name: string): BatchOperation => ({
  op: "attach_to_user",
  username,
  policy: name,
});

const BASE: readonly BatchOperation[] = [
  { op: "put_group", name: "Readers" },
  { op: "put_group", name: "Admins" },
  policy("Read"),
  user("ann", { email: "ann@x.io" }),
  user("bob"),
  member("ann", "Admins"),
  key("ann", "KEYANN"),
  key("bob", "KEYBOB"),
  member("bob", "Readers"),
  attach("bob", "Read"),
];

/** The commits of one time: batches, and other calls. */
type Step = readonly BatchOperation[] | ((directory: OpenedDirectory) => Promise<unknown>);

interface Case {
  readonly name: string;
  readonly lost: readonly Step[];
  readonly since?: readonly Step[];
  /** Things by sign, kind and name; those that are refused begin with `!`. */
  readonly shown: readonly string[];
  readonly refusals?: readonly RegExp[];
  /** The state afterwards, as users with groups, policies and keys. */
  readonly after: object;
}

const UNTOUCHED = {
  ann: { groups: ["Admins"], policies: [], keys: ["KEYANN"] },
  bob: { groups: ["Readers"], policies: ["Read"], keys: ["KEYBOB"] },
};

const CASES: readonly Case[] = [
  {
    name: "what was made",
    lost: [
      [user("eve", { email: "eve@x.io", external_id: "e1" }), member("eve", "Readers"), key("eve", "KEYEVE")],
      [policy("Deny", "deny"), attach("eve", "Deny")],
    ],
    shown: [
      "+ user eve",
      "+ membership eve in Readers",
      "+ access key KEYEVE",
      "+ policy Deny",
      "+ attachment Deny to user eve",
    ],
    after: { ...UNTOUCHED, eve: { groups: ["Readers"], policies: ["Deny"], keys: ["KEYEVE"] } },
  },
  {
    name: "what was taken away",
    lost: [
      [{ op: "delete_credential", username: "bob", access_key_id: "KEYBOB" }],
      [{ op: "remove_member", username: "bob", group: "Readers" }],
      [{ op: "detach_from_user", username: "bob", policy: "Read" }],
    ],
    shown: [
      "- access key KEYBOB",
      "+ end of sessions bob",
      "~ user bob",
      "- membership bob in Readers",
      "- attachment Read to user bob",
    ],
    after: { ...UNTOUCHED, bob: { groups: [], policies: [], keys: [] } },
  },
  {
    name: "a user who was deleted, with all that upkeep has removed of it",
    lost: [[{ op: "delete_user", username: "bob" }]],
    shown: ["- user bob"],
    after: { ann: UNTOUCHED.ann },
  },
  {
    name: "not over what somebody changed since",
    lost: [[user("bob", { friendly_name: "Bob" })], [user("eve")]],
    since: [[user("bob", { email: "bob@x.io" })]],
    shown: ["! user bob", "+ user eve"],
    refusals: [/user "bob": entry \d+ of the log has written it since/],
    after: { ...UNTOUCHED, eve: { groups: [], policies: [], keys: [] } },
  },
  {
    name: "nobody who was deleted since",
    lost: [[user("bob", { friendly_name: "Bob" })], [member("bob", "Admins")]],
    since: [[{ op: "delete_user", username: "bob" }]],
    shown: ["! user bob", "! membership bob in Admins"],
    refusals: [/has written it since/, /gone/],
    after: { ann: UNTOUCHED.ann },
  },
  {
    name: "a user who has changed since stays with all its belongings, though a lost entry deleted it",
    lost: [[{ op: "delete_user", username: "bob" }]],
    since: [[user("bob", { friendly_name: "Bob" })]],
    shown: ["! user bob"],
    refusals: [/has written it since/],
    after: UNTOUCHED,
  },
  {
    name: "an entry whole or not at all",
    lost: [[policy("Write"), user("eve"), attach("eve", "Write"), policy("Read", "deny")]],
    since: [[policy("Read", "deny")]],
    shown: ["! policy Write", "! user eve", "! attachment Write to user eve", "! policy Read"],
    refusals: [/policy "Read": entry \d+ of the log has written it since/],
    after: UNTOUCHED,
  },
  {
    name: "what depends on another lost entry, after it",
    lost: [[user("eve")], [member("eve", "Readers")], [user("eve", { friendly_name: "Eve" })]],
    shown: ["+ user eve", "+ membership eve in Readers"],
    after: { ...UNTOUCHED, eve: { groups: ["Readers"], policies: [], keys: [] } },
  },
  {
    name: "a name that somebody else has now belongs to him",
    lost: [[user("eve")], [key("eve", "KEYEVE")]],
    since: [[user("eve", { friendly_name: "Another" })]],
    shown: ["! user eve", "! access key KEYEVE"],
    refusals: [/user "eve": entry/, /gone, or another one/],
    after: { ...UNTOUCHED, eve: { groups: [], policies: [], keys: [] } },
  },
  {
    name: "a user who was deleted and made anew, with what is the new one's",
    lost: [
      [{ op: "delete_user", username: "bob" }],
      [user("bob", { email: "new@x.io" }), member("bob", "Admins")],
    ],
    shown: ["~ user bob", "+ membership bob in Admins"],
    after: { ...UNTOUCHED, bob: { groups: ["Admins"], policies: [], keys: [] } },
  },
  {
    name: "the end of sessions",
    lost: [(directory) => endSessionsOf(directory, "bob")],
    shown: ["+ end of sessions bob", "~ user bob"],
    after: UNTOUCHED,
  },
];

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function lossOf({ lost, since = [] }: Pick<Case, "lost" | "since">): Promise<{
  store: JournalStore;
  directory: OpenedDirectory;
  changes: LostChanges;
}> {
  const folder = mkdtempSync(join(tmpdir(), "apply-lost-"));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const engine = new MemoryEngine();
  const replica = await openLocalReplica({ path: join(folder, "copy") });
  const store = await openNode(engine, { pollMs: 3_600_000, keepMs: 3_600_000 }, { replica });
  closing.push(() => store.close());
  let directory = await openDirectoryOn(store);
  const apply = async (steps: readonly Step[]): Promise<void> => {
    for (const step of steps)
      await (typeof step === "function"
        ? step(directory)
        : directory.batches.apply(step, { managed: false }));
  };
  await apply([BASE]);
  const common = store.revision;
  await apply(lost);
  await directory.close();
  const revisions = Array.from({ length: store.revision - common }, (_, index) => common + 1 + index);
  await engine.remove(revisions.map(entryName));
  const { entries } = engine;
  engine.entries = () => Promise.reject(new Error("the connection was lost"));
  await store.catchUp().catch(() => undefined);
  engine.entries = entries;
  await store.catchUp();
  expect(store.revision).toBe(common);
  await expect.poll(() => store.copyState?.().wentBack?.file).toBeDefined();
  directory = await openDirectoryOn(store);
  closing.push(() => directory.close());
  await apply(since);
  return { store, directory, changes: await lostChangesOf(store.copyState!().wentBack!.file!) };
}

async function stateOf(directory: OpenedDirectory): Promise<object> {
  const { users } = await directory.batches.state({ secrets: true });
  return Object.fromEntries(
    [...users].map(([name, { groups, policies, credentials }]) => [
      name,
      { groups: [...groups.keys()], policies: [...policies.keys()], keys: [...credentials.keys()] },
    ]),
  );
}

const SIGNS = { create: "+", replace: "~", remove: "-" } as const;

describe.each(CASES)("what was lost is made again: $name", ({ lost, since, shown, refusals = [], after }) => {
  it("as shown before, and the store is sound", async () => {
    const { store, directory, changes } = await lossOf({ lost, ...(since && { since }) });
    const before = await stateOf(directory);
    const revision = store.revision;
    const rehearsed = await directory.history.applyLost(changes, { dryRun: true });
    expect([await stateOf(directory), store.revision]).toEqual([before, revision]);
    const report = await directory.history.applyLost(changes, { dryRun: false });
    expect(report).toEqual(rehearsed);
    const lines = report.groups.flatMap(({ things, refusals }) =>
      things.map(({ change, kind, name }) => `${refusals.length > 0 ? "!" : SIGNS[change]} ${kind} ${name}`),
    );
    expect(lines.sort()).toEqual([...shown].sort());
    const reasons = report.groups.flatMap(({ refusals }) => refusals).join("\n");
    for (const refusal of refusals) expect(reasons).toMatch(refusal);
    expect(reasons === "").toBe(refusals.length === 0);
    expect(await stateOf(directory)).toEqual(after);
    await directory.close();
    expect(await checkWholeStore(store, { secretKey: SECRET_KEY, previousSecretKey: undefined })).toEqual([]);
    const again = await openDirectoryOn(store);
    closing.push(() => again.close());
    const twice = await again.history.applyLost(changes, { dryRun: true });
    // What was made again is there; only what was refused is left.
    expect(twice.groups.filter(({ refusals }) => refusals.length === 0)).toEqual([]);
  });
});

it("nothing is made again where it would leave no administrator", async () => {
  const { directory, changes } = await lossOf({
    lost: [[member("bob", "Admins")], [{ op: "remove_member", username: "ann", group: "Admins" }]],
    since: [[{ op: "delete_user", username: "bob" }]],
  });
  await expect(directory.history.applyLost(changes, { dryRun: false })).rejects.toThrow(
    "this would leave no administrator",
  );
});

it("nothing is made again in another log, or where the log went back further since", async () => {
  const { directory, changes } = await lossOf({ lost: [[user("eve")]] });
  const { common } = changes;
  await expect(directory.history.applyLost({ ...changes, log: "another" }, { dryRun: true })).rejects.toThrow(
    "the database has another one",
  );
  await expect(
    directory.history.applyLost({ ...changes, common: { ...common, id: "other" } }, { dryRun: true }),
  ).rejects.toThrow(`no longer has entry ${common.revision}`);
});

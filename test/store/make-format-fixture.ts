/**
 * Made `fixtures/store/format-1/` and `format-1.records.json`. Run it only for a new store format, under a new name:
 * `node test/store/make-format-fixture.ts fixtures/store/format-2`. The fixtures of earlier formats stay as they are.
 */

import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { openLocalStore } from "../../src/store/local/local-store.ts";
import { withSnapshot } from "../../src/store/port.ts";

const [target] = process.argv.slice(2);
if (target === undefined) throw new Error("usage: make-format-fixture.ts FOLDER");
const work = mkdtempSync(join(tmpdir(), "format-fixture-"));
const source = join(work, "store");

const store = await openLocalStore({ path: source, syncWrites: true, writer: "svc-authorizer 0.1.0" });
const records = [
  ["user", "alice", '{"username":"alice"}'],
  ["user", "Alice", '{"username":"Alice"}'],
  ["user", "é", "composed"],
  ["user", "e\u0301", "decomposed"],
  ["user", "\uffff", "last of the basic plane"],
  ["user", "😀", "astral, after U+FFFF"],
  ["user", "n".repeat(1024), "a long name"],
  ["group", "alice", "another partition"],
  ["group", "empty", ""],
  ["policy", "large", "p".repeat(20_000)],
] as const;
for (const [partition, key, value] of records) await store.commit({ put: [{ partition, key, value }] });
await store.commit({ delete: [{ partition: "user", key: "Alice" }] });
await store.commit({
  put: [
    { partition: "user", key: "Alice", value: "created again" },
    { partition: "group", key: "alice", value: "rewritten" },
  ],
});
await store.commit({ delete: [{ partition: "group", key: "empty" }] });
const kept = await withSnapshot(store, (snapshot) =>
  Promise.all(
    ["user", "group", "policy"].map(async (partition) => ({
      partition,
      records: await snapshot.scan(partition, { limit: 100 }),
    })),
  ),
);
await store.close();

const database = open({ path: source, keyEncoding: "binary", encoding: "binary", overlappingSync: false });
mkdirSync(join(work, "compact"));
await database.backup(join(work, "compact"), true);
await database.close();
mkdirSync(target, { recursive: true });
renameSync(join(work, "compact", "data.mdb"), join(target, "data.mdb"));
writeFileSync(`${target}.records.json`, `${JSON.stringify(kept, null, 2)}\n`);
rmSync(work, { recursive: true });

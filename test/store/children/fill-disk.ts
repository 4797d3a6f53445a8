/**
 * Opens the store in the folder given, where files may not grow beyond a limit, and commits until that fails. Prints
 * a JSON line: how commits ended, what is stored. Fails unless the store works again after some room was made.
 */

import { writeSync } from "node:fs";
import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { openLocalStore } from "../../../src/store/local/local-store.ts";
import { withSnapshot } from "../../../src/store/port.ts";

const logged: string[] = [];
const log = { info: () => undefined, error: (_: unknown, message: string) => void logged.push(message) };
const store = await openLocalStore({ path: process.argv[2]!, syncWrites: true, log });
const value = "x".repeat(60_000);
const acknowledged: string[] = [];
let refused = 0;

for (let round = 0; refused === 0; round++) {
  const keys = [0, 1, 2].map((writer) => `${round}-${writer}`);
  const outcomes = await Promise.allSettled(
    keys.map((key) => store.commit({ put: ["a", "b"].map((partition) => ({ partition, key, value })) })),
  );
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === "fulfilled") acknowledged.push(keys[index]!);
    else if (isErrorCode(outcome.reason, "unavailable")) refused += 1;
    else throw outcome.reason;
  }
}
const stored = await withSnapshot(store, async (snapshot) => {
  const scans = ["a", "b"].map(async (partition) =>
    (await snapshot.scan(partition, { limit: 999 })).map(({ key }) => key),
  );
  return Promise.all(scans);
});
await store.commit({ delete: acknowledged.slice(0, 3).map((key) => ({ partition: "a", key })) });
await store.commit({ put: [{ partition: "a", key: "again", value: "works" }] });
await store.health();
await store.close();
writeSync(1, `${JSON.stringify({ acknowledged, refused, stored, logged })}\n`);

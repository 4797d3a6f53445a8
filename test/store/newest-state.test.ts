/** The newest state of a data file that another thread writes all the while. */

import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { newestState } from "../../src/store/local/lmdb-format/newest-state.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Commits again and again, as the local store opens its database. */
const WRITER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { open } = require("lmdb");
  const options = { noSubdir: false, maxDbs: 1, keyEncoding: "binary", overlappingSync: false, noSync: true };
  const store = open({ path: workerData, ...options });
  const key = Buffer.from("key");
  store.putSync(key, 0);
  store.putSync(key, 1);
  let ended = false;
  parentPort.on("message", () => { ended = true; });
  parentPort.postMessage("written");
  const write = () => {
    for (let n = 0; n < 100; n++) store.putSync(key, n);
    if (ended) store.close().then(() => process.exit());
    else setImmediate(write);
  };
  write();
`;

it("is one state, however many are written between two reads", async () => {
  const folder = temporaryFolder();
  const writer = new Worker(WRITER, { eval: true, workerData: folder });
  await once(writer, "message");
  const handle = openSync(join(folder, "data.mdb"), "r");
  const first = newestState(handle).transaction;
  let newest = first;
  try {
    for (let reads = 0; reads < 20_000; reads++) {
      const { transaction } = newestState(handle);
      expect(transaction >= newest).toBe(true);
      newest = transaction;
    }
  } finally {
    closeSync(handle);
    writer.postMessage("end");
    await once(writer, "exit");
  }
  expect(newest).toBeGreaterThan(first);
});

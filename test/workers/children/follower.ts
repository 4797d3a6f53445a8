/** A process that follows a folder as a worker does, and says what it sees when it is asked; nobody tells it of commits. */

import { CommitNotes, openRevisions } from "../../../src/journal/revisions.ts";
import { openWorkerStore } from "../../../src/store/local/worker-store.ts";
import type { Change } from "../../../src/store/port.ts";

const store = openWorkerStore({
  path: process.argv[2] as string,
  commit: () => Promise.reject(new Error("this test does not commit here")),
});
const changes: (Change | undefined)[] = [];
store.subscribe(({ change }) => changes.push(change));
const revisions = await openRevisions({ store, notes: new CommitNotes() });

process.on("message", async (message) => {
  if (message === "hold") {
    await store.snapshot();
    process.send?.("held");
    return;
  }
  const revision = revisions.current();
  process.send?.({ revision, changes: changes.splice(0) });
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");

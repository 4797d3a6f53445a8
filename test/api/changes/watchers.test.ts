/** The readers of a watch over a log that goes back before anybody says so (spec/journal §6.4). */

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import type { ChangeLog, LoggedEntry } from "../../../src/api/changes/ports.ts";
import { Watchers } from "../../../src/api/changes/watchers.ts";
import { StreamReader } from "./kit.ts";

/** Far more looks than any reader needs: one that asks on and on without a pause fails here, and does not hang the test. */
const MOST_LOOKS = 10_000;

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close();
});

/** A log of entries by their ids, which tells its listeners nothing by itself. */
function logOf(ids: string[]) {
  let looks = 0;
  const listeners = new Set<() => void>();
  const entry = (revision: number): LoggedEntry => ({
    revision,
    id: ids[revision - 1]!,
    at: "2026-01-01T00:00:00.000Z",
    names: { users: [ids[revision - 1]!] },
    ids: {},
  });
  const log: ChangeLog = {
    logId: "logAAAAA",
    get head() {
      return { revision: ids.length, id: ids.at(-1)! };
    },
    namesEntries: true,
    idOf: async (revision) => {
      if (++looks > MOST_LOOKS) throw new Error("the log was asked on and on");
      return ids[revision - 1];
    },
    entries: async (after) => ids.slice(after).map((_, index) => entry(after + index + 1)),
    onEntry: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    staleness: () => 0,
    assertFresh: () => {},
  };
  const say = (): void => {
    for (const listener of listeners) listener();
  };
  return { log, say };
}

/** Serves a watch from the newest entry on; returns what opens a reader. */
async function serve(log: ChangeLog) {
  const watchers = new Watchers(log);
  closing.push(() => watchers.close());
  const failures: unknown[] = [];
  const answer = (response: ServerResponse): void => {
    response.flushHeaders();
    watchers.serve(response, undefined).catch((error: unknown) => {
      failures.push(error);
      response.end();
    });
  };
  const server = createServer((_, response) => answer(response));
  closing.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    failures,
    open: async () => {
      const { reader } = await StreamReader.open(url, "token", "\n\n");
      closing.push(() => reader.close());
      return reader;
    },
  };
}

it("a reader who comes before the others heard that the log went back holds up nobody, and hears what follows", async () => {
  const ids = ["one00001", "two00002", "three003"];
  const { log, say } = logOf(ids);
  const { open, failures } = await serve(log);
  const before = await open();
  expect(await before.next()).toContain("id: 3.logAAAAA.three003");
  ids.splice(1);
  const late = await open();
  expect(await late.next()).toContain("id: 1.logAAAAA.one00001");
  // Who was there hears of it because somebody came, before the log says anything.
  expect(await before.next()).toContain("event: reset\nid: 1.logAAAAA.one00001");
  ids.push("other002");
  say();
  for (const reader of [before, late]) expect(await reader.next()).toContain("id: 2.logAAAAA.other002");
  expect(failures).toEqual([]);
});

/** Streams of records, while the right to them ends (spec/security §4.4, spec/decision-log §3.1). */

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UserCall } from "../../../src/api/management/call.ts";
import type { AuditRecords, RecordQuery } from "../../../src/api/management/records/ports.ts";
import { openRecordStreams } from "../../../src/api/management/records/record-stream.ts";
import type { Directory } from "../../../src/directory/directory.ts";
import { openedOnce } from "../../opened.ts";
import { basic, type Key, type Management, startManagement } from "./kit.ts";

const STREAMS = ["/audit/stream", "/decisions/stream"];

let folder = "";
let api: Management;
let directory: Directory;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "streams-"));
  api = await startManagement({
    "authorizer.audit.directory": join(folder, "audit"),
    "authorizer.decision_log.include": "all",
    "authorizer.decision_log.directory": join(folder, "decisions"),
  });
  directory = api.authorizer.directory;
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

/** A user who may read records until something ends that. */
async function newReader(username: string, { users, credentials }: Directory = directory): Promise<Key> {
  await users.create({ username });
  await users.attachPolicy(username, "Manages");
  return credentials.create(username) as Promise<Key>;
}

/** A stream as its reader sees it. */
class Stream {
  text = "";
  ended = false;
  readonly #abort = new AbortController();

  static async open(path: string, authorization: string): Promise<Stream> {
    const stream = new Stream();
    const response = await fetch(`${api.authorizer.userUrl}/api/v1${path}`, {
      headers: { authorization },
      signal: stream.#abort.signal,
    });
    expect(response.status).toBe(200);
    void stream.#read(response);
    return stream;
  }

  async #read(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const piece of response.body ?? []) this.text += decoder.decode(piece, { stream: true });
    } catch (error) {
      if (!this.#abort.signal.aborted) throw error;
    }
    this.ended = true;
  }

  close(): void {
    this.#abort.abort();
  }
}

const ENDS: readonly [string, (username: string, key: Key) => Promise<unknown>][] = [
  ["the policy that gave it is detached", (name) => directory.users.detachPolicy(name, "Manages")],
  ["the access key is deleted", (name, key) => directory.credentials.delete(name, key.access_key_id)],
  ["the user is deleted", (name) => directory.users.delete(name)],
  [
    "the user becomes inactive",
    async (name) => {
      const provisioning = directory.provisioning(() => false);
      const { id } = (await provisioning.findUser({ username: name })) ?? { id: "" };
      await provisioning.changeUser(id, (user) => ({ ...user, inactive: true }));
    },
  ],
];

describe.each(STREAMS)("%s", (path) => {
  it.each(ENDS)("ends when %s, and nothing that happens afterwards is told", async (what, end) => {
    const name = `reader of ${path} until ${what}`;
    const key = await newReader(name);
    const stream = await Stream.open(path, basic(key));
    await api.call("admin", "POST", "/auth/groups", { body: { id: `Before ${name}` } });
    await expect.poll(() => stream.text).toContain("admin");
    await end(name, key);
    await api.call("admin", "POST", "/auth/groups", { body: { id: `After ${name}` } });
    await expect.poll(() => stream.ended).toBe(true);
    expect(stream.text).not.toContain("After ");
  });

  it("ends when its login is over", async () => {
    const key = await newReader(`login for ${path}`);
    const login = await api.call(undefined, "POST", "/auth/login", { body: key });
    const authorization = `Bearer ${login.json.token}`;
    const stream = await Stream.open(path, authorization);
    await api.call({ token: login.json.token }, "POST", "/auth/logout");
    await expect.poll(() => stream.ended).toBe(true);
  });

  it("goes on while its reader keeps the right, whatever else changes", async () => {
    const stream = await Stream.open(path, basic(await newReader(`faithful to ${path}`)));
    for (const name of ["One", "Two", "Three"]) {
      await api.call("admin", "POST", "/auth/groups", { body: { id: `${name} ${path}` } });
      await expect.poll(() => stream.text).toContain(`${name} ${path}`);
    }
    expect(stream.ended).toBe(false);
    stream.close();
  });
});

describe.each(STREAMS)("places of %s", (path) => {
  /** A service that has no other readers. */
  const own = openedOnce(() =>
    startManagement({
      "authorizer.audit.directory": join(folder, "own", path, "audit"),
      "authorizer.decision_log.include": "all",
      "authorizer.decision_log.directory": join(folder, "own", path, "decisions"),
    }),
  );

  it("are 32, half of them for one caller, also for callers who come at once", async () => {
    const abort = new AbortController();
    // fetch ends the stream of a response that nobody holds any more.
    const held: Response[] = [];
    const open = async (authorization: string) => {
      const response = await fetch(`${own.authorizer.userUrl}/api/v1${path}`, {
        headers: { authorization },
        signal: abort.signal,
      });
      held.push(response);
      return response.status;
    };
    const opened = async (name: string) => {
      const authorization = basic(await newReader(name, own.authorizer.directory));
      const statuses = await Promise.all(Array.from({ length: 20 }, () => open(authorization)));
      expect(new Set(statuses)).toEqual(new Set([200, 503]));
      return statuses.filter((status) => status === 200).length;
    };
    expect([await opened("greedy"), await opened("other")]).toEqual([16, 16]);
    const third = basic(await newReader("third", own.authorizer.directory));
    expect(await open(third)).toBe(503);
    expect(held).toHaveLength(41);
    abort.abort();
  });
});

it("a stream that is open ends in order when the service ends, and is not cut", async () => {
  const own = await startManagement({ "authorizer.audit.directory": join(folder, "ending") });
  const headers = { authorization: basic(await newReader("last", own.authorizer.directory)) };
  const { body } = await fetch(`${own.authorizer.userUrl}/api/v1/audit/stream`, { headers });
  // What is cut rejects.
  const text = new Response(body).text();
  await own.close();
  expect(await text).toContain("event: nodes");
});

it("a reader who has gone gives its place back before the next look for records", async () => {
  const streams = openRecordStreams();
  const records = { since: async () => ({ records: [], place: 0, more: false }) } as unknown as AuditRecords;
  const permitted = { ask: async () => true, close: () => {} };
  const begun = Promise.withResolvers<ServerResponse>();
  let isServed = false;
  const server = createServer(async (request, response) => {
    const call = { request, response, caller: { name: "reader" }, commonHeaders: () => [] };
    begun.resolve(response);
    await streams.serve(call as unknown as UserCall, records, {} as RecordQuery, permitted, {
      otherNodes: async () => [],
    });
    isServed = true;
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const abort = new AbortController();
  const { port } = server.address() as AddressInfo;
  const { status } = await fetch(`http://127.0.0.1:${port}`, { signal: abort.signal });
  expect(status).toBe(200);
  const closed = once(await begun.promise, "close");
  abort.abort();
  await closed;
  await setImmediate();
  expect(isServed).toBe(true);
  server.close();
});

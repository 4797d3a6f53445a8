/** A table counts as lost at the source where the source says so with 410: no other answer lets a commit pass without it. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { DataCheck } from "../../src/mirroring/data/data-check.ts";
import { GoneAtSource } from "../../src/mirroring/data/missing-data.ts";
import { ServerCalls } from "../../src/mirroring/server/calls.ts";
import { DataServer } from "../../src/mirroring/server/data-server.ts";

const APART_MS = 600_000;
const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A data server that has one answer to everything; one that is cut announces more than it sends. */
async function answering(status: number, isCut = false): Promise<DataServer> {
  const server = createServer((_, response) => {
    response.writeHead(status, { "content-length": isCut ? 100 : 2 });
    response.write("{}");
    if (isCut) setImmediate(() => response.destroy());
    else response.end();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const calls = new ServerCalls({ endpoint, accessKeyId: "key", secretAccessKey: "secret" }, { tries: 1 });
  return new DataServer(calls);
}

it.each([
  { answer: "410", status: 410, isGone: true },
  { answer: "410, and a clock that is set back by an hour,", status: 410, isGone: true, setBack: 3_600_000 },
  { answer: "404", status: 404, isGone: false },
  { answer: "a part of the table", status: 200, isCut: true, isGone: false },
])("$answer at the source", async ({ status, isCut, isGone, setBack }) => {
  let now = Date.now();
  const check = new DataCheck({
    source: await answering(status, isCut),
    sourceRepository: "source",
    destination: await answering(410),
    mirror: "mirror",
    blocksExternal: false,
    gone: new GoneAtSource([], { apartMs: APART_MS, now: () => now }),
    alive: async () => {},
  });
  const commit = { id: "c", metaRangeId: "m", parentMetaRangeId: "" };
  expect(await check.check(commit, new Set())).toMatchObject({ isComplete: false, missing: 1 });
  if (setBack !== undefined) {
    now -= setBack;
    expect(await check.check(commit, new Set())).toMatchObject({ isComplete: false, missing: 1 });
  }
  now += APART_MS;
  const found = await check.check(commit, new Set());
  expect(found).toMatchObject({ isComplete: isGone, missing: isGone ? 0 : 1, gone: isGone ? 1 : 0 });
});

/** The end of a process that has asked servers which do not answer (spec/decision-api §1.2). */

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { cleanUp, newFolder, start, writeConfig } from "./program.ts";

afterEach(cleanUp);

const KEY = {
  access_key_id: "AKIAJEXAMPLEEXAMPLEQ",
  secret_access_key: "example-secret-example-secret-example-00",
} as const;

/** A server that takes connections and says nothing. */
async function silentServer() {
  const server = createServer((socket) => {
    socket.resume();
    socket.on("error", () => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

// A data server has a minute for an answer, and is asked five times: far longer than this test may take.
it("does not wait for a data server that a request asked about mirrors", { timeout: 45_000 }, async () => {
  const { server, url } = await silentServer();
  const folder = newFolder();
  const dataset = {
    format: 1,
    policies: [{ name: "All", statement: [{ effect: "allow", action: ["*"], resource: "*" }] }],
    users: [{ username: "alice", policies: ["All"], credentials: [KEY] }],
  };
  const config = writeConfig(folder, {
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "authorizer.datasets": [writeConfig(folder, dataset, "dataset.json")],
    "authorizer.mirroring.source": { endpoint: url, ...KEY },
    "authorizer.mirroring.regions": { west: { endpoint: url, ...KEY } },
    "database.type": "mem",
    "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
  });
  const program = await start(["--config", config], folder);
  const asked = once(server, "connection");
  const abort = new AbortController();
  const authorization = `Basic ${Buffer.from(`${KEY.access_key_id}:${KEY.secret_access_key}`).toString("base64")}`;
  const answer = fetch(`${program.user}/service/replication/v1/repositories/sales/mirrors`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ name: "sales-west", region: "west", storage_namespace: "s3://sales-west/data" }),
    signal: abort.signal,
  });
  await asked;
  abort.abort();
  await expect(answer).rejects.toThrow();
  expect(await program.end()).toBe(0);
});

/** A process that is stopped while it joins a large directory ends, in order and without having started. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { cleanUp, MAIN, newFolder, start, writeConfig } from "../end-to-end/program.ts";
import { openedOnce } from "../opened.ts";
import { listening } from "./http-proxy.ts";
import { postgresBin, startPostgres } from "./postgres-cluster.ts";

const TOKEN = "a-token-that-only-this-test-knows-0123456789";
/** Bytes after which the database answers slowly, which are in the middle of the state. */
const QUICK = 300_000;

/** A slow way to a database: beyond some bytes, each piece of an answer waits. */
async function startSlowProxy(target: number) {
  let passed = 0;
  const isSlow = Promise.withResolvers<void>();
  const server = createServer((client) => {
    const database = connect(target, "127.0.0.1");
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      one.on("error", () => undefined);
      one.on("close", () => other.destroy());
    }
    client.pipe(database);
    database.on("data", async (bytes) => {
      passed += bytes.length;
      if (passed > QUICK) {
        isSlow.resolve();
        database.pause();
        await setTimeout(100);
        database.resume();
      }
      client.write(bytes);
    });
  });
  const port = await listening(server);
  return { port, isSlow: isSlow.promise, close: () => void server.close() };
}

describe.skipIf(postgresBin() === undefined)("a node that joins", () => {
  const cluster = openedOnce(() => startPostgres());
  afterEach(cleanUp);

  it("ends at a signal, without the rest of the directory", async () => {
    const folder = newFolder();
    const database = await cluster.newDatabase();
    const users = Array.from({ length: 20_000 }, (_, index) => ({ username: `user${index}` }));
    const file = writeConfig(folder, { format: 1, users }, "set.json");
    const configOf = (connection: string, name: string, more: object = {}) =>
      writeConfig(
        folder,
        {
          listen_address: "127.0.0.1:0",
          "authorizer.listen_address": "127.0.0.1:0",
          "authorizer.metrics_address": "127.0.0.1:0",
          "database.type": "postgres",
          "database.postgres.connection_string": connection,
          "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
          "auth.api.token": TOKEN,
          "authorizer.replication.commit_timeout": "60s",
          ...more,
        },
        name,
      );
    const first = await start(
      ["--config", configOf(database, "first.json", { "authorizer.datasets": [file] })],
      folder,
    );
    const proxy = await startSlowProxy(cluster.port);
    const config = configOf(database.replace(`:${cluster.port}/`, `:${proxy.port}/`), "second.json");
    const child = spawn(process.execPath, [MAIN, "run", "--config", config], { cwd: folder });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (text) => {
        output += text;
      });
    }
    const ended = once(child, "close");
    await proxy.isSlow;
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(output).not.toContain("ready service=");
    expect(output).not.toContain("ERROR");
    proxy.close();
    await first.end();
  });
});

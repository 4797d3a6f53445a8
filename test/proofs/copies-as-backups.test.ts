/** Proof: a node's copy, and a local store in use, are exported and checked as they are at one revision (spec/journal §3). */

import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { cleanUp, newFolder, run, start, writeConfig } from "../end-to-end/program.ts";
import { postgresBin, startPostgres } from "../journal/postgres-cluster.ts";
import { openedOnce } from "../opened.ts";
import { Fleet } from "./fleet.ts";

afterEach(cleanUp);

const names = (text: string) =>
  (JSON.parse(text) as { readonly users: readonly { readonly username: string }[] }).users.map(
    ({ username }) => username,
  );

/** Writes users until it is stopped; resolves with their number. */
function writing(write: (username: string) => Promise<number>): () => Promise<number> {
  let isOver = false;
  const count = (async () => {
    let written = 0;
    while (!isOver) if ((await write(`w${written}`)) === 201) written += 1;
    return written;
  })();
  return () => {
    isOver = true;
    return count;
  };
}

describe.skipIf(postgresBin() === undefined)("proof: a node's copy", () => {
  const cluster = openedOnce(() => startPostgres());

  it("is exported and checked without the database, while its node writes, runs, and is stopped", async () => {
    const fleet = await Fleet.start(cluster, 0);
    const copy = join(newFolder(), "copy");
    const node = await fleet.startNode(["--authorizer.replication.path", copy]);
    for (const username of ["ann", "bob"])
      expect(await fleet.write(node.service, "POST", "/users", { username })).toBe(201);
    await fleet.makePolicy();
    const command = (name: string, ...args: string[]) =>
      run([name, "--config", fleet.config, "--from-copy", copy, ...args], fleet.folder);

    const stop = writing((username) => fleet.write(node.service, "POST", "/users", { username }));
    for (let round = 0; round < 3; round++) {
      const checked = await command("check-store", "--json");
      const { sound, revisions, findings } = JSON.parse(checked.stdout);
      expect([sound, findings, checked.code]).toEqual([true, [], 0]);
      expect(revisions.from).toBe(revisions.to);
      const exported = await command("export", "--format", "json");
      expect(exported.code, exported.stderr).toBe(0);
      expect(exported.stderr).toMatch(/exported revision \d+/);
      expect(names(exported.stdout)).toEqual(expect.arrayContaining(["ann", "bob"]));
    }
    const written = await stop();
    expect(written).toBeGreaterThan(0);

    await cluster.stop();
    for (const isRunning of [true, false]) {
      if (!isRunning) await node.end("SIGTERM");
      const checked = await command("check-store");
      expect([checked.stdout, checked.code]).toEqual(["the store is sound\n", 0]);
      expect(checked.stderr).toMatch(/checked revision \d+/);
      const exported = await command("export", "--format", "json");
      expect(names(exported.stdout)).toHaveLength(written + 2);
    }
    await cluster.start();
    const none = await run(
      ["export", "--config", fleet.config, "--from-copy", join(copy, "none")],
      fleet.folder,
    );
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining("there is no copy of a directory in"),
    ]);
  });
});

describe("proof: a local store in use", () => {
  it("is exported and checked while the service writes", async () => {
    const folder = newFolder();
    const token = "a-token-that-only-this-proof-knows-0123456789";
    const config = writeConfig(folder, {
      listen_address: "127.0.0.1:0",
      "authorizer.listen_address": "127.0.0.1:0",
      "authorizer.metrics_address": "127.0.0.1:0",
      "database.type": "local",
      "database.local.path": join(folder, "store"),
      "auth.encrypt.secret_key": "a-secret-key-that-only-this-proof-knows-0123456789",
      "auth.api.token": token,
      "logging.level": "WARN",
      "logging.audit_log_level": "NONE",
    });
    const service = await start(["--config", config], folder);
    const write = async (username: string) => {
      const answer = await fetch(`${service.service}/api/v1/auth/users`, {
        method: "POST",
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        body: JSON.stringify({ username }),
      });
      await answer.arrayBuffer();
      return answer.status;
    };
    expect(await write("ann")).toBe(201);
    const stop = writing(write);
    for (let round = 0; round < 3; round++) {
      const checked = await run(["check-store", "--config", config], folder);
      expect([checked.stdout, checked.code], checked.stderr).toEqual(["the store is sound\n", 0]);
      expect(checked.stderr).toMatch(/checked (a )?revision/);
      const exported = await run(["export", "--config", config, "--format", "json"], folder);
      expect(exported.code, exported.stderr).toBe(0);
      expect(exported.stderr).toMatch(/exported revision \d+/);
      const found = names(exported.stdout).filter((name) => name.startsWith("w"));
      // One state: all that was written up to some moment.
      expect(new Set(found)).toEqual(new Set(found.map((_, index) => `w${index}`)));
    }
    expect(await stop()).toBeGreaterThan(0);
    expect(await service.end()).toBe(0);
  });
});

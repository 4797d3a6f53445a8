/** Proof: what a database lost is shown, and made again by command as far as it still fits (spec/journal §3). */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { cleanUp, newFolder, type RunningProgram, run } from "../end-to-end/program.ts";
import { postgresBin, startPostgres } from "../journal/postgres-cluster.ts";
import { openedOnce } from "../opened.ts";
import { Fleet } from "./fleet.ts";

const LOOKS = { interval: 100 };

describe.skipIf(postgresBin() === undefined)("proof: lost entries", () => {
  const cluster = openedOnce(() => startPostgres());
  let fleet: Fleet;
  afterEach(cleanUp);

  const write = async (node: RunningProgram, method: string, path: string, body?: unknown) =>
    expect(await fleet.write(node.service, method, path, body), `${method} ${path}`).toBeLessThan(300);

  it("are made again as the command said before, and what no longer fits is refused", async () => {
    fleet = await Fleet.start(cluster, 0);
    const path = join(newFolder(), "copy");
    const { "database.postgres.connection_string": url } = JSON.parse(readFileSync(fleet.config, "utf8"));
    const sql = (text: string) => cluster.query(text, new URL(url).pathname.slice(1));
    const one = await fleet.startNode(["--authorizer.replication.path", path]);
    const other = await fleet.startNode();
    for (const username of ["ann", "bob", "eve"]) await write(one, "POST", "/users", { username });
    await fleet.makePolicy();
    await sql("CREATE TABLE backup AS TABLE svc_authorizer_entry");

    await write(one, "POST", "/users", { username: "new" });
    await write(one, "PUT", "/users/new/policies/Read");
    await write(one, "DELETE", "/users/eve");
    await write(one, "PUT", "/users/bob/policies/Read");
    await sql("BEGIN; TRUNCATE svc_authorizer_entry; INSERT INTO svc_authorizer_entry TABLE backup; COMMIT");
    const names = async ({ service }: RunningProgram) => [...(await fleet.users(service))].sort();
    const old = ["ann", "bob", "eve"];
    for (const node of [one, other]) await expect.poll(() => names(node), LOOKS).toEqual(old);
    const files = () => readdirSync(path).filter((name) => /^lost-.*\.ndjson$/.test(name));
    await expect.poll(files, LOOKS).toHaveLength(1);
    const file = join(path, files()[0]!);
    // Bob left meanwhile.
    await write(other, "DELETE", "/users/bob");

    const apply = (...args: string[]) =>
      run(["journal", "lost", "apply", "--config", fleet.config, "--file", file, ...args], fleet.folder);
    const said = await apply();
    expect(said.stdout, said.stderr).toContain('+ user "new"');
    expect(said.stdout).toContain('- user "eve"');
    expect(said.stdout).toContain('refused: attachment "Read to user ');
    expect(said.stdout).toContain("3 of 4 would be made again (--yes does it), 1 no longer fit");
    expect(said.code).toBe(1);
    expect(await names(one)).toEqual(["ann", "eve"]);

    const done = await apply("--yes", "--json");
    const report = JSON.parse(done.stdout);
    expect([done.code, report.applied]).toEqual([1, true]);
    expect(report.groups.filter(({ refusals }: { refusals: string[] }) => refusals.length > 0)).toHaveLength(
      1,
    );
    for (const node of [one, other]) {
      await expect.poll(() => names(node), LOOKS).toEqual(["ann", "new"]);
      await expect.poll(() => fleet.mayRead(node.service, "new"), LOOKS).toBe(true);
      expect(await fleet.mayRead(node.service, "bob")).toBe(false);
    }
    const again = await apply("--yes");
    expect(again.stdout).toContain("0 of 1 made again, 1 no longer fit");
    expect(await names(one)).toEqual(["ann", "new"]);
    expect(await fleet.checkStore()).toMatchObject({ code: 0 });
  });
});

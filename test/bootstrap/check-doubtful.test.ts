import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openData, openLog } from "../../src/compose/data.ts";
import { configFromObject } from "../../src/config/load.ts";
import { openLocalStore } from "../../src/store/local/local-store.ts";
import { runCommand, storeItems } from "./command-kit.ts";
import { newFolder, removeFolders } from "./kit.ts";

let folder: string;
let items: Record<string, string>;
beforeEach(async () => {
  folder = newFolder();
  items = storeItems(folder, "0123456789abcdef0123456789abcdef-key");
  await directory(async () => undefined);
});
afterEach(removeFolders);

const ALLOW: Statement = { effect: "allow", action: ["fs:ReadObject"], resource: "*" };
const LIMITED: Statement = { ...ALLOW, condition: { IpAddress: { SourceIp: ["10.0.0.0/8"] } } };

/** Runs `work` on the directory of the store. */
async function directory<T>(work: (data: Awaited<ReturnType<typeof openData>>) => Promise<T>): Promise<T> {
  const { values } = configFromObject(items);
  const data = await openData(values, openLog(values));
  try {
    return await work(data);
  } finally {
    await data.close();
  }
}

/** Writes a policy as a version before this one did; returns the revision. */
async function writeAsBefore(name: string, statement: readonly Statement[], actor: string): Promise<number> {
  const store = await openLocalStore({ path: join(folder, "svc-authorizer"), syncWrites: false });
  try {
    const value = JSON.stringify({
      id: `i-${name}`,
      rev: `r-${statement.length}`,
      creation_date: 1,
      statement,
    });
    const touched = { policies: [name] };
    return await store.commit({ put: [{ partition: "policy", key: name, value }], touched, actor });
  } finally {
    await store.close();
  }
}

async function report(...args: string[]) {
  const { code, stdout } = await runCommand(["check-store", "--json", ...args], items);
  const { sound, doubtful } = JSON.parse(stdout);
  expect({ code, sound }).toEqual({ code: 0, sound: true });
  return doubtful;
}

const record = (policy: string, statement: readonly Statement[], more: object) =>
  `${JSON.stringify({ time: "2026-01-05T09:00:00.000Z", event: "write", operation: "createPolicy", policy, ...more, after: { name: policy, statement } })}\n`;

it("says who wrote a doubtful policy and which condition a statement had, and what cannot be known", async () => {
  const then = await writeAsBefore("Old", [LIMITED], "ann");
  const now = await writeAsBefore("Old", [{ ...ALLOW, action: ["fs:ListObjects"] }, ALLOW], "bob");
  expect(await report()).toEqual([
    {
      policy: "Old",
      statements: [0, 1],
      revision: now,
      at: expect.stringMatching(/^\d{4}-/),
      actors: ["bob"],
      former: [{ statement: 1, revision: then, condition: LIMITED.condition }],
    },
  ]);
  const { stdout } = await runCommand(["check-store"], items);
  expect(stdout).toContain(`written at revision ${now}, `);
  expect(stdout).toContain(', by "bob"');
  expect(stdout).toContain(`statement 1 had a condition at revision ${then}: {"IpAddress"`);
  expect(stdout).toContain("the members that were dropped are in no log");
});

it("names the call from the audit log, also from rotated files, if it stored just these statements", async () => {
  await writeAsBefore("Old", [ALLOW], "bob");
  const call = { actor: "bob", source_ip: "10.0.0.9", request_id: "8f1c" };
  const rotated = join(folder, "audit.1.gz");
  writeFileSync(rotated, gzipSync(record("Old", [ALLOW], call)));
  writeFileSync(join(folder, "audit.log"), `no record\n${record("Old", [LIMITED], { actor: "eve" })}`);
  expect((await report())[0].call).toBeUndefined();
  const [found] = await report("--audit-log", rotated);
  expect(found.call).toEqual({ time: "2026-01-05T09:00:00.000Z", operation: "createPolicy", ...call });
  const { stdout } = await runCommand(["check-store", "--audit-log", rotated], items);
  expect(stdout).toContain('createPolicy by "bob" from 10.0.0.9, request "8f1c"');
  const missing = await runCommand(["check-store", "--audit-log", join(folder, "none")], items);
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("cannot be read") });
  writeFileSync(join(folder, "audit.log"), record("Old", [ALLOW], call));
  expect((await report())[0].call).toMatchObject(call);
  expect(readFileSync(rotated).length).toBeGreaterThan(0);
});

it("going back to what an earlier version stored does not make it whole", async () => {
  const then = await writeAsBefore("Old", [ALLOW], "bob");
  await directory(async ({ directory: { policies, history } }) => {
    await policies.update({ name: "Old", statement: [LIMITED] });
    expect((await history.policyVersion("Old", String(then))).partial).toBe(true);
  });
  expect(await report()).toEqual([]);
  await directory(({ directory: { history } }) =>
    history.restore(then, { dryRun: false, withCredentials: false, forgetRevocations: false }),
  );
  expect(await report()).toMatchObject([{ policy: "Old", statements: [0] }]);
  await directory(({ directory: { policies } }) => policies.update({ name: "Old", statement: [ALLOW] }));
  expect(await report()).toEqual([]);
});

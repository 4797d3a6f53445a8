/**
 * The system tests that lakeFS has for its own tool drive svcctl, on a lakeFS whose object store is the gateway of
 * another one. With `npm run prove`, where their program is given.
 */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../temporary-folder.ts";
import { isWhole, report } from "../size.ts";
import { type GivenDataServer, givenDataServer, hasOwnTests } from "./given-data-server.ts";
import { clientVariables, RunningDataServer } from "./running-data-server.ts";

const SVCCTL = `${process.execPath} ${fileURLToPath(new URL("../../../packages/svcctl/bin/svcctl.cjs", import.meta.url))}`;
const WRAPPER = fileURLToPath(new URL("./svcctl-in-place-of-lakectl.sh", import.meta.url));

/** Tests whose expectations svcctl does not meet, and shall not. */
const DIFFERENT: ReadonlyMap<string, string> = new Map([
  [
    "TestLakectlDoctor",
    "an endpoint that is no URL is refused with the form that is expected; lakectl asks it first (the other steps pass)",
  ],
  ["TestLakectlHelp", "the help of svcctl has its own words and more commands"],
  [
    "TestLakectlBisect",
    "lakectl shows one commit and divides behind it, so a bad one that it shows is no longer searched; svcctl shows the one that it divides at",
  ],
]);

/** Objects that the test of imports expects in its bucket. */
const IMPORTED = 2_100;

const given = isWhole ? givenDataServer() : undefined;

describe.skipIf(!hasOwnTests(given))("data server: its own system tests", () => {
  const servers: RunningDataServer[] = [];
  const folder = temporaryFolder();

  beforeAll(async () => {
    const store = await RunningDataServer.start(given as GivenDataServer);
    servers.push(store);
    prepareBuckets(store);
    const storage = { kind: "s3", endpoint: store.url } as const;
    servers.push(await RunningDataServer.start(given as GivenDataServer, storage, false));
  });

  afterAll(async () => {
    for (const server of servers) await server.close();
  });

  /** Makes repositories of the first server, which are buckets to the second one. */
  function prepareBuckets(store: RunningDataServer): void {
    const env = { ...process.env, ...clientVariables("LAKECTL", store.url) };
    const data = join(folder, "data", "prefix-1");
    mkdirSync(data, { recursive: true });
    for (let number = 1; number <= IMPORTED; number += 1) {
      writeFileSync(join(data, `file${String(number).padStart(6, "0")}`), "x".repeat(10));
    }
    const bucket = "esti-system-testing-data";
    for (const args of [
      ["repo", "create", "lakefs://esti", "local://esti"],
      ["repo", "create", `lakefs://${bucket}`, `local://${bucket}`],
      ["branch", "create", `lakefs://${bucket}/import-test-data`, "-s", `lakefs://${bucket}/main`],
      [
        "fs",
        "upload",
        "-r",
        "--no-progress",
        "-s",
        join(folder, "data"),
        `lakefs://${bucket}/import-test-data/`,
      ],
    ]) {
      const { status, stderr } = spawnSync((given as GivenDataServer).tool, args, { env, encoding: "utf8" });
      expect({ args, status, stderr }).toMatchObject({ status: 0 });
    }
  }

  it("pass with svcctl in place of lakectl, except those listed with a reason", async () => {
    const { tests, testFolder } = given as GivenDataServer;
    const [bin, cwd] = [join(folder, "bin"), join(folder, "esti")];
    mkdirSync(bin);
    symlinkSync(WRAPPER, join(bin, "lakectl"));
    // Some tests write into the folder that they run in.
    cpSync(testFolder, cwd, { recursive: true, dereference: true });
    const server = servers[1] as RunningDataServer;
    const env = {
      PATH: process.env["PATH"],
      HOME: folder,
      SVCCTL,
      LAKECTL_SKIP_ENTERPRISE_CHECK: "true",
      ESTI_BLOCKSTORE_TYPE: "s3",
      ESTI_STORAGE_NAMESPACE: "s3://esti/main",
      ESTI_BINARIES_DIR: bin,
      ESTI_ENDPOINT_URL: server.url,
      ESTI_VERSION: "dev",
    };
    const args = ["-system-tests", "-test.v", "-test.run", "^TestLakectl", "-test.timeout", "30m"];
    const child = spawn(tests, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const [output] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const results = [...output.matchAll(/^--- (PASS|FAIL|SKIP): (\S+)/gm)].map(([, result, name = ""]) => ({
      result,
      name,
    }));
    const named = (wanted: string) =>
      results.filter(({ result }) => result === wanted).map(({ name }) => name);
    report(
      `own system tests: ${named("PASS").length} pass, ${named("FAIL").length} fail, ${named("SKIP").length} skipped`,
    );
    for (const [name, reason] of DIFFERENT) report(`  ${name}: ${reason}`);
    if (named("FAIL").some((name) => !DIFFERENT.has(name))) process.stderr.write(failures(output));
    expect(named("FAIL").toSorted()).toEqual([...DIFFERENT.keys()].toSorted());
    expect(named("PASS").length).toBeGreaterThan(30);
  }, 1_800_000);
});

/** The lines that say what a failed test expected. */
function failures(output: string): string {
  return [...output.matchAll(/Error: {6}[\s\S]*?(?=\n\s*--- |\n=== )/g)]
    .map(([part]) => `${part}\n`)
    .join("");
}

/** svcctl in an empty folder, alone and with the package of its metastore commands. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HIVE_TALKS, playHive } from "../../packages/svcctl-metastore/test/hive-player.ts";
import {
  type Consumer,
  checkTarball,
  command,
  environment,
  install,
  installPackages,
  manifestOf,
  ROOT,
  VERSION,
  weigh,
} from "./installed.ts";

const METASTORE = "@svc-authorizer/svcctl-metastore";

let consumer: Consumer;
beforeAll(() => {
  consumer = installPackages("svcctl", "svcctl-metastore");
});
afterAll(() => consumer.remove(), 120_000);

const program = () => join(consumer.folder, "node_modules", ".bin", "svcctl");
const svcctl = (...args: string[]) => command(consumer.folder, program(), ...args);

/** Runs svcctl beside this process, which answers it, as somebody without a configuration file. */
async function beside(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(program(), args, {
    cwd: consumer.folder,
    env: { ...environment(), HOME: consumer.folder, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { code, stdout, stderr };
}

describe("svcctl alone", () => {
  it.skipIf(process.platform === "win32")("is at most 175 packages", () => {
    expect(weigh(consumer.folder).packages).toBeLessThanOrEqual(175);
  });

  it("tells its version and prints the reference, with the metastore commands", () => {
    expect(svcctl("--version")).toContain(VERSION);
    expect(svcctl("docs")).toBe(readFileSync(join(ROOT, "docs", "svcctl-reference.md"), "utf8"));
    expect(svcctl("metastore", "diff", "--help")).toContain("--from-client-type");
  });

  it("works on policies without a service", () => {
    const policy = {
      name: "Reads",
      statement: [{ effect: "allow", action: ["fs:ReadObject"], resource: "*" }],
    };
    writeFileSync(join(consumer.folder, "reads.json"), JSON.stringify(policy));
    expect(svcctl("policy", "lint", "reads.json")).toMatch(/1 (?:file|polic)/);
  });

  it("says in one sentence what to install for the clouds and metastores that it does not bring", async () => {
    const tables = ["--from-schema", "a", "--from-table", "b"];
    const { code, stderr } = await beside(["metastore", "diff", ...tables]);
    expect(code).toBe(1);
    expect(stderr.split("\n")[0]).toBe(
      `svcctl metastore needs a package that is not installed: npm install ${METASTORE}@${VERSION}`,
    );
    const azure = await beside(
      ["ingest", "--from", "https://a.blob.core.windows.net/c/", "--to", "svc://repository/main/"],
      {
        SVCCTL_SERVER_ENDPOINT_URL: "http://127.0.0.1:9",
        SVCCTL_CREDENTIALS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLQ",
        SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: "of-the-test",
      },
    );
    expect(azure.stderr).toMatch(
      /not installed: npm install @azure\/identity@\S+ @azure\/storage-blob@\S+$/m,
    );
  });
});

describe("svcctl with the metastore package", () => {
  beforeAll(() => install(consumer.folder, join(consumer.packages, "svcctl-metastore.tgz")), 120_000);

  it("compares tables of Hive metastores", async () => {
    const talk = HIVE_TALKS.find(({ args, stdout }) => args.includes("diff") && stdout !== "");
    if (talk === undefined) throw new Error("no recorded comparison");
    const strange: string[] = [];
    const players = await Promise.all(
      (["first", "second"] as const).map((which) =>
        playHive(
          talk.exchanges.filter(({ server }) => server === which),
          strange,
        ),
      ),
    );
    const [first, second] = players.map(({ address }) => address) as [string, string];
    const args = talk.args.map((word) => word.replaceAll("{first}", first).replaceAll("{second}", second));
    const { code, stdout, stderr } = await beside(args, {
      SVCCTL_METASTORE_TYPE: "hive",
      SVCCTL_METASTORE_HIVE_URI: first,
    });
    for (const player of players) player.close();
    expect(strange).toEqual([]);
    expect({ code, stdout }, stderr).toEqual({ code: talk.code, stdout: talk.stdout });
  });

  it("loads the client of Glue", async () => {
    const tables = [
      "--from-client-type",
      "glue",
      "--to-client-type",
      "glue",
      "--from-schema",
      "a",
      "--from-table",
      "b",
    ];
    const { code, stderr } = await beside(["metastore", "diff", ...tables]);
    expect(code).toBe(1);
    expect(stderr).not.toMatch(/not installed|Cannot find/);
    expect(stderr).toMatch(/region|credential/i);
  });

  it("refuses a metastore package of another version", async () => {
    const folder = join(consumer.folder, "node_modules", METASTORE);
    const manifest = manifestOf(folder);
    const file = join(folder, "package.json");
    writeFileSync(file, JSON.stringify({ ...manifest, version: "0.0.1" }));
    const { stderr } = await beside(["metastore", "diff", "--from-schema", "a", "--from-table", "b"]);
    writeFileSync(file, JSON.stringify(manifest));
    expect(stderr).toContain(`npm install ${METASTORE}@${VERSION}`);
  });
});

it.each(["svcctl", "svcctl-metastore"])(
  "%s is a package that its registry and compilers understand",
  (name) => {
    checkTarball(consumer, name);
  },
);

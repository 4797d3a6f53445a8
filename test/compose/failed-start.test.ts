/** A start that fails, wherever it does, leaves nothing open: whoever lives on can start again (spec/decision-log §2.1). */

import { createHash } from "node:crypto";
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openData, openLog } from "../../src/compose/data.ts";
import { type RunningService, startService } from "../../src/compose/service.ts";
import { openStore } from "../../src/compose/store/backends.ts";
import { type ConfigObject, configFromObject } from "../../src/config/load.ts";
import type { Commit } from "../../src/store/port.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const NODE = "n1";

/** The configuration of a service with its store and logs below a folder. */
function configured(folder: string, config: ConfigObject = {}) {
  return configFromObject(config, {
    "database.type": "local",
    "database.local.path": join(folder, "data"),
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "authorizer.node_name": NODE,
    "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
    "auth.api.token": "a-token-that-only-this-test-knows-0123456789",
    "authorizer.audit.directory": join(folder, "audit"),
    "authorizer.decision_log.directory": join(folder, "decisions"),
    "authorizer.decision_log.include": "all",
    "logging.level": "NONE",
    "ui.enabled": false,
  }).values;
}

async function start(folder: string, config: ConfigObject = {}): Promise<RunningService> {
  const values = configured(folder, config);
  const data = await openData(values, openLog(values));
  const service = await startService(data, { version: "0.0.0", env: () => undefined });
  onTestFinished(() => service.stop());
  return service;
}

/** The chains in the folders of both logs. */
const chains = (folder: string): readonly string[] =>
  ["audit", "decisions"].flatMap((log) => readdirSync(join(folder, log))).filter((name) => /-\d$/.test(name));

const FIRST = [`${NODE}-0`, `${NODE}-0`];

const OPEN = "/proc/self/fd";

/** The files below a folder that this process has open, where the system tells. */
function openFiles(folder: string): readonly string[] {
  if (!existsSync(OPEN)) return [];
  return readdirSync(OPEN)
    .map((fd) => {
      try {
        return readlinkSync(join(OPEN, fd));
      } catch {
        // That of the reading itself.
        return "";
      }
    })
    .filter((file) => file.startsWith(folder));
}

/** The place of a sink in a segment, as it was left. */
function leavePlace(chain: string, url: string): void {
  const name = createHash("sha256").update(url).digest("hex").slice(0, 12);
  writeFileSync(join(chain, `sink-${name}.json`), JSON.stringify({ segment: 1, offset: 1 }));
}

const FIRST_SEGMENT = "0000000001.jsonl";
const SINK = "http://127.0.0.1:1/";

/** Each makes a start fail at another place. */
const FAULTS: readonly [string, (folder: string) => ConfigObject][] = [
  ["another secret key is configured", () => ({ "auth.encrypt.secret_key": "b".repeat(32) })],
  [
    "the file of revocations cannot be read",
    (folder) => ({ "authorizer.history.revocations": join(folder, "audit") }),
  ],
  ["a data set is missing", (folder) => ({ "authorizer.datasets": [join(folder, "set.json")] })],
  ["the audit log cannot be written", (folder) => ({ "authorizer.audit.output": join(folder, "decisions") })],
  [
    "both logs have one folder",
    (folder) => ({
      "authorizer.audit.output": join(folder, "audit.log"),
      "authorizer.audit.directory": join(folder, "decisions"),
    }),
  ],
  [
    "a secret of mirroring cannot be read",
    (folder) => ({
      "authorizer.mirroring.source.endpoint": "http://127.0.0.1:1",
      "authorizer.mirroring.source.access_key_id": "AKIAIOSFODNN7EXAMPLE",
      "authorizer.mirroring.source.secret_access_key_file": join(folder, "secret"),
      "authorizer.mirroring.regions": { other: { endpoint: "http://127.0.0.1:1" } },
    }),
  ],
  [
    "the list of breached passwords cannot be read",
    (folder) => ({
      "authorizer.passwords.enabled": true,
      "authorizer.passwords.breached_list_file": join(folder, "list"),
    }),
  ],
  [
    "a certificate cannot be read",
    (folder) => ({
      "authorizer.shadow.candidate": join(folder, "candidate"),
      "authorizer.tls.enabled": true,
      "authorizer.tls.cert_file": join(folder, "cert.pem"),
      "authorizer.tls.key_file": join(folder, "key.pem"),
    }),
  ],
  ["an address is not this machine's", () => ({ "authorizer.metrics_address": "192.0.2.1:1" })],
];

it.each(FAULTS)("where %s, nothing stays open, and the next start has all", async (_, fault) => {
  const folder = temporaryFolder();
  const first = await start(folder);
  await first.stop();
  expect(openFiles(folder)).toEqual([]);
  await expect(start(folder, fault(folder))).rejects.toThrow();
  expect(openFiles(folder)).toEqual([]);
  await start(folder);
  expect(chains(folder)).toEqual(FIRST);
});

/** A chain whose first segment is a link; a sink has begun to read that one. */
function withLink(folder: string, log: "audit" | "decisions", target: string): ConfigObject {
  const chain = join(folder, log, `${NODE}-0`);
  for (const name of readdirSync(chain)) if (name.endsWith(".jsonl")) rmSync(join(chain, name));
  symlinkSync(target, join(chain, FIRST_SEGMENT));
  writeFileSync(join(chain, "0000000002.jsonl"), '{"at":"2026-11-30T00:00:00Z"}\n');
  leavePlace(chain, SINK);
  return { [log === "audit" ? "authorizer.audit.sinks" : "authorizer.decision_log.sinks"]: [SINK] };
}

describe.each(["audit", "decisions"] as const)("a sink of the %s log", (log) => {
  it("that cannot begin leaves nothing open, and the next start has all", async () => {
    const folder = temporaryFolder();
    await (await start(folder)).stop();
    const sinks = withLink(folder, log, FIRST_SEGMENT);
    await expect(start(folder, sinks)).rejects.toThrow("ELOOP");
    expect(openFiles(folder)).toEqual([]);
    await start(folder);
    expect(chains(folder)).toEqual(FIRST);
  });

  it("begins where its segment goes at that moment, as it is compressed", async () => {
    const folder = temporaryFolder();
    await (await start(folder)).stop();
    const { addresses } = await start(folder, withLink(folder, log, "gone"));
    expect((await fetch(`${addresses.service}/healthz`)).status).toBe(200);
  });
});

it("a part that cannot be closed at the end keeps no other open", async () => {
  const folder = temporaryFolder();
  const values = configured(folder);
  const data = await openData(values, openLog(values));
  const service = await startService(data, { version: "0.0.0", env: () => undefined });
  vi.spyOn(service.decisions, "close").mockRejectedValue(new Error("it cannot be closed"));
  await expect(service.stop()).rejects.toThrow("it cannot be closed");
  expect(openFiles(folder)).toEqual([]);
  await start(folder);
  expect(chains(folder)).toEqual(FIRST);
});

it("counts of use that cannot be read are not left open", async () => {
  const folder = temporaryFolder();
  await (await start(folder)).stop();
  writeFileSync(join(folder, "decisions", `usage-${NODE}.sqlite`), "no database ".repeat(1_000));
  await (await start(folder)).stop();
  expect(openFiles(folder)).toEqual([]);
});

const ADMINISTRATOR = {
  "authorizer.bootstrap_admin.username": "root",
  "authorizer.bootstrap_admin.access_key_id": "AKIAJTESTTESTTESTTTQ",
  "authorizer.bootstrap_admin.secret_access_key": "a-secret-that-only-this-test-knows-012345",
};

it.each([
  ["content", { "authorizer.bootstrap": "simplified" }, { mode: "simplified" }],
  [
    "content with an administrator",
    { "authorizer.bootstrap": "external", ...ADMINISTRATOR },
    { mode: "external" },
  ],
  ["an administrator", { "authorizer.bootstrap": "none", ...ADMINISTRATOR }, { username: "root" }],
] as const)("audits %s that it may have installed", async (_, config, fields) => {
  const folder = temporaryFolder();
  const output = join(folder, "audit.log");
  const values = configured(folder, { ...config, "authorizer.audit.output": output });
  const data = await openData(values, openLog(values), {
    open: async (...asked) => {
      const opened = await openStore(...asked);
      const commit = opened.store.commit.bind(opened.store);
      const late = async (one: Commit): Promise<number> => {
        const revision = await commit(one);
        const installs = one.put?.some(({ partition }) => partition === "policy" || partition === "user");
        if (installs !== true) return revision;
        throw new AuthorizerError("outcome_unknown", "nobody knows");
      };
      Object.assign(opened.store, { commit: late });
      return opened;
    },
  });
  const service = startService(data, { version: "0.0.0", env: () => undefined });
  await expect(service).rejects.toThrow("nobody knows");
  const events = readFileSync(output, "utf8").trim().split("\n");
  const event = { event: "setup", actor: "bootstrap", ...fields, outcome: "unknown" };
  expect(events.map((line) => JSON.parse(line))).toEqual([expect.objectContaining(event)]);
});

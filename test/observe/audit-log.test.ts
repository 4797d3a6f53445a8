import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Effect } from "@svc-authorizer/policy/model/decision.ts";
import { afterAll, describe, expect, it } from "vitest";
import type { DecisionRecord } from "../../src/decisions/decisions.ts";
import { type AuditLog, type AuditLogOptions, createAuditLog } from "../../src/observe/log/audit-log.ts";
import { createLogger, type LogLevel } from "../../src/observe/log/logger.ts";
import { runModule, temporaryFolder } from "./child.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

let files = 0;
const newPath = (name: string): string => join(folder.path, `${files++}-${name}`);

interface Entry {
  readonly level?: string;
  readonly event?: string;
  readonly message?: string;
  readonly effect?: string;
  readonly [field: string]: unknown;
}

const entriesOf = (path: string): Entry[] =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Entry)
    : [];

const record = (effect: Effect): DecisionRecord => ({
  id: "d-1",
  request_id: "r-1",
  entrance: "check",
  user: "alice",
  required: { and: [{ action: "fs:ReadObject", resource: "arn:svc:fs:::repository/r/object/o" }] },
  effect,
  ...(effect === "allow" ? {} : { message: "no permission" }),
});

interface Setting {
  readonly withFile: boolean;
  readonly decisions: AuditLogOptions["decisions"];
  readonly level: LogLevel;
  readonly auditLevel: LogLevel;
}

/** Opens both logs, lets `write` fill them and gives what is in them after the close. */
async function audited(
  { withFile, decisions, level, auditLevel }: Setting,
  write: (audit: AuditLog) => void,
): Promise<{ file: Entry[]; log: Entry[]; path: string }> {
  const [path, logPath] = [newPath("audit.log"), newPath("server.log")];
  const outputs = { format: "json", outputs: [logPath], filesKeep: 0, fileMaxSizeMb: 1 } as const;
  const logger = createLogger({ ...outputs, level, auditLevel });
  const audit = createAuditLog({ output: withFile ? path : "", decisions, logger });
  write(audit);
  await audit.close();
  await logger.close();
  return { file: entriesOf(path), log: entriesOf(logPath), path };
}

const decideAll = (audit: AuditLog): void => {
  for (const effect of ["allow", "neutral", "deny"] as const) audit.decision(record(effect));
};

describe("decisions", () => {
  it.each<[Setting, string[], string[]]>([
    [
      { withFile: true, decisions: "all", level: "INFO", auditLevel: "DEBUG" },
      ["allow", "neutral", "deny"],
      [],
    ],
    [
      { withFile: true, decisions: "denied", level: "INFO", auditLevel: "INFO" },
      ["neutral", "deny"],
      ["neutral", "deny"],
    ],
    [{ withFile: true, decisions: "none", level: "DEBUG", auditLevel: "INFO" }, [], []],
    [
      { withFile: false, decisions: "all", level: "DEBUG", auditLevel: "DEBUG" },
      [],
      ["allow", "neutral", "deny"],
    ],
    [{ withFile: false, decisions: "all", level: "INFO", auditLevel: "DEBUG" }, [], []],
    [{ withFile: false, decisions: "denied", level: "NONE", auditLevel: "ERROR" }, [], []],
  ])("%o", async (setting, inFile, inLog) => {
    const { file, log } = await audited(setting, decideAll);
    expect(file.map(({ effect }) => effect)).toEqual(inFile);
    expect(log.map(({ effect }) => effect)).toEqual(inLog);
  });

  it("that would be written nowhere read as none, so that nobody composes records", async () => {
    await audited({ withFile: false, decisions: "all", level: "INFO", auditLevel: "DEBUG" }, (audit) => {
      expect(audit.decisions).toBe("none");
    });
    await audited({ withFile: true, decisions: "all", level: "INFO", auditLevel: "DEBUG" }, (audit) => {
      expect(audit.decisions).toBe("all");
    });
  });

  it("are written with everything their record has", async () => {
    const setting = { withFile: true, decisions: "all", level: "INFO", auditLevel: "DEBUG" } as const;
    const { file } = await audited(setting, (audit) => audit.decision(record("deny")));
    expect(file).toEqual([{ time: expect.any(String), event: "decision", ...record("deny") }]);
  });
});

describe("events", () => {
  const fields = { actor: "alice", access_key_id: "AKIAJ1", secret_access_key: "hidden", request_id: "r" };

  it.each<LogLevel>(["TRACE", "INFO", "NONE"])("without a file are in the log at level %s", async (level) => {
    const setting = { withFile: false, decisions: "none", level, auditLevel: "NONE" } as const;
    const { log } = await audited(setting, (audit) => audit.event("secret_read", fields));
    expect(log).toMatchObject([{ level: "audit", message: "secret_read", actor: "alice" }]);
    expect(JSON.stringify(log)).not.toContain("hidden");
  });

  it("with a file are there and not in the log, with secrets replaced", async () => {
    const setting = { withFile: true, decisions: "none", level: "TRACE", auditLevel: "TRACE" } as const;
    const { file, log, path } = await audited(setting, (audit) => audit.event("secret_read", fields));
    expect(file).toEqual([
      { time: expect.any(String), event: "secret_read", ...fields, secret_access_key: "<redacted>" },
    ]);
    expect(log).toEqual([]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("cannot forge lines or the time", async () => {
    const setting = { withFile: true, decisions: "none", level: "INFO", auditLevel: "DEBUG" } as const;
    const { file, path } = await audited(setting, (audit) =>
      audit.event("authentication_failed", {
        time: "x",
        event: "y",
        actor: 'a\n{"event":"login"}\u2028\u009b',
      }),
    );
    expect(file).toMatchObject([{ event: "authentication_failed", "fields.time": "x", "fields.event": "y" }]);
    expect(readFileSync(path, "utf8")).toMatch(/^[ -~]+\n$/);
  });
});

/** Opens an audit log whose file cannot be written, and waits until that was reported. */
const FAILING = `import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  const { writeSync } = fs;
  let reported = false;
  fs.writeSync = (descriptor, ...rest) => {
    reported ||= descriptor === 2;
    return writeSync(descriptor, ...rest);
  };
  syncBuiltinESMExports();
  const { createLogger } = await import("OBSERVElog/logger.ts");
  const { createAuditLog } = await import("OBSERVElog/audit-log.ts");
  const logger = createLogger({ format: "json", level: "NONE", auditLevel: "NONE", outputs: ["-"], filesKeep: 0, fileMaxSizeMb: 1 });
  const audit = createAuditLog({ output: "/dev/full", decisions: "all", logger });
  audit.event("login", { n: 1 });
  while (!reported) await new Promise((resolve) => setTimeout(resolve, 5));`;

describe("the file", () => {
  it("is opened anew by reopen, and what was written before is in the old one", async () => {
    const path = newPath("audit.log");
    const logger = createLogger({
      format: "json",
      level: "NONE",
      auditLevel: "NONE",
      outputs: [],
      filesKeep: 0,
      fileMaxSizeMb: 0,
    });
    const audit = createAuditLog({ output: path, decisions: "none", logger });
    audit.event("login", { n: 1 });
    while (entriesOf(path).length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    renameSync(path, `${path}.1`);
    audit.reopen();
    audit.event("login", { n: 2 });
    await audit.close();
    expect(entriesOf(`${path}.1`)).toMatchObject([{ n: 1 }]);
    expect(entriesOf(path)).toMatchObject([{ n: 2 }]);
    await logger.close();
  });

  it("that cannot be written at the start is an error which names the item", () => {
    const blocker = newPath("file");
    writeFileSync(blocker, "");
    const logger = createLogger({
      format: "json",
      level: "NONE",
      auditLevel: "NONE",
      outputs: [],
      filesKeep: 0,
      fileMaxSizeMb: 0,
    });
    expect(() => createAuditLog({ output: join(blocker, "audit.log"), decisions: "all", logger })).toThrow(
      /authorizer\.audit\.output cannot be written/,
    );
  });

  it("that fails later leaves events to the log", () => {
    const { status, stdout } = runModule(
      `${FAILING}
       audit.event("login", { n: 2 });
       await audit.close();
       await logger.close();`,
    );
    expect(status).toBe(0);
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).n),
    ).toEqual([2]);
  });

  it.each([
    ["fails", "", [0, 0]],
    ["fails and takes no more", "full", [1, 0]],
  ])("that %s leaves what workers hand over to the log", (_, state, dropped) => {
    const { status, stdout } = runModule(
      `${FAILING}
       const line = (event, n) => JSON.stringify({ time: "2026-11-30T12:00:00Z", event, n }) + "\\n";
       const fill = (size) => {
         for (const { droppedDecisions } = { ...audit.counters }; audit.counters.droppedDecisions === droppedDecisions; )
           audit.relayed(line("decision", "x".repeat(size)));
       };
       if (process.argv[1] === "full") for (const size of [1 << 20, 1_000, 1]) fill(size);
       const before = { ...audit.counters };
       audit.relayed(line("write", 2) + line("decision", 3) + line("logout", 4));
       const counted = [audit.counters.droppedDecisions - before.droppedDecisions, audit.counters.droppedEvents];
       logger.always("counted", { counted });
       await audit.close();
       await logger.close();`,
      state,
    );
    expect(status).toBe(0);
    const log = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Entry);
    expect(log.filter(({ n }) => n !== undefined).map(({ message, n }) => [message, n])).toEqual([
      ["write", 2],
      ["logout", 4],
    ]);
    expect(log.find(({ message }) => message === "counted")?.["counted"]).toEqual(dropped);
  });

  it("has every record after a forced exit", () => {
    const path = newPath("audit.log");
    runModule(
      `import { createLogger } from "OBSERVElog/logger.ts";
       import { createAuditLog } from "OBSERVElog/audit-log.ts";
       const logger = createLogger({ format: "json", level: "NONE", auditLevel: "NONE", outputs: [], filesKeep: 0, fileMaxSizeMb: 1 });
       const audit = createAuditLog({ output: process.argv[1], decisions: "all", logger });
       for (let n = 0; n < 5000; n++) audit.event("write", { n });
       await new Promise((resolve) => setImmediate(resolve));
       for (let n = 5000; n < 6000; n++) audit.event("write", { n });
       process.exit(1);`,
      path,
    );
    const numbers = entriesOf(path)
      .map(({ n }) => n as number)
      .sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 6_000 }, (_, n) => n));
  });
});

/** Tests the errors of svc-authorizer for wrong command lines, and which modules a command line loads. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decidedBy, openTestLog } from "../../decision-log/test-log.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { authorizer } from "./run-authorizer.ts";

describe("a mistyped command", () => {
  it.each([
    [["config", "shwo"], "shwo", "svc-authorizer config", "Did you mean show?"],
    [
      ["config", "valdate", "--config", "x.yaml"],
      "valdate",
      "svc-authorizer config",
      "Did you mean validate?",
    ],
    [["lod", "x.yaml", "--dry-run"], "lod", "svc-authorizer", "\nDid you mean this?\n\tload\n"],
  ])("fails, and names the word and not the flags behind it: %j", async (args, word, path, hint) => {
    const stderr = `error: unknown command "${word}" for "${path}"\n${hint}\nRun '${path} --help' for usage.\n`;
    expect(await authorizer(...args)).toEqual({ code: 2, stdout: "", stderr });
  });
});

describe("an empty configuration", () => {
  function emptyFile(): string {
    const file = join(temporaryFolder(), "empty.yaml");
    writeFileSync(file, "");
    return file;
  }

  it("names no store that could be checked", async () => {
    const { code, stderr } = await authorizer("check-store", "--config", emptyFile());
    expect(code).toBe(2);
    expect(stderr).toContain("error: database.type is not set: one of local, mem, ");
  });

  it("has no key with which seals could be checked, which is said", async () => {
    const folder = temporaryFolder();
    const log = await openTestLog(folder);
    log.decided(decidedBy("alice", "r"));
    await log.close();
    const args = ["decision-log", "verify", "--directory", folder];
    expect(await authorizer(...args)).toMatchObject({ code: 0, stderr: "" });
    expect(await authorizer(...args, "--config", emptyFile())).toMatchObject({
      code: 0,
      stderr: "auth.encrypt.secret_key is not set: seals are not checked\n",
    });
  });
});

describe("a copy of the log", () => {
  it("needs a target, and another one than its source", async () => {
    const folder = temporaryFolder();
    const [source, empty] = [join(folder, "source.yaml"), join(folder, "empty.yaml")];
    writeFileSync(source, `database: {type: local, local: {path: ${JSON.stringify(join(folder, "store"))}}}`);
    writeFileSync(empty, "");
    const copied = (to: string) => authorizer("journal", "copy", "--config", source, "--to", to);
    expect(await copied(empty)).toMatchObject({
      code: 2,
      stderr: "error: database.type of the target (--to) is not set\n",
    });
    expect(await copied(source)).toMatchObject({
      code: 2,
      stderr: "error: a store cannot be copied into itself: --to names the same folder\n",
    });
  });
});

describe("a wrong command line", () => {
  it.each([
    [["run", "--no-such"], "unknown flag: --no-such"],
    [["run", "--quikstart"], "unknown flag: --quikstart\n(Did you mean --quickstart?)"],
    [["run", "--lissten_address", ":1"], "unknown flag: --lissten_address\n(Did you mean --listen_address?)"],
    [["run", "prod.yaml"], "too many arguments for 'run'. Expected 0 arguments but got 1."],
    [["config", "validate", "a.yaml"], "too many arguments for 'validate'. Expected 0 arguments but got 1."],
    [["setup"], 'required flag(s) "user-name" not set'],
    [["rotate-key", "--from-env", "OLD"], 'required flag(s) "to-env" not set'],
    [["export", "--format", "xml"], 'invalid argument "xml" for "--format" flag: expected one of yaml, json'],
    [["run", "--config"], "flag needs an argument: --config"],
    [["load"], "missing required argument 'files'"],
  ])("ends with 2 and says why: %j", async (args, text) => {
    expect(await authorizer(...args)).toEqual({ code: 2, stdout: "", stderr: `error: ${text}\n` });
  });

  it("without a command of a group ends with 2 and prints help to standard error", async () => {
    const { code, stdout, stderr } = await authorizer("config");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^Usage: svc-authorizer config \[command\]\n/);
    for (const words of [
      ["config", "--help"],
      ["config", "help"],
      ["help", "config"],
    ]) {
      expect(await authorizer(...words)).toEqual({ code: 0, stdout: stderr, stderr: "" });
    }
  });

  it("without any command ends with 2 and prints help to standard error", async () => {
    const { code, stdout, stderr } = await authorizer();
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^Usage: svc-authorizer \[command\]\n/);
    expect(stderr.indexOf("Commands:")).toBeLessThan(stderr.indexOf("Global options:"));
  });
});

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runExport, runLoad } from "../../src/cli/datasets/dataset-commands.ts";
import { Overflow } from "../../src/compact/overflow.ts";
import { openTestDirectory, type TestDirectory } from "../directory/open-test-directory.ts";
import { fileFolder } from "./file-folder.ts";

const folder = fileFolder();
const load = { mode: "load" as const, env: () => "hidden value" };
let opened: TestDirectory;
let out: string;
let err: string;
const parts = () => ({
  ...opened,
  out: (text: string) => {
    out += text;
    return undefined;
  },
  err: (text: string) => {
    err += text;
  },
});

beforeEach(async () => {
  opened = await openTestDirectory();
  [out, err] = ["", ""];
});
afterEach(() => opened.close());

describe("svc-authorizer load", () => {
  it("prints the diff and exits 0", async () => {
    expect(await runLoad(parts(), { ...load, files: ["fixtures/datasets/records.json"] })).toBe(0);
    expect(out.split("\n")).toEqual([
      "+ resource type record",
      "+ policy ReadRecords",
      "+ group Readers",
      "+ attachment ReadRecords to group Readers",
      "+ user rita",
      "+ membership rita in Readers",
      "+ credential AKIAJRITAAAAAAAAAAAQ of rita",
      "+ principal arn:aws:sts::123456789012:assumed-role/reader/rita of rita",
      "+ resource record record-1",
      "+ resource record record-2",
      "load of 1 file: 10 added, 0 changed, 0 removed; applied",
      "",
    ]);
    expect(err).toBe("");
  });

  it("exits 1 with every problem on standard error, one a line", async () => {
    const file = "fixtures/datasets/invalid/references.yaml";
    expect(await runLoad(parts(), { ...load, files: [file] })).toBe(1);
    expect(err.split("\n")).toEqual([
      expect.stringContaining(`${file}:4:20: /users/0/groups/1: there is no group`),
      expect.stringContaining(`${file}:5:16: /users/0/policies/0: there is no policy`),
      expect.stringContaining(`${file}:8:16: /groups/0/policies/0: there is no policy`),
      "the data set has 3 problems; nothing was loaded",
      "",
    ]);
    expect(out).toBe("");
  });

  it("says what is in force where the changes cannot be read again", async () => {
    const users = Array.from({ length: 12_000 }, (_, index) => ({
      username: `user-${index}`,
      groups: ["G"],
    }));
    const many = folder.write("many.json", { format: 1, groups: [{ name: "G" }], users });
    const before = opened.store.history.head.revision;
    const overflow = new Overflow();
    const read = overflow.get.bind(overflow);
    overflow.get = (place, length) => {
      if (opened.store.history.head.revision === before) return read(place, length);
      throw new AuthorizerError("unavailable", "a disk has failed");
    };
    expect(await runLoad(parts(), { ...load, files: [many], overflow })).toBe(1);
    // Where it takes long, it says how far it is.
    expect(err.replace(/^(applied \d+ of 24001\n)+/, "")).toBe(
      "the data sets are in force, but the changes cannot be listed: a disk has failed\n",
    );
    expect(await opened.directory.principal("user-11999")).toBeDefined();
  });

  it("--json prints one document, for a diff and for problems", async () => {
    await runLoad(parts(), { ...load, files: ["fixtures/datasets/roles.yaml"], json: true, dryRun: true });
    expect(JSON.parse(out)).toMatchObject({
      mode: "load",
      dryRun: true,
      needsYes: false,
      counts: { add: 38 },
    });
    out = "";
    await runLoad(parts(), { ...load, files: ["nowhere.yaml"], json: true });
    const problem = { file: "nowhere.yaml", pointer: "", message: "no such file, or it cannot be read" };
    expect(JSON.parse(out)).toMatchObject({ error: { code: "invalid_request", problems: [problem] } });
  });
});

describe("svc-authorizer export", () => {
  beforeEach(async () => {
    await runLoad(parts(), { ...load, files: ["fixtures/datasets/records.json"] });
    [out, err] = ["", ""];
  });

  it("prints what load reads, and says what was left out", async () => {
    expect(await runExport(parts(), { format: "yaml", secrets: false })).toBe(0);
    expect(err).toBe("1 access keys were left out; --secrets writes them\n");
    const file = folder.write("exported.yaml", out);
    out = "";
    await runLoad(parts(), { ...load, files: [file] });
    expect(out).toBe("load of 1 file: 0 added, 0 changed, 0 removed; nothing to do\n");
  });

  it("writes a file that only its owner can read, also over one that others could", async () => {
    const output = join(folder.path, "out.json");
    writeFileSync(output, "old", { mode: 0o644 });
    expect(await runExport(parts(), { format: "json", secrets: true, output })).toBe(0);
    expect(statSync(output).mode & 0o777).toBe(0o600);
    expect(readFileSync(output, "utf8")).toContain("hidden value");
    expect(out + err).toBe("");
  });

  it("a file that cannot be written is refused", async () => {
    const output = join(folder.path, "no", "such", "folder.json");
    expect(await runExport(parts(), { format: "json", secrets: false, output })).toBe(1);
    expect(err).toContain("cannot be written");
  });
});

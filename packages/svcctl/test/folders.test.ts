/** Folders of this machine that commands list: what is said of one that is not there, and that no more is read than asked. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { svcctl } from "./run-svcctl.ts";

const env = { SVCCTL_SERVER_ENDPOINT_URL: "http://127.0.0.1:1" };

function ingest(cwd: string, from: string) {
  const to = "svc://example-repo/main/raw/";
  return svcctl(["ingest", "--from", `local://${join(cwd, from)}`, "--to", to, "--dry-run"], { cwd, env });
}

describe("a folder of this machine", () => {
  it("that is not there is named as by the data server's tool", async () => {
    const cwd = temporaryFolder();
    const text = (folder: string) => `lstat ${folder}: no such file or directory\nError executing command.\n`;
    const listed = await svcctl(["local", "list", "missing"], { cwd, env });
    expect(listed).toMatchObject({ code: 1, stdout: "", stderr: text(join(cwd, "missing")) });
    expect(await ingest(cwd, "missing/")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: text(`${join(cwd, "missing")}/`),
    });
  });

  it("is ingested from the beginning of a path, and no other one is read", async () => {
    const cwd = temporaryFolder();
    for (const folder of ["raw", "raw-old", "secret"]) {
      mkdirSync(join(cwd, folder));
      writeFileSync(join(cwd, folder, "a"), "a");
    }
    chmodSync(join(cwd, "secret"), 0);
    const lines = ["raw/a", "raw-old/a"].map((path) => `local://${join(cwd, path)}\n`).join("");
    expect(await ingest(cwd, "ra")).toMatchObject({ code: 0, stdout: lines, stderr: "" });
  });
});

/** Linked folders in work trees of git: what belongs to git stays as it is. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { ignoreInGit } from "../src/local/files/git-ignore.ts";
import { pruneFolders } from "../src/local/sync/prune-folders.ts";

function git(cwd: string, ...args: readonly string[]): string {
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
  return execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8" }).trim();
}

describe("a linked folder with a work tree of git", () => {
  it("loses its empty folders, but none of git's own: without refs/ it is no repository", async () => {
    const folder = temporaryFolder();
    for (const root of [folder, join(folder, "below")]) {
      mkdirSync(join(root, "data", "old"), { recursive: true });
      git(root, "init", "-q");
      git(root, "commit", "-q", "--allow-empty", "-m", "first");
      git(root, "pack-refs", "--all");
    }
    await pruneFolders(folder);
    for (const root of [folder, join(folder, "below")]) {
      expect(git(root, "log", "--format=%s")).toBe("first");
      expect(existsSync(join(root, "data"))).toBe(false);
    }
  });

  it("has the bytes of .gitignore as they were, whatever their encoding", async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, "d\u00e4ta"));
    const before = Buffer.from(
      "caf\xe9\r\n# ignored by lakectl local\nold/*\n# End ignored by lakectl local\n",
      "latin1",
    );
    writeFileSync(join(root, ".gitignore"), before);
    await ignoreInGit(root, join(root, "d\u00e4ta"));
    const section =
      "# ignored by lakectl local\nold/*\nd\u00e4ta/*\n!d\u00e4ta/.lakefs_ref.yaml\n# End ignored by lakectl local\n";
    expect(readFileSync(join(root, ".gitignore"))).toEqual(
      Buffer.concat([Buffer.from("caf\xe9\r\n", "latin1"), Buffer.from(section)]),
    );
  });
});

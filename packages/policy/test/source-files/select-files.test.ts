import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { selectFiles } from "@svc-authorizer/policy/source-files/select-files.ts";
import { describe, expect, it } from "vitest";
import { fileFolder } from "../../../../test/datasets/file-folder.ts";

const folder = fileFolder();
for (const name of [
  "b.yaml",
  "a.yaml",
  "é.yaml",
  "c.json",
  "note.txt",
  "sub/d.yaml",
  "sub/deep/e.yaml",
  ".hidden/f.yaml",
  "x[1].yaml",
]) {
  folder.write(name, "");
}
symlinkSync(join(folder.path, ".hidden/f.yaml"), join(folder.path, "link.yaml"));
symlinkSync(join(folder.path, "nowhere"), join(folder.path, "broken.yml"));

async function select(...patterns: string[]): Promise<string[]> {
  const { files, problems } = await selectFiles(patterns.map((pattern) => join(folder.path, pattern)));
  expect(problems).toEqual([]);
  return files.map((file) => relative(folder.path, file));
}

describe("selecting data set files", () => {
  it("a glob selects in byte order, links to files too, hidden files not", async () => {
    expect(await select("*.yaml")).toEqual(["a.yaml", "b.yaml", "link.yaml", "x[1].yaml", "é.yaml"]);
  });

  it("** goes into folders, braces choose, a hidden folder is entered where it is named", async () => {
    expect(await select("**/*.{json,yaml}")).toEqual([
      "a.yaml",
      "b.yaml",
      "c.json",
      "link.yaml",
      "sub/d.yaml",
      "sub/deep/e.yaml",
      "x[1].yaml",
      "é.yaml",
    ]);
    expect(await select("*/d.yaml")).toEqual(["sub/d.yaml"]);
    expect(await select(".hidden/*.yaml")).toEqual([".hidden/f.yaml"]);
  });

  it("the order of patterns is kept and a file is taken once", async () => {
    expect(await select("sub/d.yaml", "b.yaml", "*.yaml", "./b.yaml")).toEqual([
      "sub/d.yaml",
      "b.yaml",
      "a.yaml",
      "link.yaml",
      "x[1].yaml",
      "é.yaml",
    ]);
  });

  it("a file that exists is itself, also with the characters of a glob in its name", async () => {
    expect(await select("x[1].yaml")).toEqual(["x[1].yaml"]);
  });

  it.each([
    ["none/*.yaml", "the glob matches no file"],
    ["missing.yaml", "no such file, or it cannot be read"],
    ["broken.yml", "no such file, or it cannot be read"],
    ["sub", "is a folder"],
  ])("%s is a problem of its own", async (pattern, message) => {
    const file = join(folder.path, pattern);
    const { files, problems } = await selectFiles([file, join(folder.path, "c.json")]);
    expect(files).toHaveLength(1);
    expect(problems).toEqual([{ file, pointer: "", message: expect.stringContaining(message) }]);
  });

  it("a link that leads nowhere is a problem where the glob matches its name", async () => {
    const broken = {
      file: join(folder.path, "broken.yml"),
      pointer: "",
      message: "the link leads to no file",
    };
    const both = await selectFiles([join(folder.path, "*.{json,yml}")]);
    expect(both).toEqual({ files: [join(folder.path, "c.json")], problems: [broken] });
    expect(await selectFiles([join(folder.path, "*.yml")])).toEqual({ files: [], problems: [broken] });
  });

  it("a folder that cannot be read is a problem of globs that go into it", async () => {
    const other = fileFolder();
    other.write("a.yaml", "");
    mkdirSync(join(other.path, "closed"));
    chmodSync(join(other.path, "closed"), 0);
    chmodSync(other.path, 0o755);
    const isRoot = process.geteuid?.() === 0;
    // Nothing is closed to root.
    if (isRoot) process.seteuid?.(65_534);
    try {
      const files = [join(other.path, "a.yaml")];
      expect(await selectFiles([join(other.path, "*.yaml")])).toEqual({ files, problems: [] });
      const message = "the folder cannot be read (EACCES)";
      const problems = [{ file: join(other.path, "closed"), pointer: "", message }];
      expect(await selectFiles([join(other.path, "**/*.yaml")])).toEqual({ files, problems });
    } finally {
      if (isRoot) process.seteuid?.(0);
      chmodSync(join(other.path, "closed"), 0o755);
    }
  });

  it("a glob relative to the working directory gives relative names", async () => {
    const { files } = await selectFiles(["fixtures/datasets/ro*.yaml", "./fixtures/datasets/q*.yaml"]);
    expect(files).toEqual(["fixtures/datasets/roles.yaml", "fixtures/datasets/quickstart.yaml"]);
  });
});

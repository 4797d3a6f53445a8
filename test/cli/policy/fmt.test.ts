import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { folderWith } from "./example-folder.ts";

describe("policy fmt", () => {
  const messy =
    '{"statement":[{"resource":"*","action":["fs:ReadObject"],"effect":"allow","sid":"A"}],"name":"P"}';
  const tidy = `${JSON.stringify({ name: "P", statement: [{ sid: "A", effect: "allow", action: ["fs:ReadObject"], resource: "*" }] }, null, 2)}\n`;

  it("prints one file, and standard input", async () => {
    const cwd = folderWith({ "p.json": messy });
    expect((await svcctl(["policy", "fmt", "p.json"], { cwd })).stdout).toBe(tidy);
    expect((await svcctl(["policy", "fmt", "-"], { cwd, stdin: messy })).stdout).toBe(tidy);
    expect(readFileSync(join(cwd, "p.json"), "utf8")).toBe(messy);
  });

  it("checks and writes files, and is done then", async () => {
    const cwd = folderWith({ "a/p.json": messy, "a/q.json": tidy });
    const check = await svcctl(["policy", "fmt", "a", "--check"], { cwd });
    expect(check).toMatchObject({ code: 1, stdout: "a/p.json\n" });
    expect(await svcctl(["policy", "fmt", "a", "--write"], { cwd })).toMatchObject({
      code: 0,
      stdout: "a/p.json\n",
    });
    expect(readFileSync(join(cwd, "a/p.json"), "utf8")).toBe(tidy);
    expect(await svcctl(["policy", "fmt", "a", "--check"], { cwd })).toMatchObject({ code: 0, stdout: "" });
  });

  it("changes no file where one of them cannot be read", async () => {
    const cwd = folderWith({ "a/p.json": messy, "a/q.json": "{" });
    const { code, stderr } = await svcctl(["policy", "fmt", "a", "--write"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain("q.json:1");
    expect(readFileSync(join(cwd, "a/p.json"), "utf8")).toBe(messy);
  });
});

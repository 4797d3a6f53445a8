import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { svcctl } from "../svcctl/run-svcctl.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const PAGE = readFileSync(join(ROOT, "docs", "policy-work.md"), "utf8");
const EXAMPLES = [...PAGE.matchAll(/^```console\n\$ svcctl (.*)\n([\s\S]*?)\n```$/gm)].map(
  ([, command = "", output = ""]) => [command, output] as const,
);

describe("docs/policy-work.md", () => {
  it("has an example of each command that prints a report", () => {
    const commands = EXAMPLES.map(([command]) => command.split(" ")[1]);
    expect(commands).toEqual(["lint", "test", "explain", "diff"]);
  });

  it.each(EXAMPLES)("svcctl %s prints what the page shows", async (command, output) => {
    const { code, stdout, stderr } = await svcctl(command.split(" "), { cwd: ROOT });
    const shown = `${stdout}${stderr}`.trimEnd() + (code === 0 ? "" : `\n[exit code ${code}]`);
    expect(shown).toBe(output);
  });

  it("the policies of the worked example are formatted and have no errors", async () => {
    const folders = ["fixtures/policy-work/policies", "fixtures/policy-work/proposed"];
    expect((await svcctl(["policy", "fmt", "--check", ...folders], { cwd: ROOT })).code).toBe(0);
    expect((await svcctl(["policy", "lint", ...folders], { cwd: ROOT })).code).toBe(0);
  });
});

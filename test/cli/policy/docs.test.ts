import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const PAGES = ["policy-work.md", "model.md"];

/** Command and output of each console block of a page. */
function examplesOf(page: string): (readonly [command: string, output: string])[] {
  const text = readFileSync(join(ROOT, "docs", page), "utf8");
  return [...text.matchAll(/^```console\n\$ (.*)\n([\s\S]*?)\n```$/gm)].map(
    ([, command = "", output = ""]) => [command, output] as const,
  );
}

describe.each(PAGES)("docs/%s", (page) => {
  it.each(examplesOf(page))("%s prints what the page shows", async (command, output) => {
    const [program, ...args] = command.split(" ");
    expect(program).toBe("svcctl");
    const { code, stdout, stderr } = await svcctl(args, { cwd: ROOT });
    const shown = `${stdout}${stderr}`.trimEnd() + (code === 0 ? "" : `\n[exit code ${code}]`);
    expect(shown).toBe(output);
  });
});

describe("docs/policy-work.md", () => {
  it("has an example of each command that prints a report", () => {
    const commands = examplesOf("policy-work.md").map(([command]) => command.split(" ")[2]);
    expect(commands).toEqual(["lint", "test", "explain", "diff"]);
  });

  it("the policies of the worked example are formatted and have no errors", async () => {
    const folders = ["fixtures/policy-work/policies", "fixtures/policy-work/proposed"];
    expect((await svcctl(["policy", "fmt", "--check", ...folders], { cwd: ROOT })).code).toBe(0);
    expect((await svcctl(["policy", "lint", ...folders], { cwd: ROOT })).code).toBe(0);
  });
});

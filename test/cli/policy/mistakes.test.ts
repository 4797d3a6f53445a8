/** Typical mistakes: each is named at its line, with what to write instead. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "@svc-authorizer/policy/analysis/lint/lint.ts";
import { LINT_RULES } from "@svc-authorizer/policy/analysis/lint/lint-rules.ts";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { readFixture } from "../../read-fixture.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

interface Mistake {
  readonly about: string;
  /** The document; else one statement with these members. */
  readonly text?: string;
  readonly effect?: string;
  readonly action?: readonly string[];
  readonly resource?: string;
  readonly condition?: object;
  readonly rule: string;
  readonly line: number;
  readonly says: string;
}

const { cases } = readFixture<{ cases: readonly Mistake[] }>("policy-work/mistakes/cases.yaml");

function textOf({
  text,
  effect = "allow",
  action = ["fs:ReadObject"],
  resource,
  condition,
}: Mistake): string {
  if (text !== undefined) return text;
  const members = [
    `- effect: ${effect}`,
    `  action: ${JSON.stringify(action)}`,
    `  resource: ${stringify(resource ?? "arn:svc:fs:::repository/sales/*", { lineWidth: 0 }).trimEnd()}`,
    ...(condition === undefined ? [] : [`  condition: ${JSON.stringify(condition)}`]),
  ];
  return `statement:\n${members.map((line) => `  ${line}\n`).join("")}`;
}

async function lint(text: string, ...options: string[]) {
  const cwd = temporaryFolder();
  const file = text.startsWith("{") ? "policy.json" : "policy.yaml";
  writeFileSync(join(cwd, file), text);
  const { code, stdout } = await svcctl(["policy", "lint", file, "--json", ...options], { cwd });
  return { code, findings: (JSON.parse(stdout) as { findings: Finding[] }).findings };
}

describe("typical mistakes", () => {
  it("are more than a hundred, of every rule that a document can break", () => {
    expect(cases.length).toBeGreaterThan(100);
    // Each says what to write instead, or what is wrong.
    expect(cases.filter(({ says }) => says === "").map(({ about }) => about)).toEqual([]);
    const rules = new Set(cases.map(({ rule }) => rule));
    const without = [...LINT_RULES.keys()].filter((rule) => !rules.has(rule));
    expect(without).toEqual([
      "acceptance",
      "data-server-condition",
      "forged-address",
      "unused-acceptance",
      "stopped",
    ]);
  });

  it.each(cases.map((one) => [one.about, one] as const))("%s", async (_about, one) => {
    const { code, findings } = await lint(textOf(one), "--strict");
    const found = findings.filter(({ rule, line }) => rule === one.rule && line === one.line);
    expect(
      found.map(({ message }) => message),
      JSON.stringify(findings),
    ).toEqual(expect.arrayContaining([expect.stringContaining(one.says)]));
    const level = LINT_RULES.get(found[0]?.rule ?? "syntax")?.severity;
    if (level !== "note") expect(code).toBe(1);
  });
});

describe("docs/lint-rules.md", () => {
  const page = readFileSync(new URL("../../../docs/lint-rules.md", import.meta.url), "utf8");
  const sections = new Map(
    page
      .split(/^### /m)
      .slice(1)
      .map((section) => {
        const name = section.slice(0, section.indexOf("\n"));
        const blocks = [...section.matchAll(/```yaml\n# (mistake|instead)\n([\s\S]*?)```/g)];
        return [name, new Map(blocks.map(([, kind = "", text = ""]) => [kind, text]))] as const;
      }),
  );

  it("has a section for each rule, below the heading of its level", () => {
    expect([...sections.keys()].sort()).toEqual([...LINT_RULES.keys()].sort());
    for (const [rule, { severity }] of LINT_RULES) {
      const before = page.slice(0, page.indexOf(`\n### ${rule}\n`));
      expect(
        before
          .match(/^## .*$/gm)
          ?.at(-1)
          ?.toLowerCase(),
        rule,
      ).toBe(`## ${severity}s`);
    }
  });

  it.each([...sections].filter(([rule]) => rule !== "stopped"))(
    "shows a mistake of the rule %s, and what mends it",
    async (rule, blocks) => {
      const mistake = await lint(blocks.get("mistake") ?? "");
      expect(mistake.findings.map((one) => one.rule)).toContain(rule);
      const instead = await lint(blocks.get("instead") ?? "");
      expect(instead.findings.map((one) => one.rule)).not.toContain(rule);
      expect(instead.code).toBe(0);
    },
  );
});

it("--allow leaves a rule out, and refuses one that does not exist", async () => {
  const text = "statement: [{effect: allow, action: ['fs:ReadObjects'], resource: '*'}]\n";
  expect((await lint(text, "--strict")).code).toBe(1);
  expect(await lint(text, "--strict", "--allow", "unknown-action")).toEqual({ code: 0, findings: [] });
  const refused = await svcctl(["policy", "lint", "x.yaml", "--allow", "unknown-actions"]);
  expect(refused.stderr).toContain("there is no rule unknown-actions (did you mean unknown-action?)");
});

it("accepts a finding of one statement by its sid, with the reason in JSON and SARIF", async () => {
  const cwd = temporaryFolder();
  const statement = (sid: string) =>
    `  - {sid: ${sid}, effect: allow, action: ['auth:AttachPolicy'], resource: 'arn:svc:auth:::${sid.toLowerCase()}/*'}\n`;
  writeFileSync(
    join(cwd, "p.yaml"),
    `name: P\naccept: [{rule: self-escalation, sid: User, reason: They are few.}]\nstatement:\n${statement("User")}${statement("Group")}`,
  );
  const json = JSON.parse((await svcctl(["policy", "lint", "p.yaml", "--json"], { cwd })).stdout);
  expect(json.findings.map((one: Finding) => [one.rule, one.pointer])).toEqual([
    ["self-escalation", "/statement/1"],
  ]);
  expect(json.accepted).toMatchObject([
    { rule: "self-escalation", pointer: "/statement/0", reason: "They are few." },
  ]);
  const sarif = JSON.parse((await svcctl(["policy", "lint", "p.yaml", "--format", "sarif"], { cwd })).stdout);
  expect(sarif.runs[0].results[1].suppressions).toEqual([
    { kind: "inSource", status: "accepted", justification: "They are few." },
  ]);
});

it("--format github writes annotations", async () => {
  const cwd = temporaryFolder();
  writeFileSync(
    join(cwd, "p.yaml"),
    "name: 'P%'\nstatement: [{effect: allow, action: ['fs:X'], resource: '*'}]\n",
  );
  const { stdout } = await svcctl(["policy", "lint", "p.yaml", "--format", "github"], { cwd });
  expect(stdout).toContain(
    "file=p.yaml,line=2,col=38,title=svcctl policy lint%3A unknown-action::P%25: the data",
  );
});

it("what ships and what is shown passes --strict", async () => {
  const root = new URL("../../../", import.meta.url).pathname;
  const shown = ["datasets/*.{yaml,json}", "documents/policy/valid", "apply", "decisions", "conditions"];
  const files = [...shown, "policy-work/policies", "policy-work/proposed"].map((name) => `fixtures/${name}`);
  const { code, stdout } = await svcctl(["policy", "lint", "--strict", "policies", ...files], { cwd: root });
  expect(stdout.match(/^.*(?:error|warning) \[.*$/gm)).toBeNull();
  expect(code).toBe(0);
  expect(Number(/ in (\d+) files/.exec(stdout)?.[1])).toBeGreaterThan(9);
});

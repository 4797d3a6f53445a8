import { describe, expect, it } from "vitest";
import { svcctl } from "../svcctl/run-svcctl.ts";
import { allow, folderWith, policy, REPO, soundPolicy } from "./example-folder.ts";

describe("policy diff", () => {
  const diff = (before: unknown, after: unknown, ...args: string[]) =>
    svcctl(["policy", "diff", "old.json", "new.json", ...args], {
      cwd: folderWith({ "old.json": before, "new.json": after }),
    });
  const wide = policy("Sound", allow("fs:Read*", `${REPO}r/*`));

  it("exits with 1 when access widens, and shows a request", async () => {
    const { code, stdout } = await diff(soundPolicy, wide);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^\+ any user \(here .\): fs:Read\w+ on arn:svc:fs:::repository\/r\//m);
    expect(stdout).toContain("neutral → allow");
    expect(stdout).toContain("1 widening, 0 narrowings");
  });

  it("exits with 0 when access only narrows, and shows what is lost", async () => {
    const { code, stdout } = await diff(wide, soundPolicy);
    expect(code).toBe(0);
    expect(stdout).toContain("allow → neutral");
    expect(stdout).toContain("0 widenings, 1 narrowing");
  });

  it("blames the statement that allows the example", async () => {
    const before = policy("P", allow("auth:ListUsers"));
    const after = policy(
      "P",
      ...before.statement,
      allow("fs:ReadObject", `${REPO}r`),
      allow("fs:ReadObject", `${REPO}q/object/*`),
    );
    const { stdout } = await diff(before, after);
    // A readable example of statement 1, an object, would be one that statement 2 allows.
    expect(stdout).toContain(
      `fs:ReadObject on ${REPO}r\n    neutral → allow\n    allowed by policy P, statement 1, after`,
    );
    expect(stdout).toMatch(
      /fs:ReadObject on \S+q\/object\/\S*\n {4}neutral → allow\n {4}allowed by policy P, statement 2, after/,
    );
  });

  it("shows an example of several statements once, and counts an example of several scopes once", async () => {
    const before = policy("P", allow("auth:ListUsers"));
    const after = policy("P", ...before.statement, allow("fs:ReadObject", `${REPO}r/object/*`), {
      ...allow("fs:ReadObject", `${REPO}r/object/*`),
      action: ["fs:ReadObject", "fs:ReadObject*"],
    });
    const other = policy("Other", allow("auth:ListUsers"));
    const changed = policy("Other", allow("auth:ListGroups"));
    const { stdout } = await diff([before, other], [after, changed]);
    expect(stdout).toContain("allowed by policy P, statement 1 and policy P, statement 2, after");
    expect(stdout).toContain("For users who have all policies");
    expect(stdout.match(/fs:ReadObject on/g)).toHaveLength(2);
    expect(stdout).toContain("2 widenings, 1 narrowing");
  });

  it("sees no change in another way to say the same", async () => {
    const split = policy(
      "Sound",
      allow("fs:ReadObject", JSON.stringify([`${REPO}r/object/*`, `${REPO}r/object/a*`])),
    );
    const { code, stdout } = await diff(soundPolicy, split);
    expect(code).toBe(0);
    expect(stdout).toContain("Nothing is allowed or refused that was not before.");
  });

  it("compares two statement documents, whatever their files are called", async () => {
    const { code, stdout } = await diff({ statement: wide.statement }, { statement: soundPolicy.statement });
    expect(code).toBe(0);
    expect(stdout).toContain("For users who have only policy");
  });

  it("compares each policy alone too: one may be had without the other", async () => {
    const other = policy("Other", allow("fs:Read*", `${REPO}*`));
    const { code, stdout } = await diff([soundPolicy, other], [wide, other]);
    expect(code).toBe(1);
    expect(stdout).not.toContain("For users who have all policies");
    expect(stdout).toContain("For users who have only Sound");
  });

  it("compares what is in force for each user of data sets", async () => {
    const dataset = (groups: string[]) => ({
      format: 1,
      policies: [soundPolicy],
      groups: [{ name: "G", policies: ["Sound"] }],
      users: [{ username: "ana", groups }],
    });
    const { code, stdout } = await diff(dataset([]), dataset(["G"]));
    expect(code).toBe(1);
    expect(stdout).toContain("For the user ana");
    expect(stdout).toMatch(/^\+ ana: fs:ReadObject on/m);
  });

  it("prints every difference with its statements for programs", async () => {
    const { stdout } = await diff(soundPolicy, wide, "--json");
    const report = JSON.parse(stdout);
    expect(report.widens).toBe(true);
    expect(report.scopes[0]).toMatchObject({
      scope: { policy: "Sound" },
      wider: [
        {
          certainty: "certain",
          cause: "allow",
          allowedBy: { policy: "Sound", statement: 0 },
          counterexample: { before: "neutral", after: "allow" },
        },
      ],
      narrower: [],
    });
  });

  it.each([
    ["one file", ["old.json"], "missing required argument 'new'"],
    ["a file that is missing", ["old.json", "no.json"], "no such file"],
    ["a file of another form", ["old.json", "form.json"], "must be a list of statements"],
  ])("refuses %s", async (_, args, message) => {
    const cwd = folderWith({ "old.json": soundPolicy, "form.json": { name: "P" } });
    const { code, stderr } = await svcctl(["policy", "diff", ...args], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });
});

import { describe, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { allow, folderWith, policy, REPO, soundPolicy } from "./example-folder.ts";

describe("policy diff", () => {
  const diff = (before: unknown, after: unknown, ...args: string[]) =>
    svcctl(["policy", "diff", "old.json", "new.json", ...args], {
      cwd: folderWith({ "old.json": before, "new.json": after }),
    });
  const wide = policy("Sound", allow("fs:Read*", `${REPO}r/*`));

  it("exits with 1 when access widens, and shows the area with a possible request", async () => {
    const { code, stdout } = await diff(soundPolicy, wide);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^\+ fs:Read\* on arn:svc:fs:::repository\/r\/\*$/m);
    expect(stdout).toMatch(/^ {4}except fs:ReadObject on arn:svc:fs:::repository\/r\/object\/\*$/m);
    expect(stdout).toMatch(/example: .: fs:Read\w+ on arn:svc:fs:::repository\/r\/\S+ \(neutral → allow\)/);
    expect(stdout).toMatch(/^gains: \d+ actions on 1 pattern; loses: nothing$/m);
  });

  it("exits with 0 when access only narrows, and shows what is lost", async () => {
    const { code, stdout } = await diff(wide, soundPolicy);
    expect(code).toBe(0);
    expect(stdout).toContain("allow → neutral");
    expect(stdout).toMatch(/^gains: nothing; loses: \d+ actions on 1 pattern$/m);
  });

  it("shows everything that a statement gains, the farthest reach first", async () => {
    const finance = `${REPO}finance`;
    const before = policy("Sales", allow("fs:ReadObject", `${REPO}sales/object/*`));
    const actions = ["fs:ReadObject", "fs:DeleteObject", "fs:DeleteRepository"];
    const after = policy("Sales", {
      ...allow("fs:ReadObject", JSON.stringify([`${REPO}sales`, `${REPO}sales/*`, finance, `${finance}/*`])),
      action: actions,
    });
    const { code, stdout } = await diff(before, after, "--json");
    expect(code).toBe(1);
    const { gains, losses } = JSON.parse(stdout).scopes[0];
    expect(losses).toEqual([]);
    const found = gains.map((one: { resource: string; known: string[]; exceptions: unknown[] }) => [
      one.resource.replace(REPO, ""),
      one.known,
      one.exceptions.length,
    ]);
    expect(found).toEqual([
      ["sales", actions.toSorted(), 0],
      ["finance", actions.toSorted(), 0],
      ["sales/*", actions.toSorted(), 1],
      ["finance/*", actions.toSorted(), 0],
    ]);
    // A repository is deleted, an object is read: each example is a request that a data server makes.
    for (const { example, resource } of gains) {
      expect([resource, example.possible]).toEqual([resource, true]);
      expect(example.action).toMatch(/^fs:Delete/);
      expect(example.resource.includes("/object/")).toBe(example.action === "fs:DeleteObject");
    }
  });

  it("names the statements that allow and those that denied", async () => {
    const barred = { ...allow("fs:*", `${REPO}r/*`), effect: "deny", sid: "Bars" };
    const { stdout } = await diff(
      policy("P", allow("fs:ReadObject", "*"), barred),
      policy("P", allow("fs:ReadObject", "*")),
    );
    expect(stdout).toContain(
      "(deny → allow)\n    allowed by policy P, statement 0, after\n    denied by policy P, statement 1 (Bars), before",
    );
  });

  it.each([
    ["wider", { IpAddress: { SourceIp: ["10.1.0.0/16"] } }, { IpAddress: { SourceIp: ["10.0.0.0/8"] } }],
    ["incomparable", { StringLike: { "subject.team": ["a*"] } }, { IpAddress: { SourceIp: ["10.0.0.0/8"] } }],
  ])("says that conditions are %s", async (kind, condition, other) => {
    const one = policy("P", { ...allow("fs:ReadObject", "*"), condition });
    const two = policy("P", { ...allow("fs:ReadObject", "*"), condition: other });
    const { stdout } = await diff(one, two, "--json");
    const [line] = JSON.parse(stdout).scopes[0].gains.filter(
      (each: { kind: string }) => each.kind === "area",
    );
    expect([line.comparison.kind, line.conditions]).toEqual([kind, [other]]);
    expect((await diff(one, two)).stdout.includes("cannot be compared: the other side has")).toBe(
      kind === "incomparable",
    );
  });

  it("keeps what belongs to the user symbolic, and compares apart the users whose names policies contain", async () => {
    const before = policy("P", allow("fs:ReadObject", `${REPO}home/object/admin/*`));
    const after = policy("P", allow("fs:ReadObject", `${REPO}home/object/\${user}/*`));
    const { stdout } = await diff(before, after);
    expect(stdout).toContain(
      `+ fs:ReadObject on ${REPO}home/object/\${user}/* (not the users admin, see below)`,
    );
    expect(stdout).toContain(
      `- fs:ReadObject on ${REPO}home/object/admin/* (not the users admin, see below)`,
    );
  });

  it("compares users whose names have a slash one by one", async () => {
    const world = (resource: string) => ({
      format: 1,
      policies: [policy("Own", allow("fs:ReadObject", resource))],
      users: ["ann", "bob", "team/ann", "team/bob"].map((username) => ({ username, policies: ["Own"] })),
    });
    const { code, stdout } = await diff(
      world(`${REPO}home/object/*`),
      world(`${REPO}home/object/\${user}/*`),
      "--json",
    );
    const { complete, scopes } = JSON.parse(stdout);
    expect([code, complete]).toEqual([0, true]);
    const found = scopes.flatMap(
      ({ scope, losses }: { scope: { users?: { first: string[] } }; losses: object[] }) =>
        scope.users === undefined ? [] : [[scope.users.first, losses]],
    );
    const lost = (name: string) => [
      expect.objectContaining({
        resource: `${REPO}home/object/*`,
        exceptions: [{ actions: ["fs:ReadObject"], resource: `${REPO}home/object/${name}/*` }],
      }),
    ];
    expect(found).toEqual([
      [["ann", "bob"], lost("${user}")],
      [["team/ann"], lost("team/ann")],
      [["team/bob"], lost("team/bob")],
    ]);
  });

  it("says what it does not show, also with its exit code", async () => {
    const many = (count: number) =>
      policy(
        "P",
        ...Array.from({ length: count }, (_, index) => allow("fs:ReadObject", `${REPO}r${index}/object/*`)),
      );
    const { code, stdout } = await diff(many(1), many(6), "--limit", "2");
    expect(code).toBe(4);
    expect(stdout).toContain("not all shown: 3 more lines of access that is gained");
    expect(stdout).toMatch(/^gains: at least 1 action on 2 patterns; loses: nothing found; not all shown$/m);
    const one = await diff(many(6), many(1), "--limit", "4");
    expect([one.code, one.stdout]).toEqual([
      4,
      expect.stringContaining("1 more line of access that is lost"),
    ]);
    const whole = await diff(many(1), many(6), "--limit", "5", "--json");
    expect([whole.code, JSON.parse(whole.stdout).complete]).toEqual([1, true]);
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
    expect(stdout).toContain("For 1 user: ana");
    expect(stdout).toMatch(/^gains: 1 action on 1 pattern, for 1 user; loses: nothing$/m);
  });

  it("prints every difference with its statements for programs", async () => {
    const { stdout } = await diff(soundPolicy, wide, "--json");
    const report = JSON.parse(stdout);
    expect(report.widens).toBe(true);
    expect(report).toMatchObject({ complete: true, summary: expect.stringContaining("; loses: nothing") });
    expect(report.scopes[0]).toMatchObject({
      scope: { policy: "Sound" },
      gains: [
        {
          kind: "area",
          certainty: "certain",
          allowedBy: [{ policy: "Sound", statement: 0 }],
          refused: "neutral",
        },
      ],
      losses: [],
      leftOut: [],
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

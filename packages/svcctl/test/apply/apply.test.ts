/** `svcctl apply` and `svcctl plan` against the real service, with files and with a real git repository. */

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { devNull } from "node:os";
import { dirname, join } from "node:path";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { type Finished, type RunOptions, svcctl } from "../run-svcctl.ts";

const ADMIN = ["AKIAJADMINEXAMPLEADQ", "admin-secret-only-for-this-test-0123456789"] as const;
const READER = ["AKIAJREADEREXAMPLEVQ", "reader-secret-only-for-this-test-012345678"] as const;
const READS = { effect: "allow", action: ["auth:Read*"], resource: "*" } as const;

let authorizer: TestAuthorizer;
let cwd: string;

beforeAll(async () => {
  const credentials = ([key, secret]: readonly [string, string]) => [
    { access_key_id: key, secret_access_key: secret },
  ];
  authorizer = await startAuthorizer({
    config: { "authorizer.audit.output": devNull, "authorizer.escalation": "deny" },
    dataset: {
      format: 1,
      preconfigured: true,
      policies: [{ name: "Sees", statement: [READS] }],
      users: [
        { username: "admin", groups: ["Admins"], credentials: credentials(ADMIN) },
        { username: "rea", policies: ["Sees"], credentials: credentials(READER) },
      ],
    },
  });
});
afterAll(() => authorizer?.close());
beforeEach(async () => {
  await authorizer.reset();
  cwd = temporaryFolder();
});

function run(args: readonly string[], more: RunOptions & { as?: readonly [string, string] } = {}) {
  const { as: [key, secret] = ADMIN, ...options } = more;
  return svcctl(args, {
    cwd,
    ...options,
    env: {
      PATH: process.env["PATH"] ?? "",
      SVCCTL_SERVER_ENDPOINT_URL: authorizer.userUrl,
      SVCCTL_CREDENTIALS_ACCESS_KEY_ID: key,
      SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: secret,
    },
  });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

const POLICY = `format: 1
policies:
  - name: Own
    statement:
      - effect: allow
        action: [fs:ReadObject]
        resource: arn:svc:fs:::repository/data/object/*
`;
const PEOPLE = `format: 1
groups:
  - name: Crew
    policies: [Own]
users:
  - username: ann
    groups: [Crew]
`;

/** A file with one policy that has a statement for each resource. */
function policyOn(resources: readonly string[]): string {
  const statement = (resource: string) =>
    `      - {effect: allow, action: [fs:ReadObject], resource: "arn:svc:fs:::repository/${resource}/object/*"}`;
  return ["format: 1", "policies:", "  - name: Own", "    statement:", ...resources.map(statement)].join(
    "\n",
  );
}

const NUMBERS = Array.from({ length: 101 }, (_, index) => index);
const NOT_ALL_SHOWN = [
  {
    name: "too many lines",
    text: policyOn(NUMBERS.map((index) => `r${index}`)),
    says: "not all shown: 1 more line of access that is gained",
  },
  {
    name: "too many users whose names stand in resources",
    text: policyOn(["home-${user}", ...NUMBERS.slice(0, 9).map((index) => `home-user${index}`)]),
    says: "+ undecided: ",
  },
];

function writeBoth(): void {
  write("access/policies.yaml", POLICY);
  write("access/people/people.yaml", PEOPLE);
  write("access/own.test.yaml", "policies: [policies.yaml]\n");
}

const ADDED = `+ policy Own
    + fs:ReadObject on arn:svc:fs:::repository/data/object/*
        example: u: fs:ReadObject on arn:svc:fs:::repository/data/object/x (neutral → allow)
        allowed by policy Own, statement 0, after
`;

function firstLines({ stdout }: Finished): readonly string[] {
  return stdout.split("\n").filter((line) => /^\S/.test(line));
}

it("shows properties as they are, whatever their names", async () => {
  const properties = { start_date: 5, expires_at: 9, place: { since: 3 } };
  write("people.yaml", JSON.stringify({ format: 1, users: [{ username: "ann", properties }] }));
  const { code, stdout } = await run(["plan", "-f", "people.yaml", "-o", "json"]);
  expect(code).toBe(2);
  expect(JSON.parse(stdout).changes).toMatchObject([{ name: "ann", after: { properties } }]);
});

describe("svcctl plan", () => {
  it("finds changes with exit code 2, changes nothing, and finds none after they were applied", async () => {
    writeBoth();
    const plan = await run(["plan", "-f", "access"]);
    expect([plan.code, plan.stderr]).toEqual([2, ""]);
    expect(firstLines(plan)).toEqual([
      "+ policy Own",
      "+ group Crew",
      "+ user ann",
      "+ attachment Own to group Crew",
      "+ membership ann in Crew (gives Own)",
      "5 to add, 0 to change, 0 to remove",
    ]);
    expect(plan.stdout).toContain(ADDED);
    expect((await run(["plan", "-f", "access"])).code).toBe(2);

    const done = await run(["apply", "-f", "access"]);
    expect([done.code, done.stderr]).toEqual([0, ""]);
    expect(done.stdout).toBe(`${plan.stdout}applied: 5 added, 0 changed, 0 removed\n`);
    expect(await run(["plan", "-f", "access"])).toEqual({
      code: 0,
      stdout: "nothing to change\n",
      stderr: "",
    });
  });

  it("shows the requests that a changed policy allows and refuses from now on", async () => {
    writeBoth();
    await run(["apply", "-f", "access"]);
    write("access/policies.yaml", POLICY.replace("[fs:ReadObject]", "[fs:WriteObject]"));
    const { stdout } = await run(["plan", "-f", "access"]);
    expect(stdout).toMatch(
      /^~ policy Own \(statement\)\n {4}\+ .*fs:WriteObject on arn:svc:fs:::repository\/data/,
    );
    expect(stdout).toMatch(/\n {4}- .*fs:ReadObject on arn:svc:fs:::repository\/data/);

    const markdown = await run(["plan", "-f", "access", "--markdown"]);
    expect(markdown.code).toBe(2);
    expect(markdown.stdout).toContain("| change | policy | Own | statement |");
    expect(markdown.stdout).toMatch(/1 policy would allow more: Own\n[\s\S]*```diff\n\+ .*fs:WriteObject/);
  });

  it.each(NOT_ALL_SHOWN)("says with exit code 4 that not all access is shown: $name", async (one) => {
    write("access/policies.yaml", one.text);
    for (const command of [["plan"], ["plan", "--markdown"], ["apply", "--dry-run"]]) {
      const { code, stdout, stderr } = await run([...command, "-f", "access"]);
      expect([command, code, stderr]).toEqual([command, 4, ""]);
      expect(stdout).toContain(one.says);
    }
    expect((await run(["plan", "-f", "access", "-o", "json"])).code).toBe(2);
  });

  it("shows reviewers the findings that changed policies accept", async () => {
    const entry = "    accept: [{rule: self-escalation, reason: They are <few>.}]\n";
    write("access/policies.yaml", POLICY.replace("    statement:", `${entry}    statement:`));
    const plan = () => run(["plan", "-f", "access", "--markdown"]);
    expect((await plan()).stdout).toContain("- Own: self-escalation: They are &#60;few&#62;.\n");
    await run(["apply", "-f", "access"]);
    expect((await plan()).stdout).not.toContain("self-escalation");
  });

  it("prints the difference as data", async () => {
    writeBoth();
    const json = JSON.parse((await run(["plan", "-f", "access", "-o", "json"])).stdout);
    expect(json).toMatchObject({ manager: "svcctl", dry_run: true, counts: { add: 5 } });
    const csv = (await run(["plan", "-f", "access", "-o", "csv"])).stdout.split("\r\n");
    expect(csv[0]).toMatch(/^action,kind,name/);
    expect(csv).toHaveLength(7);
  });

  it("needs no more than to read, and says what could not be applied", async () => {
    writeBoth();
    const plan = await run(["plan", "-f", "access"], { as: READER });
    expect(plan.code).toBe(2);
    expect(plan.stderr).toContain(
      "not allowed: access/policies.yaml:3:5: add policy Own: insufficient permissions: not allowed to auth:CreatePolicy\n",
    );
    const before = await authorizer.directory.batches.state({ secrets: true });
    const refused = await run(["apply", "-f", "access"], { as: READER });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("nothing was changed")]);
    expect(await authorizer.directory.batches.state({ secrets: true })).toEqual(before);
  });
});

describe("svcctl apply", () => {
  it("says every problem with file, line and column, and changes nothing", async () => {
    write("access/a.yaml", "format: 1\nusers:\n  - username: ann\n    groups: [Nowhere]\n");
    write("access/b.json", '{"format":1,\n "groups":[\n  {"name":"Crew","policies":["Missing"]}]}');
    const { code, stdout, stderr } = await run(["apply", "-f", "access"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(
      [
        "access/a.yaml:4:14: there is no group of this name, neither in these files nor in the directory",
        "access/b.json:3:30: there is no policy of this name, neither in these files nor in the directory",
        "the documents have 2 problems; nothing was changed",
        "400 Bad Request",
        "",
      ].join("\n"),
    );
    write("access/b.json", "{");
    const broken = await run(["apply", "-f", "access"]);
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining("access/b.json:1")]);
  });

  it("never prints a secret that somebody wrote into a file", async () => {
    const secret = "somebody-wrote-this-into-a-file-012345678";
    write(
      "a.yaml",
      `format: 1\nusers:\n  - username: ann\n    credentials:\n      - access_key_id: AKIAJKKKKKKKKKKKKKKQ\n        secret_access_key: ${secret}\n`,
    );
    for (const output of [[], ["-o", "json"]]) {
      const { code, stdout, stderr } = await run(["apply", "-f", "a.yaml", ...output]);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain("a.yaml:5:7: is not applied");
      expect(stderr).not.toContain(secret);
    }
  });

  it.each(NOT_ALL_SHOWN)("succeeds with a warning where not all access is shown: $name", async (one) => {
    const warning = "the change was made, but not all access that it gives and takes was shown";
    write("access/policies.yaml", one.text);
    const done = await run(["apply", "-f", "access"]);
    expect([done.code, done.stderr]).toEqual([0, expect.stringMatching(`^warning: ${warning}`)]);
    expect(done.stdout).toContain(one.says);
    expect(await run(["apply", "-f", "access"])).toMatchObject({ code: 0, stderr: "" });

    await authorizer.reset();
    const data = await run(["apply", "-f", "access", "--json"]);
    expect([data.code, data.stderr]).toEqual([0, expect.stringMatching(`^warning: ${warning}`)]);
    expect(JSON.parse(data.stdout)).toMatchObject({
      dry_run: false,
      warnings: [{ message: expect.stringContaining(warning) }],
    });
  });

  it("removes with --prune, and more than half only with --yes", async () => {
    writeBoth();
    await run(["apply", "-f", "access"]);
    write("access/people/people.yaml", "format: 1\n");
    const kept = await run(["apply", "-f", "access"]);
    expect(firstLines(kept)).toEqual([
      "= group Crew (no file names it; --prune removes it)",
      "= user ann (no file names it; --prune removes it)",
      "nothing to change",
      "applied: nothing to change",
    ]);
    const refused = await run(["apply", "-f", "access", "--prune"]);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain("needs --yes");
    expect(refused.stderr).toContain("more than half");
    const done = await run(["apply", "-f", "access", "--prune", "--yes"]);
    expect([done.code, done.stdout]).toEqual([
      0,
      expect.stringMatching(/applied: 0 added, 0 changed, 2 removed\n$/),
    ]);
  });

  it("shows a dry run with exit code 0", async () => {
    writeBoth();
    const { code, stdout } = await run(["apply", "-f", "access", "--dry-run"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("5 to add")]);
    expect((await authorizer.directory.batches.state({ secrets: false })).users.has("ann")).toBe(false);
  });

  it("reads standard input, several files and globs", async () => {
    writeBoth();
    const done = await run(["apply", "-f", "access/people/*.yaml", "-f", "-"], { stdin: POLICY });
    expect([done.code, done.stderr]).toEqual([0, ""]);
  });

  it("names the manager of what is another's", async () => {
    writeBoth();
    await run(["apply", "-f", "access", "--manager", "team-a"]);
    const { code, stderr } = await run(["apply", "-f", "access", "--manager", "team-b"]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'access/people/people.yaml:3:5: this group is managed by "team-a": take it out of one of the two\n',
    );
  });

  it("removes nothing because a link in the folder leads nowhere", async () => {
    writeBoth();
    await run(["apply", "-f", "access"]);
    rmSync(join(cwd, "access/people/people.yaml"));
    symlinkSync("../people-of-another-checkout.yaml", join(cwd, "access/people/people.yaml"));
    const { code, stderr, stdout } = await run(["apply", "-f", "access", "--prune", "--yes"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("access/people/people.yaml: the link leads to no file\n");
    expect((await authorizer.directory.batches.state({ secrets: false })).users.has("ann")).toBe(true);
  });

  it("reads files of a commit", async () => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd });
    writeBoth();
    git("init", "--quiet");
    git("add", ".");
    git("commit", "--quiet", "--message", "Access");
    rmSync(join(cwd, "access"), { recursive: true });
    const done = await run(["apply", "-f", "access", "--git", "HEAD"]);
    expect([done.code, done.stderr]).toEqual([0, ""]);
    expect(done.stdout).toContain("applied: 5 added");
    mkdirSync(join(cwd, "below"));
    const below = await run(["plan", "-f", "../access", "--git", "HEAD"], { cwd: join(cwd, "below") });
    expect([below.code, below.stderr, below.stdout]).toEqual([0, "", "nothing to change\n"]);
    for (const revision of ["no-such-branch", "--output=stolen"]) {
      const { code, stderr } = await run(["apply", "-f", "access", "--git", revision]);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^git: /)]);
    }
    expect((await run(["plan", "-f", "elsewhere", "--git", "HEAD"])).stderr).toContain(
      "no .yaml, .yml or .json",
    );
    for (const path of ["elsewhere", "access/*.yaml", "-"]) {
      const args = ["plan", "-f", "access/policies.yaml", "-f", path, "--git", "HEAD", "--prune"];
      const { code, stderr, stdout } = await run(args);
      expect([path, code, stdout]).toEqual([path, 1, ""]);
      expect(stderr).toContain(path);
    }
  });

  it("refuses what is no UTF-8, from wherever it comes", async () => {
    const latin = Buffer.from("format: 1\nusers: [{username: Jörg}]\n", "latin1");
    writeFileSync(join(cwd, "latin.yaml"), latin);
    execFileSync("git", ["init", "--quiet"], { cwd });
    execFileSync("git", ["add", "."], { cwd });
    const author = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    execFileSync("git", [...author, "commit", "--quiet", "--message", "Latin"], { cwd });
    for (const args of [["latin.yaml"], ["latin.yaml", "--git", "HEAD"], ["-"]]) {
      const { code, stderr } = await run(["plan", "-f", ...args], { stdin: latin });
      expect([args, code, stderr]).toEqual([args, 1, expect.stringContaining("is not UTF-8")]);
    }
    const statement = [{ effect: "allow", action: ["fs:*"], resource: "arn:svc:fs:::repository/Jörg" }];
    writeFileSync(join(cwd, "policy.json"), JSON.stringify({ statement }), "latin1");
    const create = ["auth", "policies", "create", "--id", "Own", "--statement-document"];
    const { code, stderr } = await run([...create, "policy.json"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("policy.json is not UTF-8")]);
  });

  it("applies again whenever a file changes, also after a mistake, until it is interrupted", async () => {
    writeBoth();
    let interrupt: (() => void) | undefined;
    const finished = run(["apply", "-f", "access", "--watch"], {
      onInterrupt: (listener) => {
        interrupt = listener;
        return () => {};
      },
    });
    const members = async () => [
      ...((await authorizer.directory.batches.state({ secrets: false })).users.get("ann")?.groups.keys() ??
        []),
    ];
    await expect.poll(members).toEqual(["Crew"]);
    write("access/people/people.yaml", PEOPLE.replace("[Crew]", "[Nowhere]"));
    await new Promise((resolve) => setTimeout(resolve, 500));
    write("access/people/people.yaml", PEOPLE.replace("[Crew]", "[]"));
    await expect.poll(members).toEqual([]);
    interrupt?.();
    const { code, stderr } = await finished;
    expect([code, stderr]).toEqual([0, expect.stringContaining("watching")]);
  });

  it.each([
    [[], 'required flag(s) "filename" not set'],
    [["-f", "-", "--watch"], "--watch watches files"],
    [["-f", "nowhere"], "no such file"],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await run(["apply", ...args]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});

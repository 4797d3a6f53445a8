/** Policy templates on the command line: listed, filled in offline, and sent to a server. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { replay } from "../../../packages/svcctl/test/replay-server.ts";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";

const REPOSITORY = ["repository-read-write", "--param", "repository=data"];
const CREATED = { status: 201, body: { id: "n", creation_date: 0, statement: [] } };

describe("svcctl policy template", () => {
  it("lists the templates with their parameters, as both help texts do", async () => {
    const { stdout } = await svcctl(["policy", "template"]);
    for (const text of [stdout, (await svcctl(["auth", "policies", "create", "--help"])).stdout]) {
      expect(text).toMatch(/^ {2}replication-full +\S/m);
      expect(text).toMatch(/^ {2}repository-read-write +\S.*\n +--param repository=… {2}\S/m);
    }
    expect((await svcctl(["policy", "template", "--help"])).stdout).toContain(stdout);
  });

  it("fills one in: five statements to read and write one repository (spec/permissions §13.6)", async () => {
    const { code, stdout } = await svcctl(["policy", "template", ...REPOSITORY]);
    expect(code).toBe(0);
    const repository = "arn:svc:fs:::repository/data";
    const statements: [actions: string, resource: string][] = [
      ["ReadRepository ReadCommit ListBranches ListTags ListObjects", repository],
      ["RevertBranch ReadBranch CreateBranch DeleteBranch CreateCommit", `${repository}/branch/*`],
      ["ListObjects ReadObject WriteObject DeleteObject", `${repository}/object/*`],
      ["ReadTag CreateTag DeleteTag", `${repository}/tag/*`],
      ["ReadConfig", "*"],
    ];
    expect(JSON.parse(stdout)).toEqual({
      name: "RepositoryReadWrite",
      statement: statements.map(([actions, resource]) => ({
        effect: "allow",
        action: actions.split(" ").map((action) => `fs:${action}`),
        resource,
      })),
    });
  });

  it("writes ARNs of another partition", async () => {
    const { stdout } = await svcctl(["policy", "template", ...REPOSITORY, "--partition", "lakefs"]);
    expect(stdout).toContain('"arn:lakefs:fs:::repository/data"');
    expect(stdout).not.toContain("arn:svc");
  });

  it("prints what policy lint --strict passes: a note names the listing of objects that the reference has", async () => {
    const { stdout } = await svcctl(["policy", "template", ...REPOSITORY]);
    const { writeFileSync } = await import("node:fs");
    const { temporaryFolder } = await import("../../temporary-folder.ts");
    const folder = temporaryFolder();
    writeFileSync(`${folder}/policy.json`, stdout);
    const linted = await svcctl(["policy", "lint", "policy.json", "--strict"], { cwd: folder });
    expect(linted.code).toBe(0);
    expect(linted.stdout).toMatch(
      /^policy\.json:29:9: note \[idle-action\] .*fs:ListObjects applies to repositories/,
    );
    expect(linted.stdout).toContain("0 errors, 0 warnings, 1 note in 1 file");
  });

  it.each([
    [["nothing"], /^Error: unknown template "nothing"\nTemplates: replication-full, /],
    [
      ["repository-read-wirte"],
      /^Error: unknown template "repository-read-wirte" \(did you mean repository-read-write\?\)\n/,
    ],
    [
      ["repository-read-write", "--param", "repo"],
      /^Error: --param "repo": expected name=value\nparameter repository is missing: --param repository=… \(Id of the repository\)\n$/,
    ],
    [
      ["repository-read-write", "--param", "repostory=a"],
      /^Error: template repository-read-write has no parameter "repostory" \(did you mean repository\?\)\nparameter repository is missing: /,
    ],
    [
      ["repository-read-write", "--param", "repository=a", "--param", "repository=b"],
      /^Error: parameter repository has two values\n$/,
    ],
    [["replication-full", "--param", "x=a"], /^Error: template replication-full has no parameter "x"\n$/],
  ])("says everything that is wrong with %j", async (args, text) => {
    const { code, stdout, stderr } = await svcctl(["policy", "template", ...args]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(text);
  });

  it("refuses a value that would match more than it names", async () => {
    const { code, stderr } = await svcctl([
      "policy",
      "template",
      "repository-read-write",
      "--param",
      "repository=*",
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain("must not contain * or ?");
  });
});

describe("svcctl auth policies create --template", () => {
  const create = ["auth", "policies", "create", "--template", ...REPOSITORY];

  it.each([
    [[], "RepositoryReadWrite"],
    [["--id", "WriteData"], "WriteData"],
  ])("sends the policy that policy template prints: %j", async (more, id) => {
    const server = await replay([CREATED]);
    const { code, stderr } = await svcctl([...create, ...more], { env: server.env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { statement } = JSON.parse((await svcctl(["policy", "template", ...REPOSITORY])).stdout);
    expect(server.asked.map(({ line, body }) => [line, body])).toEqual([
      ["POST /api/v1/auth/policies", { id, statement }],
    ]);
  });

  it("takes what policy template prints as a document too", async () => {
    const stdin = (await svcctl(["policy", "template", ...REPOSITORY])).stdout;
    const server = await replay([CREATED]);
    const args = ["auth", "policies", "create", "--id", "n", "--statement-document", "-"];
    expect((await svcctl(args, { env: server.env, stdin })).code).toBe(0);
    expect(server.asked[0]?.body).toEqual({ id: "n", statement: JSON.parse(stdin).statement });
  });

  it.each([
    [[...create, "--statement-document", "x"], "--template and --statement-document exclude each other"],
    [
      ["auth", "policies", "create", "--id", "x", "--statement-document", "y", "--param", "a=b"],
      "--param needs --template",
    ],
    [["auth", "policies", "create", "--param", "a=b"], 'required flag(s) "id", "statement-document" not set'],
  ])("refuses %j and asks nothing", async (args, text) => {
    const server = await replay([CREATED]);
    const { code, stderr } = await svcctl(args, { env: server.env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: `Error: ${text}\n` });
    expect(server.asked).toEqual([]);
  });
});

describe("a statement's sid", () => {
  it("is sent and shown", async () => {
    const statement = { sid: "ReadAll", effect: "allow", action: ["fs:Read*"], resource: "*" };
    const server = await replay([{ ...CREATED, body: { ...CREATED.body, statement: [statement] } }]);
    const args = ["auth", "policies", "create", "--id", "n", "--statement-document", "-"];
    const { stdout } = await svcctl(args, {
      env: server.env,
      stdin: JSON.stringify({ statement: [statement] }),
    });
    expect(server.asked[0]?.body).toEqual({ id: "n", statement: [statement] });
    expect(stdout).toContain('"sid": "ReadAll"');
  });
});

it("the reference of templates in docs/svcctl.md names each one", async () => {
  const page = readFileSync(new URL("../../../docs/svcctl.md", import.meta.url), "utf8");
  const { templates } = JSON.parse((await svcctl(["policy", "template", "--json"])).stdout);
  for (const { id } of templates) expect(page).toContain(`\`${id}\``);
});

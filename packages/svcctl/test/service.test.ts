/** svcctl against the real service: every `auth` command, what it prints and what the service did. */

import { writeFileSync } from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { type Finished, svcctl } from "./run-svcctl.ts";

const ADMIN = ["AKIAJADMINEXAMPLEADQ", "admin-secret-only-for-this-test-0123456789"] as const;
const VIEWER = ["AKIAJVIEWEREXAMPLEVQ", "viewer-secret-only-for-this-test-012345678"] as const;

let authorizer: TestAuthorizer;

beforeAll(async () => {
  const credentials = ([key, secret]: readonly [string, string]) => [
    { access_key_id: key, secret_access_key: secret },
  ];
  authorizer = await startAuthorizer({
    config: { "authorizer.audit.output": devNull },
    dataset: {
      format: 1,
      preconfigured: true,
      users: [
        { username: "admin", groups: ["Admins"], credentials: credentials(ADMIN) },
        { username: "vera", groups: ["Viewers"], credentials: credentials(VIEWER) },
      ],
    },
  });
});
afterAll(() => authorizer.close());
beforeEach(() => authorizer.reset());

/** Runs `svcctl auth …` as somebody, not on a terminal. */
function as([key, secret]: readonly [string, string], line: string, stdin?: string): Promise<Finished> {
  return svcctl(["auth", ...line.split(" ")], {
    env: {
      SVCCTL_SERVER_ENDPOINT_URL: authorizer.userUrl,
      SVCCTL_CREDENTIALS_ACCESS_KEY_ID: key,
      SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: secret,
    },
    ...(stdin !== undefined && { stdin }),
  });
}

async function admin(line: string, stdin?: string): Promise<string> {
  const { code, stdout, stderr } = await as(ADMIN, line, stdin);
  expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: "" });
  return stdout;
}

/** First column of a list. */
const idsOf = (rows: string) =>
  rows
    .trimEnd()
    .split("\n")
    .map((row) => row.split("\t")[0]);

const DOCUMENT = JSON.stringify({
  statement: [
    { effect: "allow", action: ["fs:ReadObject"], resource: "arn:svc:fs:::repository/data/object/*" },
  ],
});
const DATE = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4} \S+/;
const OBJECT = "arn:svc:fs:::repository/data/object/a.csv";

describe("svcctl against the service", () => {
  it("manages users", async () => {
    expect(await admin("users create --id bob")).toMatch(
      new RegExp(`^User created successfully\\.\nID: bob\nCreation Date: ${DATE.source}\n$`),
    );
    expect(idsOf(await admin("users list"))).toEqual(["admin", "bob", "vera"]);
    expect(idsOf(await admin("users list --after admin --amount 1"))).toEqual(["bob"]);
    expect(idsOf(await admin("users list --prefix b"))).toEqual(["bob"]);
    expect(idsOf(await admin("users list --search OB"))).toEqual(["bob"]);
    expect(await as(ADMIN, "users create --id bob")).toMatchObject({
      code: 1,
      stderr: "Already exists\n409 Conflict\n",
    });
    expect(await admin("users delete --id bob")).toBe("User deleted successfully\n");
    expect(await as(ADMIN, "users delete --id bob")).toMatchObject({
      code: 1,
      stderr: "user not found\n404 Not Found\n",
    });
  });

  it("manages groups, members and permissions", async () => {
    expect(await admin("groups create --id Team")).toContain("Group created successfully.\nID: Team\n");
    expect(idsOf(await admin("groups list --prefix Team"))).toEqual(["Team"]);
    expect(idsOf(await admin("groups list --search eam"))).toEqual(["Team"]);
    expect(await admin("groups members add --id Team --user vera")).toBe("User successfully added\n");
    expect(await admin("groups members add --id Team")).toBe("User successfully added\n");
    expect(await admin("groups members list --id Team")).toBe("admin\nvera\n\n");
    expect(idsOf(await admin("users groups list --id vera"))).toEqual(["Team", "Viewers"]);
    expect(await admin("groups members remove --id Team")).toBe("User successfully removed\n");
    expect(await admin("groups members list --id Team")).toBe("vera\n\n");
    expect(await admin("groups acl set --id Team --permission Read")).toBe("");
    expect(await admin("groups acl get --id Team")).toBe("Group Team:Read\n");
    expect(await admin("groups delete --id Team")).toBe("Group deleted successfully\n");
    expect(await as(ADMIN, "groups delete --id Team")).toMatchObject({
      code: 1,
      stderr: "group not found\n404 Not Found\n",
    });
  });

  it("leaves out remarks of statements with --lenient-members, warns of each, and refuses what may restrict", async () => {
    const [allow] = JSON.parse(DOCUMENT).statement;
    const written = (more: object) => JSON.stringify({ statement: [allow, { ...allow, ...more }] });
    const remark = written({ comment: "for the office", ticket: "T-1" });
    for (const command of ["create", "update"]) {
      const line = `policies ${command} --id Remarked --statement-document -`;
      expect(await as(ADMIN, line, remark)).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringContaining("statement[1].comment: is no member of a statement"),
      });
      expect(await as(ADMIN, `${line} --lenient-members`, remark)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("successfully"),
        stderr: ["comment", "ticket"]
          .map(
            (name) =>
              `warning: statement[1].${name} is no member of a statement and is left out; the next version refuses it\n`,
          )
          .join(""),
      });
      for (const name of ["Conditoin", "notAction", "expires", "Principal"]) {
        const restricted = await as(ADMIN, `${line} --lenient-members`, written({ [name]: ["x"] }));
        expect(restricted, name).toMatchObject({ code: 1, stdout: "" });
        expect(restricted.stderr).toContain(`statement[1].${name}: is no member of a statement`);
        expect(restricted.stderr).not.toContain("warning");
      }
    }
    const stored = JSON.parse(await admin("policies show --id Remarked --json"));
    expect(stored.statement).toEqual([allow, allow]);
    await admin("policies delete --id Remarked");
  });

  it("manages policies and what they are attached to, and sees the difference it makes", async () => {
    await admin("groups create --id Team");
    await admin("users create --id bob");
    const can = `can --user bob --action fs:ReadObject --resource ${OBJECT}`;
    expect(await as(ADMIN, can)).toMatchObject({
      code: 3,
      stdout: expect.stringContaining("Refused: bob may not"),
    });
    const created = await admin("policies create --id Data --statement-document -", DOCUMENT);
    expect(created).toMatch(/^Policy created successfully\.\n\nID: Data\n/);
    expect(`Policy created successfully.\n${await admin("policies show --id Data")}`).toBe(created);
    expect(idsOf(await admin("policies list --prefix Data"))).toEqual(["Data"]);
    expect(await admin("users policies attach --id bob --policy Data")).toBe(
      "Policy attached successfully\n",
    );
    expect(await admin(can)).toBe(`Allowed: bob may fs:ReadObject on ${OBJECT}\n`);
    const row = /^Data\t.+\t0\tarn:svc:fs:::repository\/data\/object\/\*\tallow\tfs:ReadObject\n\n$/;
    expect(await admin("users policies list --id bob")).toMatch(row);
    expect(await admin("users policies detach --id bob --policy Data")).toBe(
      "Policy detached successfully\n",
    );
    expect(await admin("users policies list --id bob")).toBe("\n");
    expect(await admin("groups policies attach --id Team --policy Data")).toBe(
      "Policy attached successfully\n",
    );
    await admin("groups members add --id Team --user bob");
    expect(await admin("groups policies list --id Team")).toMatch(row);
    expect(await admin("users policies list --id bob --effective")).toMatch(row);
    expect(await admin(`${can} --explain`)).toContain("through the group Team");
    expect(await admin("groups policies detach --id Team --policy Data")).toBe(
      "Policy detached successfully\n",
    );
    expect(await as(ADMIN, `${can} --explain`)).toMatchObject({ code: 3 });
    expect(await admin("policies delete --id Data")).toBe("Policy deleted successfully\n");
    expect(await as(ADMIN, "policies show --id Data")).toMatchObject({
      code: 1,
      stderr: "policy not found\n404 Not Found\n",
    });
  });

  it("names the statement that decided, and what its condition wanted and had", async () => {
    await admin("users create --id bob");
    const statement = {
      sid: "FromTheOffice",
      effect: "allow",
      action: ["fs:ReadObject"],
      resource: "*",
      condition: { IpAddress: { SourceIp: ["10.20.0.0/16"] } },
    };
    const document = JSON.stringify({ statement: [statement] });
    expect((await as(ADMIN, "policies create --id Office --statement-document -", document)).code).toBe(0);
    expect(await admin("policies show --id Office")).toContain('"sid": "FromTheOffice"');
    await admin("users policies attach --id bob --policy Office");
    const can = `can --user bob --action fs:ReadObject --resource ${OBJECT} --explain --context SourceIp=`;
    expect(await admin(`${can}10.20.0.1`)).toContain("policy Office, statement 0 (FromTheOffice)");
    expect((await as(ADMIN, `${can}10.21.0.1`)).stdout).toContain(
      "policy Office, statement 0 (FromTheOffice): the condition is not satisfied\n" +
        "   └─ unsatisfied IpAddress SourceIp: wanted 10.20.0.0/16, given 10.21.0.1",
    );
  });

  it("accepts the policy that it printed", async () => {
    const list = '["arn:svc:fs:::repository/a/object/*","arn:svc:fs:::repository/b/object/*"]';
    await admin(
      "policies create --id A --statement-document -",
      DOCUMENT.replace(/"arn[^"]*"/, JSON.stringify(list)),
    );
    const shown = (await admin("policies show --id A")).replace(/^[\s\S]*Statements:/, "");
    expect(JSON.parse(shown).statement[0].resource).toEqual(JSON.parse(list));
    await admin("policies create --id B --statement-document -", shown);
    expect((await admin("policies show --id B")).replace(/^[\s\S]*Statements:/, "")).toBe(shown);
  });

  it("stores the findings of lint that a document accepts, and refuses what is none", async () => {
    const write = (name: string, accept: unknown, verb = "create") =>
      as(
        ADMIN,
        `policies ${verb} --id ${name} --statement-document -`,
        DOCUMENT.replace("{", `{${JSON.stringify(name)}: 1, "Accept": ${JSON.stringify(accept)},`),
      );
    const accept = [{ rule: "forged-address", reason: "A proxy replaces <it>." }];
    expect((await write("C", accept)).code).toBe(0);
    const shown = (await admin("policies show --id C")).replace(/^[\s\S]*Statements:/, "");
    expect(JSON.parse(shown).accept).toEqual(accept);
    expect((await as(ADMIN, "policies create --id D --statement-document -", shown)).code).toBe(0);
    expect((await admin("policies show --id D")).replace(/^[\s\S]*Statements:/, "")).toBe(shown);
    expect((await write("C", null, "update")).code).toBe(0);
    expect(await admin("policies show --id C")).not.toContain("accept");
    for (const wrong of [{ rule: "x" }, "forged-address", [{ rule: "X Y", reason: "y" }], [{ rule: "x" }]]) {
      const { code, stderr } = await write("E", wrong);
      expect([code, stderr]).toEqual([1, expect.stringContaining("/accept")]);
    }
    expect((await as(ADMIN, "policies show --id E")).code).toBe(1);
  });

  it("warns of an access key that expires soon, and refuses a term that is none", async () => {
    await admin("users create --id Term");
    const created = await admin("users credentials create --id Term --expires-in 24h");
    const [, key = ""] = /^Access Key ID: {5}(\S+)$/m.exec(created) ?? [];
    expect(created).toMatch(/^Expires: {11}\d{4}-/m);
    const listed = await as(ADMIN, "users credentials list --id Term");
    expect(listed.stderr).toMatch(new RegExp(`^warning: access key ${key} expires on \\d{4}-`));
    await admin("users credentials create --id Term --expires-in 8760h");
    expect((await as(ADMIN, "users credentials list --id Term")).stderr.match(/warning/g)).toHaveLength(1);
    for (const term of ["0s", "-1h", "soon"])
      expect((await as(ADMIN, `users credentials create --id Term --expires-in ${term}`)).code).toBe(1);
  });

  it("manages access keys, one's own without naming oneself", async () => {
    const created = await admin("users credentials create");
    const [, key = "", secret = ""] =
      /^Access Key ID: {5}(\S+)\nSecret Access Key: (\S+)\n/m.exec(created) ?? [];
    expect(idsOf(await as([key, secret], "users credentials list").then(({ stdout }) => stdout))).toEqual(
      [ADMIN[0], key].sort(),
    );
    expect(await admin(`users credentials delete --access-key-id ${key}`)).toBe(
      "Credentials deleted successfully\n",
    );
    expect(await as([key, secret], "users list")).toMatchObject({
      code: 1,
      stderr: "error authenticating request\n401 Unauthorized\n",
    });
    expect(await as(ADMIN, `users credentials delete --access-key-id ${key}`)).toMatchObject({
      code: 1,
      stderr: "credentials not found\n404 Not Found\n",
    });
  });

  it("manages roles", async () => {
    const role = "arn:aws:sts::123456789012:assumed-role/readers";
    expect(await admin(`users aws-iam attach --principal-id ${role}`)).toBe(
      "IAM role attached successfully\n",
    );
    expect(await admin("users aws-iam list")).toBe(`${role}\tadmin\n\n`);
    expect(await admin(`users aws-iam lookup --principal-id ${role}`)).toBe(
      `Principal ID: ${role}\nUser ID: admin\n`,
    );
    expect(await admin(`users aws-iam detach --principal-id ${role}`)).toBe(
      "IAM role detached successfully\n",
    );
    expect((await as(ADMIN, `users aws-iam lookup --principal-id ${role}`)).code).toBe(1);
  });

  it("lets people do what they may and nothing else", async () => {
    expect(await as(VIEWER, "users list")).toEqual({
      code: 1,
      stdout: "",
      stderr: "insufficient permissions: not allowed to auth:ListUsers\n401 Unauthorized\n",
    });
    expect((await as(VIEWER, "users credentials list")).stdout).toContain(VIEWER[0]);
    expect((await as(VIEWER, "users credentials list --id admin")).code).toBe(1);
    expect((await as(VIEWER, `can --action fs:ReadObject --resource ${OBJECT}`)).code).toBe(0);
    expect((await as(VIEWER, `can --action fs:WriteObject --resource ${OBJECT}`)).code).toBe(3);
    expect((await as(VIEWER, `can --user admin --action fs:ReadObject --resource ${OBJECT}`)).code).toBe(1);
  });

  it("passes on what is wrong with a request", async () => {
    const bad = await as(ADMIN, "policies create --id Bad --statement-document -", '{"statement":[]}');
    expect(bad).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(/\n400 Bad Request\n$/) });
    expect((await as(ADMIN, "users list --amount 1001")).stderr).toMatch(/\n400 Bad Request\n$/);
    expect((await as(ADMIN, "groups acl set --id Viewers --permission Anything")).stderr).toMatch(
      /\n400 Bad Request\n$/,
    );
  });
});

describe("a first look", () => {
  it("config, doctor and --version work together", async () => {
    const file = join(temporaryFolder(), "svcctl.yaml");
    await svcctl(["config", "-c", file], { stdin: `${ADMIN[0]}\n${ADMIN[1]}\n${authorizer.userUrl}\n` });
    expect(await svcctl(["doctor", "-c", file])).toEqual({
      code: 0,
      stdout: "Valid configuration\n",
      stderr: "",
    });
    expect((await svcctl(["-v", "-c", file])).stdout).toMatch(
      /^svcctl version: (\S+)\nserver version: \1\n$/,
    );
    writeFileSync(
      file,
      `credentials: {access_key_id: ${ADMIN[0]}, secret_access_key: wrong}\nserver: {endpoint_url: "${authorizer.userUrl}"}\n`,
    );
    expect((await svcctl(["doctor", "-c", file])).stdout).toMatch(/^It seems like the `access_key_id` or/);
  });
});

describe("a command about data, which this service does not have", () => {
  it.each([
    ["repo", "list"],
    ["branch", "list", "svc://sales"],
    ["tag", "list", "svc://sales"],
    ["log", "svc://sales/main"],
    ["fs", "ls", "svc://sales/main/"],
    ["fs", "stat", "svc://sales/main/a.csv"],
  ])("says where it has to go: %s %s", async (...line) => {
    const [key, secret] = ADMIN;
    const { code, stderr } = await svcctl(line, {
      env: {
        SVCCTL_SERVER_ENDPOINT_URL: authorizer.userUrl,
        SVCCTL_CREDENTIALS_ACCESS_KEY_ID: key,
        SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: secret,
      },
      errorTerminal: true,
    });
    expect(code).toBe(1);
    expect(stderr).toContain("svc-authorizer has nothing at this path: it knows users, groups, policies");
    expect(stderr).toMatch(
      /\nHint: http:\S+ is svc-authorizer, not a data server: name the data server by SVCCTL/,
    );
  });
});

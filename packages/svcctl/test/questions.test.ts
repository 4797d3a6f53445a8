/** Questions about access, `doctor` and `auth … show`, against the real service. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { type Finished, svcctl } from "./run-svcctl.ts";

const KEYS = {
  admin: ["AKIAJADMINEXAMPLEADQ", "admin-secret-only-for-this-test-0123456789"],
  ana: ["AKIAJANAAAEXAMPLEADQ", "ana-secret-only-for-this-test-012345678901"],
  nobody: ["AKIAJNOBODYXAMPLEADQ", "nobody-secret-only-for-this-test-012345678"],
} as const;
const SALES = "arn:svc:fs:::repository/sales/object/a.csv";

const log = mkdtempSync(join(tmpdir(), "questions-"));
let authorizer: TestAuthorizer;
beforeAll(async () => {
  const credentials = (who: keyof typeof KEYS) => {
    const [access_key_id, secret_access_key] = KEYS[who];
    return [{ access_key_id, secret_access_key }];
  };
  authorizer = await startAuthorizer({
    config: {
      "authorizer.audit.output": devNull,
      "authorizer.decision_log.include": "all",
      "authorizer.decision_log.directory": log,
    },
    dataset: {
      format: 1,
      preconfigured: true,
      policies: [
        {
          name: "ReadSales",
          statement: [
            {
              sid: "Sales",
              effect: "allow",
              action: ["fs:ReadObject"],
              resource: "arn:svc:fs:::repository/sales/*",
            },
            {
              effect: "allow",
              action: ["fs:ReadObject"],
              resource: "arn:svc:fs:::repository/office/*",
              condition: { IpAddress: { SourceIp: ["10.0.0.0/8"] } },
            },
          ],
        },
      ],
      groups: [{ name: "Analysts", policies: ["ReadSales"] }],
      users: [
        { username: "admin", groups: ["Admins"], credentials: credentials("admin") },
        { username: "ana", groups: ["Analysts"], policies: ["ReadSales"], credentials: credentials("ana") },
        { username: "nobody", credentials: credentials("nobody") },
      ],
    },
  });
});
afterAll(async () => {
  await authorizer?.close();
  rmSync(log, { recursive: true, force: true });
});

function as(who: keyof typeof KEYS, args: readonly string[], cwd?: string): Promise<Finished> {
  const [key, secret] = KEYS[who];
  return svcctl(args, {
    ...(cwd !== undefined && { cwd }),
    env: {
      SVCCTL_SERVER_ENDPOINT_URL: authorizer.userUrl,
      SVCCTL_CREDENTIALS_ACCESS_KEY_ID: key,
      SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: secret,
    },
  });
}

async function done(who: keyof typeof KEYS, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await as(who, args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

const READ = ["--action", "fs:ReadObject", "--resource", SALES] as const;

describe("svcctl auth who-can", () => {
  it("lists users with the statement that allows it", async () => {
    expect(await done("admin", "auth", "who-can", ...READ)).toBe(
      "admin\tFSFullAccess\t0\t\tgroup Admins\nana\tReadSales\t0\tSales\tuser, group Analysts\n\n",
    );
  });

  it("goes from page to page, and prints data", async () => {
    const first = await as("admin", ["auth", "who-can", ...READ, "--amount", "1", "-o", "json"]);
    expect(JSON.parse(first.stdout)).toEqual([
      { user: "admin", policy: "FSFullAccess", statement: 0, via: ["group Admins"] },
    ]);
    const [, after = ""] = /--after "([^"]+)"/.exec(first.stderr) ?? [];
    const rows = await as("admin", ["auth", "who-can", ...READ, "--amount", "1"]);
    expect(rows.stderr).toMatch(/^more results: run with --amount 1 --after "[^"]+", or with --all\n$/);
    const second = await done("admin", "auth", "who-can", ...READ, "--amount", "1", "--after", after);
    expect(second).toMatch(/^ana\t/);
    const csv = await done("admin", "auth", "who-can", ...READ, "--all", "-o", "csv");
    expect(csv.split("\r\n").map((line) => line.split(",")[0])).toEqual(["user", "admin", "ana", ""]);
  });

  it("is refused without the right to read users", async () => {
    const { code, stderr } = await as("nobody", ["auth", "who-can", ...READ]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("auth:ReadUser")]);
  });
});

describe("svcctl auth what-can", () => {
  it("lists actions, of the current user or another one", async () => {
    expect(await done("ana", "auth", "what-can", "--resource", SALES)).toBe("fs:ReadObject\n\n");
    expect(await done("admin", "auth", "what-can", "--user", "nobody", "--resource", SALES)).toBe("\n");
    const all = await done("admin", "auth", "what-can", "--resource", SALES, "--all", "-o", "yaml");
    expect(all).toContain("- action: fs:WriteObject\n");
    const { stderr } = await as("admin", ["auth", "what-can", "--user", "ghost", "--resource", SALES]);
    expect(stderr).toContain("there is no such user");
  });
});

describe("svcctl auth plan", () => {
  it("shows patterns, with what is left of conditions", async () => {
    const plan = await done("ana", "auth", "plan", "--action", "fs:ReadObject");
    expect(plan).toMatch(
      /^ana may fs:ReadObject on these resources:\n {2}allow arn:svc:fs:::repository\/sales\/\*\n/,
    );
    expect(plan).toMatch(
      / {2}allow arn:svc:fs:::repository\/office\/\* if \{"IpAddress":\{"SourceIp":\["10\.0\.0\.0\/8"\]\}\} holds\n$/,
    );
    const near = ["auth", "plan", "--action", "fs:ReadObject", "--context", "SourceIp=10.1.2.3"];
    expect(await done("ana", ...near, "-o", "csv")).toBe(
      "effect,resource,condition\r\nallow,arn:svc:fs:::repository/sales/*,\r\nallow,arn:svc:fs:::repository/office/*,\r\n",
    );
    expect(await done("nobody", "auth", "plan", "--action", "fs:ReadObject")).toBe(
      "nobody may fs:ReadObject on no resource\n",
    );
    expect(JSON.parse(await done("admin", "auth", "plan", "--action", "fs:ReadObject", "--json")).kind).toBe(
      "always",
    );
  });
});

describe("svcctl auth simulate", () => {
  it("decides from other policies, with the exit codes of can", async () => {
    const cwd = temporaryFolder();
    const statement = [{ effect: "deny", action: ["fs:*"], resource: "*" }];
    writeFileSync(join(cwd, "ReadSales.json"), JSON.stringify({ statement }));
    writeFileSync(
      join(cwd, "more.yaml"),
      "format: 1\npolicies:\n  - name: Writes\n    statement:\n      - {effect: allow, action: [fs:WriteObject], resource: '*'}\n",
    );
    const simulate = (...args: string[]) =>
      as("admin", ["auth", "simulate", "--user", "ana", ...READ, ...args], cwd);
    const replaced = await simulate("--replace", "ReadSales.json", "--explain");
    expect([replaced.code, replaced.stderr]).toEqual([3, ""]);
    expect(replaced.stdout).toMatch(
      /^Refused: ana may not fs:ReadObject[\s\S]*policy ReadSales, statement 0/,
    );
    expect((await simulate("--remove", "ReadSales")).code).toBe(3);
    expect((await simulate("--replace", "more.yaml")).code).toBe(0);
    expect((await simulate("--policies", "more.yaml")).code).toBe(3);
    const refused = await simulate("--policies", "more.yaml", "--remove", "ReadSales");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("either --policies, or")]);
    expect((await simulate()).code).toBe(1);
  });
});

describe("a mistyped action", () => {
  it.each([
    [
      ["can", "--resource", SALES],
      "fs:ReadObjcet",
      "there is no action fs:ReadObjcet (did you mean fs:ReadObject?)",
    ],
    [["who-can", "--resource", SALES], "ReadObject", "(did you mean fs:ReadObject?)"],
    [["can", "--resource", "sales/x.csv"], "fs:ReadObject", `sales/x.csv is no ARN (did you mean `],
    [["plan"], "fs:Nothing", "there is no action fs:Nothing"],
    [["who-can", "--resource", SALES], "auth:CreateUsers", "(did you mean auth:CreateUser?)"],
    [["plan"], "invoice:Read", "no service invoice is known"],
    [["plan"], "fs:ReadObject", undefined],
    [["plan", "--type", "object"], "read", undefined],
    [["plan", "--type", "object"], "fs:ReadObject", undefined],
    [
      ["plan", "--type", "object"],
      "raed",
      "the resource type object has no action raed (did you mean read?)",
    ],
    [["plan", "--type", "object"], "fs:ReadObjcet", "(did you mean fs:ReadObject?)"],
    [["plan", "--type", "object"], "fs:CreateTag", "fs:CreateTag is not asked about resources of the type"],
    [["plan", "--type", "objct"], "read", "there is no resource type objct (did you mean object?)"],
  ])(
    "%j --action %s is named, with the one that was meant: %s",
    async ([name = "", ...args], action, warning) => {
      const { stderr } = await as("admin", ["auth", name, "--action", action, ...args]);
      if (warning === undefined) expect(stderr).not.toContain("warning");
      else expect(stderr).toMatch(/^warning: /);
      expect(stderr).toContain(warning ?? "");
    },
  );
});

describe("a list of records that has none", () => {
  it.each([
    [["--action", "fs:ListObjcets"], "(did you mean fs:ListObjects?)"],
    [["--resource", "sales/y.csv"], "sales/y.csv is no ARN"],
    [["--action", "fs:Never*"], undefined],
    [["--subject", "nobody-of-this-name"], undefined],
  ])("%j warns of what nobody records: %s", async (args, warning) => {
    const { code, stdout, stderr } = await as("admin", ["decisions", "list", "-o", "csv", ...args]);
    expect([code, stdout.trim().split("\r\n").length]).toEqual([0, 1]);
    if (warning === undefined) expect(stderr).toBe("");
    else expect(stderr).toContain(warning);
  });
});

describe("svcctl doctor", () => {
  it("looks at rights, and names a user who has none", async () => {
    expect(await done("admin", "doctor")).toBe("Valid configuration\n");
    expect(await done("nobody", "doctor")).toMatch(
      /^Valid configuration\nThe key works, but its user has no right to read or write anything/,
    );
    expect(await done("ana", "doctor", "--verbose")).toMatch(/\nmay fs:ReadObject\nmay not fs:WriteObject\n/);
    expect(JSON.parse(await done("admin", "doctor", "--json")).rights).toMatchObject({
      "auth:CreateUser": true,
    });
  });
});

describe("svcctl auth users credentials show", () => {
  it("shows an access key without its secret", async () => {
    const [key, secret] = KEYS.ana;
    const shown = await done(
      "admin",
      "auth",
      "users",
      "credentials",
      "show",
      "--id",
      "ana",
      "--access-key-id",
      key,
    );
    expect(shown).toMatch(new RegExp(`^Access Key ID: ${key}\nIssued Date: \\d{4}-`));
    expect(shown).not.toContain(secret);
  });
});

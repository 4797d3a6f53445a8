/** Files of others, such as those of a pull request, do not steer the terminal or the log in which a command checks them. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { svcctl } from "../../packages/svcctl/test/run-svcctl.ts";
import { sized } from "../proofs/size.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { authorizer } from "./authorizer/run-authorizer.ts";

/** Clears a screen, turns the direction of writing, rings. */
const STEERING = "\u001b[2J\u202ex\u0007";
const SECRET = "a-secret-that-only-this-test-knows-0123456789";
const ALICE = ["--user", "alice", "--action", "fs:ReadObject", "--resource", "arn:svc:fs:::repository/x"];

const SET = {
  format: 1,
  services: ["shop"],
  resource_types: { invoice: "arn:svc:shop:::invoice/{id}" },
  users: [
    {
      username: "alice",
      friendly_name: "Alice",
      email: "alice@example.com",
      properties: { team: "red" },
      groups: ["Readers"],
      policies: ["Own"],
      credentials: [{ access_key_id: "AKIAJEXAMPLEEXAMPLEQ", secret_access_key_env: "SECRET_OF_ALICE" }],
    },
  ],
  groups: [{ name: "Readers", description: "They read.", policies: ["Read"] }],
  policies: [
    {
      name: "Read",
      description: "Reads.",
      accept: [{ rule: "self-escalation", reason: "They are few." }],
      statement: [
        {
          sid: "Office",
          effect: "allow",
          action: ["fs:Read*", "auth:*"],
          resource: "*",
          condition: { StringLike: { "subject.team": ["r*"] }, IpAddress: { SourceIp: ["10.0.0.0/8"] } },
        },
      ],
    },
    {
      name: "Own",
      statement: [{ effect: "deny", action: ["fs:WriteObject"], resource: "arn:svc:fs:::repository/x" }],
    },
  ],
  resources: [{ type: "invoice", id: "1", properties: { level: "secret" } }],
};
const [READ, OWN] = SET.policies;
const BEFORE = {
  ...SET,
  policies: [
    {
      ...READ,
      statement: [{ effect: "allow", action: ["fs:Read*"], resource: "arn:svc:fs:::repository/a*" }],
    },
    OWN,
  ],
};
const CASES = {
  policies: "policies",
  cases: [
    {
      name: "reads",
      user: "alice",
      action: "fs:ReadObject",
      resource: "arn:svc:fs:::repository/x/object/o",
      context: { SourceIp: "10.0.0.1" },
      expect: "allow",
    },
  ],
};
const CONFIG = {
  database: { type: "mem" },
  auth: { api: { token: SECRET }, oidc: { kind: "x" } },
  authorizer: { tokens: [{ name: "one", scopes: ["read"] }], datasets: ["none.json"] },
  gateways: { s3: { domain_name: ["s3.example.com"] } },
};

/** The value with the steering signs in each of its texts in turn, and in each of its names. */
function* hostile(value: unknown): Generator<{ readonly at: string; readonly value: unknown }> {
  if (typeof value !== "object" || value === null) {
    yield { at: "", value: typeof value === "string" ? value + STEERING : STEERING };
    return;
  }
  for (const [key, one] of Object.entries(value)) {
    for (const { at, value: other } of hostile(one)) {
      const changed = Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
      yield { at: `/${key}${at}`, value: changed };
    }
    if (Array.isArray(value)) continue;
    const renamed = Object.entries(value).map(([name, it]) => [name === key ? name + STEERING : name, it]);
    yield { at: `/${key} (its name)`, value: Object.fromEntries(renamed) };
  }
}

/** One of some places, all of them where it is proven whole. */
function some(value: unknown) {
  return [...hostile(value)].filter((_, index) => index % sized(4, 1) === 0);
}

/** Standard output and standard error have none of the signs that lines do not need. */
function expectHarmless(what: string, printed: { readonly stdout: string; readonly stderr: string }): void {
  const lines = (printed.stdout + printed.stderr).split("\n").join("");
  expect.soft(lines, what).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/v);
  expect.soft(lines, what).not.toContain("internal error");
}

it("policies and data sets", async () => {
  const store = join(temporaryFolder(), "store");
  const config = [
    `--database.local.path=${store}`,
    ...["--auth.encrypt.secret_key", "--auth.api.token"].map((item) => `${item}=${SECRET}`),
  ];
  for (const { at, value } of some(SET)) {
    const cwd = temporaryFolder();
    const files = { "before.json": BEFORE, "after.json": value, "after.yaml": value };
    for (const [file, set] of Object.entries(files)) writeFileSync(join(cwd, file), JSON.stringify(set));
    for (const line of [
      ["lint", "after.json"],
      ["lint", "after.yaml"],
      ["diff", "before.json", "after.json"],
      ["diff", "after.json", "before.json"],
      ["explain", "--policies", "after.json", ...ALICE],
      ["fmt", "after.json", "--check"],
    ])
      expectHarmless(`policy ${line.join(" ")}: ${at}`, await svcctl(["policy", ...line], { cwd }));
    for (const command of ["load", "sync"]) {
      const printed = await authorizer(command, join(cwd, "after.json"), "--dry-run", ...config);
      expectHarmless(`${command}: ${at}`, printed);
    }
  }
});

it("policy tests", async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "policies"));
  writeFileSync(join(cwd, "policies", "set.json"), JSON.stringify(SET));
  for (const { at, value } of some(CASES)) {
    writeFileSync(join(cwd, "one.test.json"), JSON.stringify(value));
    expectHarmless(at, await svcctl(["policy", "test", "."], { cwd }));
  }
});

it("configurations", async () => {
  const file = join(temporaryFolder(), "config.yaml");
  for (const { at, value } of some(CONFIG)) {
    writeFileSync(file, JSON.stringify(value));
    for (const command of ["validate", "show"])
      expectHarmless(`config ${command}: ${at}`, await authorizer("config", command, "--config", file));
    expectHarmless(`export: ${at}`, await authorizer("export", "--config", file));
  }
});

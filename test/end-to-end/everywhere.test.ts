/** One decision, wherever it is made: questions about registered properties through every entrance. */
import { randomBytes } from "node:crypto";
import { globSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EmbeddedAuthorizer } from "@svc-authorizer/client/embedded/embedded-authorizer.ts";
import { planToSql } from "@svc-authorizer/client/sql/plan-to-sql.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { svcctl } from "../../packages/svcctl/test/run-svcctl.ts";
import { ENTRANCES } from "../../src/decisions/entrances.ts";
import { EnvoyClient } from "../api/ext-authz/envoy-client.ts";
import { ask as askProxy, told } from "../api/forward-auth/ask.ts";
import { PROXY_TOKEN } from "../gateways/start-behind-proxy.ts";
import { type CorpusRow, DECIDERS, OTHER_ENTRANCES } from "./deciders.ts";

interface Question {
  readonly user: string;
  readonly key: string;
  readonly effect: string;
}

const { dataset: written, questions } = JSON.parse(
  readFileSync(new URL("../../fixtures/decisions/everywhere.json", import.meta.url), "utf8"),
) as {
  dataset: {
    users: { username: string }[];
    policies: object[];
    resources: { id: string; properties: { classification: string; released?: string } }[];
  };
  questions: Question[];
};
const secret = randomBytes(30).toString("base64");
const keyOf = (user: string) => `AKIAJ${user.toUpperCase().repeat(5).slice(0, 14)}Q`;
const dataset = {
  ...written,
  users: written.users.map((user) => ({
    ...user,
    credentials: [{ access_key_id: keyOf(user.username), secret_access_key: secret }],
  })),
};
const ROOT = join(import.meta.dirname, "..", "..");
const ENGINE = "packages/policy/src/engine/";
/** An import of values from the modules that decide and explain. */
const ASKS_ENGINE = /import \{[^}]*\} from "[^"]*engine\/(?:decide|explain)\//;
const ACTION = "fs:ReadObject";
const REPOSITORY = "sales";
const arnOf = ({ key }: Question) => `arn:svc:fs:::repository/${REPOSITORY}/object/${key}`;
const { policies } = dataset;

let authorizer: TestAuthorizer;
let envoy: EnvoyClient;
let following: EmbeddedAuthorizer;
let folder: string;
beforeAll(async () => {
  const config = {
    "authorizer.forward_auth.proxy": "nginx",
    "authorizer.forward_auth.proxy_token": PROXY_TOKEN,
    "authorizer.ext_authz.listen_address": "127.0.0.1:0",
  };
  authorizer = await startAuthorizer({ dataset: dataset as never, config });
  envoy = new EnvoyClient(authorizer.extAuthz as string);
  following = await EmbeddedAuthorizer.follow({ url: authorizer.url, token: authorizer.token });
  folder = mkdtempSync(join(tmpdir(), "everywhere-"));
  writeFileSync(join(folder, "data.json"), JSON.stringify(written));
});
afterAll(async () => {
  following?.close();
  envoy?.close();
  await authorizer?.close();
});

async function ask(path: string, body: object): Promise<never> {
  const response = await fetch(`${authorizer.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${authorizer.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const json = await response.json();
  expect([path, response.status, response.status === 200 ? undefined : json]).toEqual([path, 200, undefined]);
  return json as never;
}

const entities = ({ user, key }: Question) => ({
  subject: { type: "user", id: user },
  action: { name: "read" },
  resource: { type: "object", id: `${REPOSITORY}/${key}` },
});
const required = (question: Question) => ({ action: ACTION, resource: arnOf(question) });
const pathOf = ({ key }: Question) =>
  `/api/v1/repositories/${REPOSITORY}/refs/main/objects?path=${encodeURIComponent(key)}`;
const basic = (user: string): string => `Basic ${Buffer.from(`${keyOf(user)}:${secret}`).toString("base64")}`;

/** The answer of each entrance: an effect, or whether it allows. An entrance without a row fails the test. */
const ASKED: Readonly<Record<CorpusRow, (question: Question) => Promise<string | boolean>>> = {
  evaluation: async (one) => (await ask("/access/v1/evaluation", entities(one)))["decision"],
  evaluations: async (one) => {
    const { evaluations } = await ask("/access/v1/evaluations", { evaluations: [entities(one)] });
    return (evaluations as { decision: boolean }[])[0]?.decision ?? "none";
  },
  check: async (one) =>
    (await ask("/access/v1/check", { user: one.user, required: required(one) }))["effect"],
  filter: async (one) => {
    const body = { user: one.user, action: ACTION, resources: [arnOf(one)] };
    return ((await ask("/access/v1/filter", body))["allowed"] as number[]).length === 1;
  },
  simulate: async (one) => {
    const body = { user: one.user, policies, required: required(one) };
    return (await ask("/access/v1/simulate", body))["effect"];
  },
  request: async ({ user, key }) => {
    const path = `/api/v1/repositories/${REPOSITORY}/refs/main/objects`;
    return (
      await ask("/access/v1/request", { user, method: "GET", path, query: { path: key }, api: "main" })
    )["effect"];
  },
  forward_auth: async (one) => {
    const sent = [...told(pathOf(one)), ["Authorization", basic(one.user)] as const];
    return (await askProxy(authorizer.url, "/forward-auth", sent)).status === 200;
  },
  search: async (one) => {
    const { subject: _, ...rest } = entities(one);
    const { results } = await ask("/access/v1/search/subject", { ...rest, subject: { type: "user" } });
    return (results as { id: string }[]).some(({ id }) => id === one.user);
  },
  plan: async (one) => {
    const plan = await ask("/access/v1/plan", { user: one.user, action: ACTION });
    const { kind, allow, conditional } = plan as unknown as {
      kind: string;
      allow: string[];
      conditional: { effect: string }[];
    };
    if (kind === "never") return "refused";
    // The plan leaves open the class of the resource; what it says of it, SQL of it shows.
    expect([allow.length, conditional.map(({ effect }) => effect)]).toEqual([1, ["deny"]]);
    return selected(plan).includes(one.key);
  },
  who_can: async (one) => {
    const { results } = await ask("/access/v1/who-can", required(one));
    return (results as { user: string }[]).some(({ user }) => user === one.user);
  },
  what_can: async (one) => {
    const { results } = await ask("/access/v1/what-can", { user: one.user, resource: arnOf(one) });
    return (results as string[]).includes(ACTION);
  },
  management: async (one) => {
    const response = await fetch(`${authorizer.userUrl}/api/v1/auth/check`, {
      method: "POST",
      headers: { authorization: basic(one.user), "content-type": "application/json" },
      body: JSON.stringify({ user: one.user, required: required(one) }),
    });
    return ((await response.json()) as { effect: string }).effect;
  },
  "embedded point that follows": async ({ user, ...rest }) =>
    following.check({ user, required: required({ user, ...rest }) }).effect,
  "embedded point from a data set": async (one) => {
    const point = EmbeddedAuthorizer.fromDataset(written as never);
    return point.check({ user: one.user, required: required(one) }).effect;
  },
  "SQL of a plan": async (one) => {
    const plan = await ask("/access/v1/plan", { user: one.user, action: ACTION });
    return selected(plan).includes(one.key);
  },
  "Envoy over gRPC": async (one) => {
    const headers = [["authorization", basic(one.user)] as const];
    const asked = { path: pathOf(one), headers };
    const { status } = await envoy.check(asked, { authorization: `Bearer ${authorizer.token}` });
    return status.code === 0;
  },
  "svcctl policy explain": async (one) => {
    const args = ["--policies", "data.json", "--user", one.user, "--action", ACTION];
    const { stdout } = await svcctl(["policy", "explain", ...args, "--resource", arnOf(one), "--json"], {
      cwd: folder,
    });
    return JSON.parse(stdout).effect;
  },
  "svcctl policy test": async (one) => {
    const { user, effect } = one;
    const test = { name: "it", user, ...required(one), expect: effect };
    writeFileSync(join(folder, "one.test.json"), JSON.stringify({ files: ["data.json"], cases: [test] }));
    const { stdout } = await svcctl(["policy", "test", ".", "--json"], { cwd: folder });
    const [{ passed, failures }] = JSON.parse(stdout).suites[0].cases;
    return passed ? effect : JSON.stringify(failures);
  },
};

/** The keys of the objects that a database with their properties selects. */
function selected(plan: never): readonly unknown[] {
  const db = new DatabaseSync(":memory:");
  try {
    db.exec("CREATE TABLE objects (key TEXT, classification TEXT, released TEXT)");
    const insert = db.prepare("INSERT INTO objects VALUES (?, ?, ?)");
    const ofKey = new Map(
      written.resources.map(({ id, properties }) => [id.slice(REPOSITORY.length + 1), properties]),
    );
    for (const key of new Set(questions.map((one) => one.key))) {
      const { classification = null, released = null } = ofKey.get(key) ?? {};
      insert.run(key, classification, released);
    }
    const mapping = {
      resource: [`arn:svc:fs:::repository/${REPOSITORY}/object/`, { column: "key" }],
      fields: {
        "resource.classification": { column: "classification" },
        "resource.released": { column: "released" },
      },
    } as const;
    const { sql, params } = planToSql(plan, mapping, "sqlite");
    const rows = db.prepare(`SELECT key FROM objects WHERE ${sql}`).all(...(params as string[]));
    return rows.map(({ key }) => key);
  } finally {
    db.close();
  }
}

describe("one decision, wherever it is made", () => {
  it.each([...ENTRANCES, ...OTHER_ENTRANCES])("%s", async (entrance) => {
    for (const question of questions) {
      const answer = await ASKED[entrance](question);
      const allowed = question.effect === "allow";
      const same = answer === question.effect || answer === allowed || (answer === "refused" && !allowed);
      expect([question, answer, same]).toEqual([question, answer, true]);
    }
  });

  it("has every module that asks the engine, or the reason why not", () => {
    const asking = globSync(["src/**/*.ts", "packages/*/src/**/*.ts"], { cwd: ROOT }).filter((file) => {
      const text = readFileSync(join(ROOT, file), "utf8");
      return !file.startsWith(ENGINE) && ASKS_ENGINE.test(text);
    });
    expect(asking.toSorted()).toEqual(Object.keys(DECIDERS).toSorted());
    const rows = new Set(Object.values(DECIDERS).flatMap((one) => (typeof one === "string" ? [] : one)));
    expect([...ENTRANCES, ...OTHER_ENTRANCES].filter((one) => !rows.has(one))).toEqual([]);
  });

  it("offline tools say what the files do not tell them", async () => {
    writeFileSync(join(folder, "policies.json"), JSON.stringify(policies));
    const args = ["--policies", "policies.json", "--user", "ana", "--action", ACTION];
    const { stderr } = await svcctl(
      ["policy", "explain", ...args, "--resource", arnOf(questions[0] as Question)],
      { cwd: folder },
    );
    expect(stderr).toContain("the files do not say");
    expect(stderr).toContain("resource.classification");
    expect(stderr).toContain("subject.department");
  });
});

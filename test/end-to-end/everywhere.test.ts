/** One decision, wherever it is made: questions about registered properties through every entrance. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { svcctl } from "../../packages/svcctl/test/run-svcctl.ts";
import { ENTRANCES, type Entrance } from "../../src/decisions/entrances.ts";
import { ask as askProxy, told } from "../api/forward-auth/ask.ts";
import { PROXY_TOKEN } from "../gateways/start-behind-proxy.ts";

interface Question {
  readonly user: string;
  readonly key: string;
  readonly effect: string;
}

const { dataset: written, questions } = JSON.parse(
  readFileSync(new URL("../../fixtures/decisions/everywhere.json", import.meta.url), "utf8"),
) as { dataset: { users: { username: string }[]; policies: object[] }; questions: Question[] };
const secret = randomBytes(30).toString("base64");
const keyOf = (user: string) => `AKIAJ${user.toUpperCase().repeat(5).slice(0, 14)}Q`;
const dataset = {
  ...written,
  users: written.users.map((user) => ({
    ...user,
    credentials: [{ access_key_id: keyOf(user.username), secret_access_key: secret }],
  })),
};
const ACTION = "fs:ReadObject";
const REPOSITORY = "sales";
const arnOf = ({ key }: Question) => `arn:svc:fs:::repository/${REPOSITORY}/object/${key}`;
const { policies } = dataset;

let authorizer: TestAuthorizer;
let folder: string;
beforeAll(async () => {
  const config = {
    "authorizer.forward_auth.proxy": "nginx",
    "authorizer.forward_auth.proxy_token": PROXY_TOKEN,
  };
  authorizer = await startAuthorizer({ dataset: dataset as never, config });
  folder = mkdtempSync(join(tmpdir(), "everywhere-"));
  writeFileSync(join(folder, "data.json"), JSON.stringify(written));
});
afterAll(() => authorizer?.close());

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
const basic = (user: string): string => `Basic ${Buffer.from(`${keyOf(user)}:${secret}`).toString("base64")}`;

/** The answer of each entrance: an effect, or whether it allows. An entrance without a row fails the test. */
const ASKED: Readonly<Record<Entrance, (question: Question) => Promise<string | boolean>>> = {
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
  forward_auth: async ({ user, key }) => {
    const uri = `/api/v1/repositories/${REPOSITORY}/refs/main/objects?path=${encodeURIComponent(key)}`;
    const sent = [...told(uri), ["Authorization", basic(user)] as const];
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
      conditional: { effect: string; condition: unknown }[];
    };
    if (kind === "never") return "refused";
    // What the plan leaves open is the class of the resource, which the directory knows.
    expect([allow.length, conditional.map(({ effect }) => effect)]).toEqual([1, ["deny"]]);
    return one.key !== "reports/q1";
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
};

describe("one decision, wherever it is made", () => {
  it.each(ENTRANCES)("%s", async (entrance) => {
    for (const question of questions) {
      const answer = await ASKED[entrance](question);
      const allowed = question.effect === "allow";
      const same = answer === question.effect || answer === allowed || (answer === "refused" && !allowed);
      expect([question, answer, same]).toEqual([question, answer, true]);
    }
  });

  it("svcctl policy explain, offline", async () => {
    for (const question of questions) {
      const args = ["--policies", "data.json", "--user", question.user, "--action", ACTION];
      const { stdout } = await svcctl(
        ["policy", "explain", ...args, "--resource", arnOf(question), "--json"],
        {
          cwd: folder,
        },
      );
      expect([question, JSON.parse(stdout).effect]).toEqual([question, question.effect]);
    }
  });

  it("svcctl policy test, offline", async () => {
    const cases = questions.map((question, index) => ({
      name: `${index}`,
      user: question.user,
      ...required(question),
      expect: question.effect,
    }));
    writeFileSync(join(folder, "all.test.json"), JSON.stringify({ files: ["data.json"], cases }));
    const { code, stdout } = await svcctl(["policy", "test", "."], { cwd: folder });
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${questions.length} passed, 0 failed`)]);
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

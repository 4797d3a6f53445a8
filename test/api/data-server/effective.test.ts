import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, startApi } from "./api-kit.ts";

const NAMED: Statement = { sid: "All", effect: "allow", action: ["fs:ReadObject"], resource: "*" };
const ALLOW: Statement = { effect: "allow", action: ["fs:ReadObject"], resource: "*" };
const ON_TAG: Statement = { ...ALLOW, condition: { StringLike: { tag: ["a"] } } };
const ON_SOURCE: Statement = {
  ...ALLOW,
  condition: { NotIpAddress: { SourceIp: ["10.0.0.0/8", "::1/128"] } },
};
const DENY_ON_TAG: Statement = { ...ON_TAG, effect: "deny", action: ["fs:DeleteObject"] };

async function start(form: string): Promise<Api> {
  const api = await startApi({ "authorizer.effective_policies": form });
  const { users, groups, policies } = api.authorizer.directory;
  await users.create({ username: "alice" });
  await groups.create({ name: "team" });
  await groups.addMember("team", "alice");
  const all = {
    Both: [NAMED],
    OnTag: [ON_TAG],
    Mixed: [ON_TAG, ON_SOURCE, DENY_ON_TAG],
    Source: [ON_SOURCE],
  };
  for (const [name, statement] of Object.entries(all)) {
    await policies.create({ name, statement, acl: "", creation_date: 7 });
    await groups.attachPolicy("team", name);
  }
  await users.attachPolicy("alice", "Both");
  return api;
}

const EFFECTIVE = "/auth/users/alice/policies?after=&amount=1000&effective=true&prefix=";
const namesOf = (body: { results: { name: string }[] }): string[] => body.results.map(({ name }) => name);

describe("effective policies in the portable form", () => {
  let api: Api;
  beforeAll(async () => {
    api = await start("portable");
  });
  afterAll(() => api.close());

  it("are distinct, sorted, and what a data server can evaluate", async () => {
    const { body } = await api.call("GET", EFFECTIVE);
    expect(body.results).toEqual([
      { name: "Both", creation_date: 7, acl: "", statement: [ALLOW] },
      {
        name: "Mixed",
        creation_date: 7,
        acl: "",
        statement: [ON_SOURCE, { effect: "deny", action: ["fs:DeleteObject"], resource: "*" }],
      },
      { name: "Source", creation_date: 7, acl: "", statement: [ON_SOURCE] },
    ]);
    const metrics = await (await fetch(`${api.authorizer.metricsUrl}/metrics`)).text();
    expect(metrics).toMatch(/^svc_authorizer_portable_rewritings_total 3$/m);
  });

  it("are whole after a search among them", async () => {
    const whole = (await api.call("GET", EFFECTIVE)).body;
    await api.authorizer.directory.users.create({ username: "bob" });
    await api.authorizer.directory.groups.addMember("team", "bob");
    const ofBob = EFFECTIVE.replace("alice", "bob");
    expect(namesOf((await api.call("GET", `${ofBob}&search=mix`)).body)).toEqual(["Mixed"]);
    expect((await api.call("GET", ofBob)).body).toEqual(whole);
  });

  it("leave single policies and lists of attachments as they are stored", async () => {
    expect((await api.call("GET", "/auth/policies/OnTag")).body.statement).toEqual([ON_TAG]);
    expect((await api.call("GET", "/auth/policies/Both")).body.statement).toEqual([NAMED]);
    expect(namesOf((await api.call("GET", "/auth/groups/team/policies")).body)).toContain("OnTag");
    expect(namesOf((await api.call("GET", "/auth/users/alice/policies?effective=false")).body)).toEqual([
      "Both",
    ]);
  });

  it("come in pages", async () => {
    const first = await api.call("GET", "/auth/users/alice/policies?effective=true&amount=2");
    expect(namesOf(first.body)).toEqual(["Both", "Mixed"]);
    expect(first.body.pagination.next_offset).toBe("Mixed");
    const last = await api.call("GET", "/auth/users/alice/policies?effective=true&amount=2&after=Mixed");
    expect(last.body).toMatchObject({ results: [{ name: "Source" }], pagination: { next_offset: "" } });
  });

  it("show every write at once", async () => {
    const { call } = api;
    const current = async (): Promise<string[]> => namesOf((await call("GET", EFFECTIVE)).body);
    await call("POST", "/auth/policies", { name: "A", statement: [ALLOW] });
    expect(await current()).not.toContain("A");
    await call("PUT", "/auth/groups/team/policies/A");
    expect(await current()).toContain("A");
    await call("PUT", "/auth/policies/A", {
      statement: [{ ...ALLOW, resource: "arn:svc:fs:::repository/x" }],
    });
    const { body } = await call("GET", EFFECTIVE);
    expect(body.results[0].statement[0].resource).toBe("arn:svc:fs:::repository/x");
    await call("DELETE", "/auth/policies/A");
    expect(await current()).not.toContain("A");
    await call("DELETE", "/auth/groups/team/members/alice");
    expect(await current()).toEqual(["Both"]);
    await call("PUT", "/auth/groups/team/members/alice");
    await call("DELETE", "/auth/users/alice");
    expect((await call("GET", EFFECTIVE)).status).toBe(404);
  });
});

describe("effective policies in the exact form", () => {
  it("are as stored", async () => {
    const api = await start("exact");
    const { body } = await api.call("GET", EFFECTIVE);
    expect(body.results.map(({ statement }: { statement: unknown }) => statement)).toEqual([
      [NAMED],
      [ON_TAG, ON_SOURCE, DENY_ON_TAG],
      [ON_TAG],
      [ON_SOURCE],
    ]);
    await api.close();
  });
});

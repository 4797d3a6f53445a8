/** The questions who can, what can, plan and simulate on the user listener: their answers, and who may ask. */
import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { startManagement } from "./kit.ts";

const OBJECT = "arn:svc:fs:::repository/data/object/a";
const required = { action: "fs:ReadObject", resource: OBJECT };
const READS = { name: "Trial", statement: [{ effect: "allow", action: ["fs:Read*"], resource: "*" }] };

const api = await closedAfterAll(startManagement());

const ask = (who: "admin" | "viewer" | "manager" | "plain", call: string, body: unknown) =>
  api.call(who, "POST", `/auth/${call}`, { body });

/** The same question to the decision API. */
async function decision(call: string, body: unknown): Promise<unknown> {
  const response = await fetch(`${api.authorizer.url}/access/v1/${call}`, {
    method: "POST",
    headers: { authorization: `Bearer ${api.authorizer.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.json();
}

const withoutId = (answer: object): object => ({ ...answer, id: undefined });

describe("answers are those of the decision API", () => {
  it.each([
    ["who-can", { action: "fs:ReadObject", resource: OBJECT }],
    ["what-can", { user: "viewer", resource: OBJECT }],
    ["plan", { user: "viewer", action: "fs:ReadObject" }],
    ["simulate", { user: "viewer", policies: [READS], required }],
    ["simulate", { user: "plain", replace: [READS], required, explain: false }],
    [
      "simulate",
      {
        cases: [
          { user: "x", policies: [], required },
          { user: "x", policies: [READS], required },
        ],
      },
    ],
  ])("%s %j", async (call, body) => {
    const { status, json } = await ask("admin", call, body);
    expect(status).toBe(200);
    const served = (await decision(call, body)) as { results?: object[] };
    const bare = (answer: { results?: object[] }) =>
      call === "simulate" && answer.results ? answer.results.map(withoutId) : withoutId(answer);
    expect(bare(json)).toEqual(bare(served));
  });

  it("turns pages", async () => {
    const body = { action: "fs:ReadObject", resource: OBJECT };
    const first = (await ask("admin", "who-can", { ...body, page: { limit: 1 } })).json;
    const next = (await ask("admin", "who-can", { ...body, page: { token: first.page.next_token } })).json;
    expect(first.results).toHaveLength(1);
    expect(next.results[0].user).not.toBe(first.results[0].user);
  });
});

describe("anybody may ask about oneself", () => {
  it("what one can, where, and with one's own policies", async () => {
    expect((await ask("plain", "what-can", { user: "plain", resource: OBJECT })).json.results).toEqual([]);
    expect((await ask("plain", "plan", { user: "plain", action: "fs:ReadObject" })).json.kind).toBe("never");
    expect((await ask("plain", "simulate", { user: "plain", replace: [], required })).status).toBe(200);
  });

  it("but not about others, nor with policies of one's own making", async () => {
    for (const [call, body] of [
      ["who-can", { action: "fs:ReadObject", resource: OBJECT }],
      ["what-can", { user: "admin", resource: OBJECT }],
      ["plan", { user: "admin", action: "fs:ReadObject" }],
      ["simulate", { user: "admin", replace: [], required }],
      ["simulate", { user: "plain", policies: [READS], required }],
      ["simulate", { user: "plain", replace: [READS], required }],
      [
        "simulate",
        {
          cases: [
            { user: "plain", replace: [], required },
            { user: "admin", replace: [], required },
          ],
        },
      ],
    ] as const) {
      const { status, json } = await ask("plain", call, body);
      expect([call, status]).toEqual([call, 401]);
      expect(json.message).toMatch(/not allowed to auth:Read(User|Policy)/);
    }
  });

  it("with auth:ReadUser and auth:ReadPolicy also about others", async () => {
    expect((await ask("manager", "what-can", { user: "viewer", resource: OBJECT })).status).toBe(200);
    expect(
      (await ask("manager", "simulate", { user: "viewer", policies: [READS], required })).json.allowed,
    ).toBe(true);
  });
});

describe("a body that is wrong", () => {
  it("is refused with every problem", async () => {
    const { status, json } = await ask("admin", "who-can", { action: 1, more: true });
    expect(status).toBe(400);
    for (const part of ["/action", "/resource", "/more"]) expect(json.message).toContain(part);
  });

  it("needs a login", async () => {
    expect((await api.call(undefined, "POST", "/auth/who-can", { body: {} })).status).toBe(401);
  });
});

describe("a question that can have no answer", () => {
  const doubts = [
    {
      part: "resource",
      message: "sales/x.csv is no ARN",
      meant: ["arn:svc:fs:::repository/sales/object/x.csv"],
    },
  ];
  const asked = { action: "fs:ReadObject", resource: "sales/x.csv" };

  it("is judged for every user, before it is asked", async () => {
    const judged = await api.call("plain", "POST", "/auth/question", { body: asked });
    expect([judged.status, judged.json]).toEqual([200, { doubts }]);
    const part = await api.call("plain", "POST", "/auth/question", { body: { action: "fs:ReadObject" } });
    expect(part.json).toEqual({ doubts: [] });
    expect((await api.call("plain", "POST", "/auth/question", { body: { action: 1 } })).status).toBe(400);
  });

  it("says so in what explains its answer, and only there", async () => {
    const explained = await ask("admin", "who-can", { ...asked, explain: true });
    expect(explained.json.doubts).toEqual(doubts);
    expect((await ask("admin", "who-can", asked)).json).not.toHaveProperty("doubts");
    const check = { user: "admin", required: { and: [asked] }, explain: true };
    expect((await ask("admin", "check", check)).json.explanation.doubts).toEqual(doubts);
    const sound = { action: "fs:ReadObject", resource: OBJECT };
    const other = await ask("admin", "check", { ...check, required: sound });
    expect(other.json.explanation).not.toHaveProperty("doubts");
  });
});

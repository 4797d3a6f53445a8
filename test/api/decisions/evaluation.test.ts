import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { post, startService } from "../../http/service-kit.ts";

const service = await closedAfterAll(startService());

const PATH = "/access/v1/evaluation";
const READ = {
  subject: { type: "user", id: "alice" },
  action: { name: "fs:ReadObject" },
  resource: { type: "arn", id: "arn:svc:fs:::repository/data/object/a" },
};
const SECRET = { ...READ, resource: { type: "arn", id: "arn:svc:fs:::repository/data/object/secret" } };

describe("an evaluation", () => {
  it("is exactly {decision: true} when allowed", async () => {
    const { status, headers, text } = await post(service, PATH, READ);
    expect({ status, text }).toEqual({ status: 200, text: '{"decision":true}' });
    expect(headers.get("content-type")).toBe("application/json");
  });

  it("answers a denial with 200 and its reason", async () => {
    const { status, body } = await post(service, PATH, SECRET);
    expect(status).toBe(200);
    expect(body.decision).toBe(false);
    expect(body.context.reason_user["403"]).toBe("insufficient permissions: denied permission to fs:*");
    expect(body.context.id).toEqual(expect.any(String));
  });

  it("maps resource types and short action names", async () => {
    const request = { ...READ, action: { name: "read" }, resource: { type: "repository", id: "open" } };
    expect((await post(service, PATH, request)).body).toEqual({ decision: true });
  });

  it.each([
    ["an unknown user", { ...READ, subject: { type: "user", id: "nobody" } }, "unknown_subject"],
    ["another subject type", { ...READ, subject: { type: "robot", id: "alice" } }, "unknown_subject"],
    [
      "an unknown action",
      { ...READ, action: { name: "fly" }, resource: { type: "repository", id: "open" } },
      "unknown_action",
    ],
  ])("denies %s with a reason", async (_title, request, reason) => {
    const { status, body } = await post(service, PATH, request);
    expect({ status, decision: body.decision, reason: body.context.reason }).toEqual({
      status: 200,
      decision: false,
      reason,
    });
  });

  it("reads SourceIp from the context", async () => {
    const request = { ...READ, subject: { type: "user", id: "bob" } };
    const from = (ip: string) => post(service, PATH, { ...request, context: { SourceIp: ip } });
    expect((await from("10.1.2.3")).body.decision).toBe(true);
    expect((await from("192.168.0.1")).body.decision).toBe(false);
    expect((await post(service, PATH, request)).body.decision).toBe(false);
  });

  it("ignores fields it does not know, __proto__ among them", async () => {
    const text = JSON.stringify({ ...READ, future: [1], subject: { ...READ.subject, more: true } });
    expect((await post(service, PATH, text.replace("{", '{"__proto__":{"subject":1},'))).body).toEqual({
      decision: true,
    });
  });

  it("takes null for an optional part that is absent", async () => {
    const request = { ...READ, subject: { ...READ.subject, properties: null }, context: null };
    expect((await post(service, PATH, request)).body).toEqual({ decision: true });
  });

  it.each([
    ["an unknown user", { ...READ, subject: { type: "user", id: "nobody" } }, undefined],
    ["another subject type", { ...READ, subject: { type: "robot", id: "alice" } }, undefined],
    [
      "an unknown action",
      { ...READ, action: { name: "fly" }, resource: { type: "repository", id: "open" } },
      "action",
    ],
    ["an unknown resource type", { ...READ, resource: { type: "planet", id: "mars" } }, "resource"],
  ])("explains the denial of %s, too, with doubts about the question", async (_title, request, doubted) => {
    const { body } = await post(service, `${PATH}?explain=true`, request);
    const { id, explanation } = body.context;
    expect(explanation).toMatchObject({ id, effect: "neutral", determining: [], near_misses: [] });
    expect(explanation.tree).toMatchObject({ action: expect.any(String), effect: "neutral" });
    const parts = (explanation.doubts ?? []).map(({ part }: { part: string }) => part);
    if (doubted === undefined) expect(parts).toEqual([]);
    else expect(parts).toContain(doubted);
    expect((await post(service, PATH, request)).body.context.explanation).toBeUndefined();
  });

  it("explains with ?explain=true", async () => {
    const { body } = await post(service, `${PATH}?explain=true`, SECRET);
    expect(body.context.explanation).toMatchObject({
      effect: "deny",
      determining: [{ policy: "NoSecrets", statement: 0, effect: "deny" }],
      policies_version: expect.any(String),
    });
    expect((await post(service, `${PATH}?explain=false&other=1`, READ)).body).toEqual({ decision: true });
    expect((await post(service, `${PATH}?explain=yes`, READ)).status).toBe(400);
  });
});

describe("a faulty evaluation", () => {
  const without = (part: keyof typeof READ) =>
    Object.fromEntries(Object.entries(READ).filter(([k]) => k !== part));

  it.each([
    ["no subject", without("subject"), ["/subject"]],
    ["no action", without("action"), ["/action"]],
    ["no resource", without("resource"), ["/resource"]],
    ["nothing", {}, ["/subject", "/action", "/resource"]],
    ["a subject that is a text", { ...READ, subject: "alice" }, ["/subject"]],
    ["a subject that is a list", { ...READ, subject: ["alice"] }, ["/subject"]],
    ["a subject that is null", { ...READ, subject: null }, ["/subject"]],
    ["no subject type", { ...READ, subject: { id: "alice" } }, ["/subject/type"]],
    ["no subject id", { ...READ, subject: { type: "user" } }, ["/subject/id"]],
    ["a number as subject id", { ...READ, subject: { type: "user", id: 1 } }, ["/subject/id"]],
    ["no action name", { ...READ, action: {} }, ["/action/name"]],
    ["null as action name", { ...READ, action: { name: null } }, ["/action/name"]],
    ["no resource id and type", { ...READ, resource: {} }, ["/resource/type", "/resource/id"]],
    [
      "a list as properties",
      { ...READ, subject: { ...READ.subject, properties: [] } },
      ["/subject/properties"],
    ],
    ["a text as context", { ...READ, context: "x" }, ["/context"]],
    ["a lone surrogate in the user", { ...READ, subject: { type: "user", id: "\ud800" } }, ["/subject/id"]],
    [
      "a lone surrogate in the resource",
      { ...READ, resource: { type: "arn", id: "a\udfff" } },
      ["/resource/id"],
    ],
    ["a long action", { ...READ, action: { name: `fs:${"x".repeat(254)}` } }, ["/action/name"]],
    ["a long ARN", { ...READ, resource: { type: "arn", id: "é".repeat(2049) } }, ["/resource/id"]],
    ["an ambiguous id", { ...READ, resource: { type: "repository", id: "" } }, ["/resource/id"]],
  ])("with %s is 400 naming every problem by pointer", async (_title, request, pointers) => {
    const { status, body } = await post(service, PATH, request);
    expect(status).toBe(400);
    expect(body.message).toEqual(expect.any(String));
    expect(body.problems.map((problem: { pointer: string }) => problem.pointer)).toEqual(pointers);
  });

  it("may have an action and an ARN of exactly the longest size", async () => {
    const request = {
      ...READ,
      action: { name: `fs:${"x".repeat(253)}` },
      resource: { type: "arn", id: "é".repeat(2048) },
    };
    expect((await post(service, PATH, request)).status).toBe(200);
  });
});

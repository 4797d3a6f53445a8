import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { post, startService } from "../../http/service-kit.ts";

const service = await closedAfterAll(startService());

const PATH = "/access/v1/evaluations";
const SUBJECT = { type: "user", id: "alice" };
const ACTION = { name: "fs:ReadObject" };
const object = (name: string) => ({ type: "arn", id: `arn:svc:fs:::repository/data/object/${name}` });
const OPEN = { resource: object("open") };
const SECRET = { resource: object("secret") };

async function evaluate(body: unknown): Promise<{ decision: boolean; context?: Record<string, unknown> }[]> {
  const answer = await post(service, PATH, body);
  expect(answer.status).toBe(200);
  expect(Object.keys(answer.body)).toEqual(["evaluations"]);
  return answer.body.evaluations;
}

const decisions = async (body: unknown) => (await evaluate(body)).map(({ decision }) => decision);

describe("evaluations", () => {
  it("deny the elements with more attributes than become fields, where a condition reads them", async () => {
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`a${index}`, 1]));
    const answers = await evaluate({
      subject: { type: "user", id: "bob" },
      action: ACTION,
      evaluations: [
        { ...OPEN, context: many },
        { ...OPEN, context: { a: 1 } },
      ],
    });
    expect(answers[0]?.context?.["error"]).toEqual({
      status: 400,
      message: "invalid request: /evaluations/0/context: has more than 10000 fields",
    });
    expect(answers[1]?.context?.["error"]).toBeUndefined();
  });

  it("are answered in order, with defaults from the top level", async () => {
    const body = { subject: SUBJECT, action: ACTION, evaluations: [OPEN, SECRET, OPEN] };
    expect(await decisions(body)).toEqual([true, false, true]);
  });

  it("need no defaults", async () => {
    const whole = { subject: SUBJECT, action: ACTION, ...OPEN };
    expect(await decisions({ evaluations: [whole, { ...whole, ...SECRET }] })).toEqual([true, false]);
  });

  it("override a default as a whole", async () => {
    const body = {
      subject: SUBJECT,
      action: { name: "fs:WriteObject" },
      ...SECRET,
      context: { SourceIp: "10.0.0.1" },
      evaluations: [
        OPEN,
        { ...OPEN, action: ACTION },
        { ...SECRET, action: ACTION, subject: { type: "user", id: "bob" } },
        { ...SECRET, action: ACTION, subject: { type: "user", id: "bob" }, context: {} },
        { subject: { id: "bob" } },
      ],
    };
    const answers = await evaluate(body);
    expect(answers.map(({ decision }) => decision)).toEqual([false, true, true, false, false]);
    expect(answers[4]?.context?.["error"]).toMatchObject({
      status: 400,
      message: expect.stringContaining("/evaluations/4/subject/type: required"),
    });
  });

  it.each([
    ["no evaluations", {}],
    ["an empty list", { evaluations: [] }],
    ["null", { evaluations: null }],
  ])("with %s are a single evaluation", async (_title, part) => {
    const answer = await post(service, PATH, { subject: SUBJECT, action: ACTION, ...OPEN, ...part });
    expect([answer.status, answer.body]).toEqual([200, { decision: true }]);
    const faulty = await post(service, PATH, { subject: SUBJECT, ...part });
    expect([faulty.status, faulty.body.problems.length]).toEqual([400, 2]);
  });

  it("deny a faulty element with its error and answer the others", async () => {
    const answers = await evaluate({
      subject: SUBJECT,
      evaluations: [
        { action: ACTION, ...OPEN },
        { ...OPEN },
        "nonsense",
        { action: ACTION, resource: { type: "repository", id: "" } },
        { action: { name: 7 }, ...OPEN },
      ],
    });
    expect(answers.map(({ decision }) => decision)).toEqual([true, false, false, false, false]);
    for (const answer of answers.slice(1)) {
      expect(answer.context).toEqual({
        error: { status: 400, message: expect.stringMatching(/^invalid request: \/evaluations\/[1-4].*: /) },
      });
    }
  });

  it("are refused as a whole for a fault at the top level", async () => {
    const faults: [unknown, string][] = [
      [{ subject: { id: "alice" }, evaluations: [OPEN] }, "/subject/type"],
      [{ subject: "alice", evaluations: [OPEN] }, "/subject"],
      [{ context: [], evaluations: [OPEN] }, "/context"],
      [{ evaluations: {} }, "/evaluations"],
      [{ options: [], evaluations: [OPEN] }, "/options"],
      [{ options: { evaluations_semantic: "first" }, evaluations: [OPEN] }, "/options/evaluations_semantic"],
      [{ options: { evaluations_semantic: 1 }, evaluations: [OPEN] }, "/options/evaluations_semantic"],
    ];
    for (const [body, pointer] of faults) {
      const answer = await post(service, PATH, body);
      expect(answer.status).toBe(400);
      expect(answer.body.problems).toContainEqual({ pointer, message: expect.any(String) });
    }
  });

  it("may be a thousand, and no more", async () => {
    const body = (count: number) => ({
      subject: SUBJECT,
      action: ACTION,
      evaluations: Array.from({ length: count }, (_, index) => ({ resource: object(String(index)) })),
    });
    expect(await decisions(body(1000))).toEqual(new Array(1000).fill(true));
    expect((await post(service, PATH, body(1001))).status).toBe(400);
  });

  it("explain each element", async () => {
    const body = { subject: SUBJECT, action: ACTION, evaluations: [OPEN, SECRET] };
    const answer = await post(service, `${PATH}?explain=true`, body);
    const effects = answer.body.evaluations.map(
      (element: { context: { explanation: { effect: string } } }) => element.context.explanation.effect,
    );
    expect(effects).toEqual(["allow", "deny"]);
  });
});

describe("the semantic", () => {
  const run = (evaluations_semantic: string, evaluations: unknown[]) =>
    evaluate({ subject: SUBJECT, action: ACTION, options: { evaluations_semantic, other: 1 }, evaluations });

  it("execute_all answers every element", async () => {
    expect((await run("execute_all", [SECRET, OPEN, SECRET])).length).toBe(3);
  });

  it("deny_on_first_deny ends with the denial, whose context names it", async () => {
    const answers = await run("deny_on_first_deny", [OPEN, SECRET, OPEN]);
    expect(answers.map(({ decision }) => decision)).toEqual([true, false]);
    expect(answers[1]?.context).toMatchObject({
      reason: "deny_on_first_deny",
      reason_user: expect.anything(),
    });
    expect(await run("deny_on_first_deny", [OPEN, OPEN])).toEqual([{ decision: true }, { decision: true }]);
  });

  it("permit_on_first_permit ends with the permit, whose context names it", async () => {
    const answers = await run("permit_on_first_permit", [SECRET, OPEN, SECRET]);
    expect(answers.map(({ decision }) => decision)).toEqual([false, true]);
    expect(answers[1]?.context).toEqual({ reason: "permit_on_first_permit" });
    expect((await run("permit_on_first_permit", [SECRET, SECRET])).length).toBe(2);
  });

  it("counts a faulty element as a denial and keeps what it said", async () => {
    const answers = await run("deny_on_first_deny", [OPEN, { subject: {} }, OPEN]);
    expect(answers.length).toBe(2);
    expect(answers[1]?.context).toMatchObject({ reason: "deny_on_first_deny", error: { status: 400 } });
    const unknown = await run("deny_on_first_deny", [{ ...OPEN, subject: { type: "user", id: "x" } }]);
    expect(unknown[0]?.context).toMatchObject({
      reason: "deny_on_first_deny",
      element_reason: "unknown_subject",
    });
  });
});

it("elements do not hide that the store is down: the whole request is 503", async () => {
  const down = await startService({
    around: (decisions) => ({
      ...decisions,
      evaluate: (request) =>
        request.subject.id === "alice"
          ? decisions.evaluate(request)
          : Promise.reject(new AuthorizerError("unavailable", "the store does not answer")),
    }),
  });
  const body = {
    action: ACTION,
    evaluations: [
      { subject: SUBJECT, ...OPEN },
      { subject: { type: "user", id: "bob" }, ...OPEN },
    ],
  };
  const answer = await post(down, PATH, body);
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  await down.close();
});

describe("a batch says what single evaluations say", () => {
  const subjects = ["alice", "bob", "carol", "nobody"].map((id) => ({ type: "user", id }));
  const actions = ["fs:ReadObject", "fs:WriteObject", "read", "fly"].map((name) => ({ name }));
  const resources = [
    { type: "arn", id: "arn:svc:fs:::repository/data/object/a" },
    { type: "object", id: "data/a" },
    { type: "object", id: "data/secret/x" },
    { type: "object", id: "/" },
    { type: "spaceship", id: "x" },
    { type: "repository", id: "open" },
  ];

  it("for users, actions and resources of every kind, in any order", async () => {
    const asked = subjects.flatMap((subject) =>
      resources.flatMap((resource) => actions.map((action) => ({ subject, action, resource }))),
    );
    const singles = await Promise.all(asked.map((one) => post(service, "/access/v1/evaluation", one)));
    const { body } = await post(service, "/access/v1/evaluations", { evaluations: asked });
    const reasonOf = (answer: { context?: { reason?: string } }) => answer.context?.reason;
    for (const [index, single] of singles.entries()) {
      const inBatch = body.evaluations[index];
      if (single.status === 400) expect(inBatch.context.error.status).toBe(400);
      else {
        expect(inBatch.decision).toBe(single.body.decision);
        expect(reasonOf(inBatch)).toBe(reasonOf(single.body));
      }
    }
    expect(singles.filter(({ body: one }) => one.decision === true).length).toBeGreaterThan(3);
  });

  it("also right after the policies changed", async () => {
    const element = { subject: subjects[2], action: { name: "fs:ReadObject" }, resource: resources[0] };
    const ask = async () =>
      (await post(service, "/access/v1/evaluations", { evaluations: [element, element] })).body;
    const decisions = async () => (await ask()).evaluations.map((one: { decision: boolean }) => one.decision);
    expect(await decisions()).toEqual([false, false]);
    await service.directory.users.attachPolicy("carol", "Reads");
    expect(await decisions()).toEqual([true, true]);
    await service.directory.users.detachPolicy("carol", "Reads");
    expect(await decisions()).toEqual([false, false]);
  });

  it("counts every decision", async () => {
    const element = { subject: subjects[0], action: { name: "fs:ReadObject" }, resource: resources[0] };
    await post(service, "/access/v1/evaluations", { evaluations: [element] });
    const { decisions, cacheHits } = service.decisions.counters;
    const allowed = decisions.evaluations.allow;
    await post(service, "/access/v1/evaluations", { evaluations: Array(7).fill(element) });
    expect(service.decisions.counters.decisions.evaluations.allow - allowed).toBe(7);
    expect(service.decisions.counters.cacheHits - cacheHits).toBe(7);
  });
});

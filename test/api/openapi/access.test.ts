import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Decisions } from "../../../src/decisions/decisions.ts";
import { post, startService, type TestService } from "../../http/service-kit.ts";
import { ACCESS_BODIES } from "./access-bodies.ts";
import { DOCUMENT, findOperation, OPERATIONS, responsesOf } from "./document.ts";
import { requestProblems } from "./schema-check.ts";
import { expectDocumented } from "./validate-response.ts";

const DECIDER = "a-token-that-may-decide-and-nothing-else-1";
const SEARCHER = "a-token-that-may-search-and-nothing-else1";
const READER = "a-token-that-may-read-but-does-not-decide1";
/** A token for each scope of the calls, and one without it. */
const TOKENS: Readonly<Record<string, { readonly holds: string; readonly lacks: string }>> = {
  decide: { holds: DECIDER, lacks: READER },
  search: { holds: SEARCHER, lacks: READER },
  read: { holds: READER, lacks: DECIDER },
};
const MAX_BYTES = 20_000;

let service: TestService;
let broken: TestService;
let full: TestService;
beforeAll(async () => {
  const limits = { bodyBytes: MAX_BYTES, bulkBodyBytes: MAX_BYTES };
  const tokens = [
    { name: "decider", token: DECIDER, scopes: ["decide"] },
    { name: "reader", token: READER, scopes: ["read"] },
    { name: "searcher", token: SEARCHER, scopes: ["search"] },
  ] as const;
  const failing = () => {
    throw new Error("a fault of ours");
  };
  service = await startService({
    limits,
    bearer: { apiToken: "a-token-of-the-data-server-for-tests-only", tokens },
  });
  broken = await startService({
    around: (decisions): Decisions => ({
      ...decisions,
      check: failing,
      evaluate: failing,
      filter: failing,
      request: failing,
      simulate: failing,
      searches: {
        subjects: failing,
        resources: failing,
        actions: failing,
        whoCan: failing,
        whatCan: failing,
        plan: failing,
      },
    }),
  });
  full = await startFull();
});
afterAll(async () => {
  letGo();
  await Promise.all([service, broken, full].map((one) => one?.close()));
});

let letGo = () => {};

/** A service without a place for hot calls, and whose one place for bulk calls is taken. */
async function startFull(): Promise<TestService> {
  let taken = () => {};
  const isTaken = new Promise<void>((resolve) => {
    taken = resolve;
  });
  const filter: Decisions["filter"] = () => {
    taken();
    return new Promise((resolve) => {
      letGo = () => resolve([]);
    });
  };
  const started = await startService({
    limits: { queue: 0 },
    around: (decisions) => ({ ...decisions, filter }),
  });
  void post(started, "/access/v1/filter", { user: "alice", action: "fs:ReadObject", resources: ["*"] });
  await isTaken;
  return started;
}

const PATHS = Object.keys(ACCESS_BODIES);
const bodiesOf = (path: string) => ACCESS_BODIES[path] as (typeof ACCESS_BODIES)[string];
/** The first body is one that needs no other scope than the route's and reaches the decisions. */
const plainBody = (path: string) =>
  path.endsWith("/filter") ? bodiesOf(path).taken[1] : bodiesOf(path).taken[0];

async function documented(
  at: TestService,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) {
  const answer = await post(at, path, body, headers);
  expectDocumented("POST", path, answer);
  return answer.status;
}

describe.each(PATHS)("%s", (path) => {
  const schema = () => {
    const content = findOperation("POST", path)?.operation.requestBody?.content;
    return content?.["application/json"]?.schema ?? { const: "missing" };
  };

  it.each(bodiesOf(path).taken.map((body) => [JSON.stringify(body), body]))(
    "takes what the document allows: %s",
    async (_text, body) => {
      expect(requestProblems(schema(), body)).toEqual([]);
      expect(await documented(service, path, body)).toBe(200);
    },
  );

  it.each(bodiesOf(path).refused.map((body) => [JSON.stringify(body), body]))(
    "refuses what the document rules out: %s",
    async (text, body) => {
      expect(requestProblems(schema(), body)).not.toEqual([]);
      expect(await documented(service, path, typeof body === "string" ? text : body)).toBe(400);
    },
  );

  it("answers the document's own example", async () => {
    const example = findOperation("POST", path)?.operation.requestBody?.content["application/json"]?.example;
    expect(await documented(service, path, example)).toBe(200);
  });

  const scope = () => findOperation("POST", path)?.operation.security[0]?.["bearer"]?.[0] ?? "none";

  it("answers failures as documented", async () => {
    const body = plainBody(path);
    const lacking = { authorization: `Bearer ${TOKENS[scope()]?.lacks}` };
    const text = JSON.stringify(body);
    expect(await documented(service, path, "{")).toBe(400);
    expect(await documented(service, path, body, { "content-type": "text/plain" })).toBe(400);
    expect(await documented(service, path, body, { authorization: "Bearer wrong" })).toBe(401);
    expect(await documented(service, path, body, lacking)).toBe(403);
    expect(await documented(service, path, " ".repeat(MAX_BYTES) + text)).toBe(413);
    expect(await documented(service, path, body, { "content-encoding": "gzip" })).toBe(415);
    expect(await documented(broken, path, body)).toBe(500);
    expect(await documented(full, path, body)).toBe(503);
  });

  it("has no documented status but these", () => {
    const found = findOperation("POST", path);
    const statuses = found === undefined ? [] : [...responsesOf(found.operation).keys()];
    expect(statuses.sort()).toEqual(["200", "400", "401", "403", "413", "415", "500", "503", "default"]);
  });

  it("needs the documented scope", async () => {
    const read = ["plan", "who-can", "what-can"].some((name) => path.endsWith(`/${name}`));
    expect(scope()).toBe(path.includes("/search/") ? "search" : read ? "read" : "decide");
    const headers = { authorization: `Bearer ${TOKENS[scope()]?.holds}` };
    expect(await documented(service, path, plainBody(path), headers)).toBe(200);
  });

  it("echoes a request id as documented", async () => {
    expect(await documented(service, path, plainBody(path), { "x-request-id": "mine" })).toBe(200);
  });
});

describe("an explanation", () => {
  const path = "/access/v1/evaluation?explain=true";

  it("is documented, with each kind of outcome", async () => {
    for (const body of bodiesOf("/access/v1/evaluation").taken) {
      expect(await documented(service, path, body)).toBe(200);
    }
    for (const body of bodiesOf("/access/v1/evaluations").taken) {
      expect(await documented(service, "/access/v1/evaluations?explain=true", body)).toBe(200);
    }
  });

  it("is 403 for a token that may only decide", async () => {
    const headers = { authorization: `Bearer ${DECIDER}` };
    expect(await documented(service, path, plainBody("/access/v1/evaluation"), headers)).toBe(403);
    const explained = bodiesOf("/access/v1/check").taken[3];
    expect(await documented(service, "/access/v1/check", explained, headers)).toBe(403);
    const candidate = bodiesOf("/access/v1/simulate").taken[4];
    expect(await documented(service, "/access/v1/simulate", candidate, headers)).toBe(403);
  });
});

describe("a streamed filter", () => {
  const path = "/access/v1/filter";
  const ndjson = { "content-type": "application/x-ndjson" };
  const head = '{"user":"alice","action":"fs:ReadObject"}\n';

  it.each([
    ["items", `${head}"arn:svc:fs:::repository/data/object/a"\n"other"\n`],
    ["faulty items", `${head}1\n"arn:svc:fs:::repository/data/object/a"\n`],
    ["a fault half-way", `${head}"arn:svc:fs:::repository/data/object/a"\nno json\n`],
    ["no items", head],
  ])("answers lines as documented: %s", async (_title, body) => {
    const answer = await post(service, path, body, ndjson);
    expect(answer.headers.get("content-type")).toBe("application/x-ndjson");
    expectDocumented("POST", path, answer);
  });

  it("is refused as documented before it begins", async () => {
    expect(await documented(service, path, "[]\n", ndjson)).toBe(400);
    expect(await documented(full, path, head, ndjson)).toBe(503);
  });

  it("takes lines as the document has them", () => {
    const content = findOperation("POST", path)?.operation.requestBody?.content["application/x-ndjson"];
    for (const line of String(content?.example).trim().split("\n")) {
      expect(requestProblems(content?.["x-itemSchema"] ?? { const: "missing" }, JSON.parse(line))).toEqual(
        [],
      );
    }
  });
});

describe("what needs no token", () => {
  it.each(["/healthz", "/readyz", "/openapi.json"])("%s answers as documented", async (path) => {
    expect(findOperation("GET", path)?.operation.security).toEqual([]);
    const response = await fetch(service.url + path);
    expect(response.status).toBe(200);
    expectDocumented("GET", path, { status: 200, headers: response.headers, text: await response.text() });
  });

  it("readiness before and after is 503 as documented", async () => {
    service.health.state = "stopping";
    const response = await fetch(`${service.url}/readyz`);
    service.health.state = "ready";
    expectDocumented("GET", "/readyz", {
      status: 503,
      headers: response.headers,
      text: await response.text(),
    });
    expect(response.status).toBe(503);
  });
});

it("every decision call of the document is tried", () => {
  const decisions = OPERATIONS.filter(({ template }) => template.startsWith("/access/"));
  expect(decisions.map(({ template }) => template).sort()).toEqual([...PATHS].sort());
  expect(DOCUMENT.openapi).toMatch(/^3\.1\./);
});

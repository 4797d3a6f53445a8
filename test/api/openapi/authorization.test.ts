import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCOPES, type Scope } from "../../../src/api/service-caller.ts";
import type { TestService } from "../../http/service-kit.ts";
import { type ApiCall, AUTHORIZATION_CALLS } from "./authorization-calls.ts";
import { failing, MAX_BYTES, startAuthorizationService } from "./authorization-service.ts";
import { DATA_SERVER, findOperation, responsesOf } from "./document.ts";
import { requestProblems } from "./schema-check.ts";
import { expectDocumented } from "./validate-response.ts";

const BASE = "/api/v1";
const tokenWithout = (scope: Scope) => `a-token-with-every-scope-except-for-${scope}`;

let service: TestService;
let unavailable: TestService;
let broken: TestService;
beforeAll(async () => {
  const tokens = SCOPES.map((scope) => ({
    name: `without ${scope}`,
    token: tokenWithout(scope),
    scopes: SCOPES.filter((one) => one !== scope),
  }));
  service = await startAuthorizationService({ tokens });
  unavailable = await startAuthorizationService({
    around: (directory) =>
      failing(directory, () => new AuthorizerError("unavailable", "the store does not answer")),
  });
  broken = await startAuthorizationService({
    around: (directory) => failing(directory, () => new TypeError("a fault of ours")),
  });
});
afterAll(() => Promise.all([service, unavailable, broken].map((one) => one?.close())));

/** Calls, fails the test unless the answer is as documented, and gives its status. */
async function documented(
  at: TestService,
  { method, path, body }: Omit<ApiCall, "status" | "id">,
  headers: Record<string, string> = {},
): Promise<number> {
  const response = await fetch(at.url + BASE + path, {
    method,
    headers: {
      authorization: `Bearer ${at.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const answer = { status: response.status, headers: response.headers, text: await response.text() };
  expectDocumented(method, BASE + path, answer);
  return response.status;
}

const operationOf = ({ method, path }: ApiCall) => findOperation(method, BASE + path)?.operation;
const bodySchema = (call: ApiCall) => operationOf(call)?.requestBody?.content["application/json"]?.schema;
const firstCalls = [...new Map([...AUTHORIZATION_CALLS].reverse().map((call) => [call.id, call])).values()];
const below = DATA_SERVER;

describe("a conversation with the data-server API", () => {
  it.each(
    AUTHORIZATION_CALLS.map((call) => [
      `${call.method} ${call.path} ${JSON.stringify(call.body) ?? ""}: ${call.status}`,
      call,
    ]),
  )("%s", async (_title, call) => {
    expect(operationOf(call)?.operationId).toBe(call.id);
    expect(await documented(service, call)).toBe(call.status);
  });

  it("had every documented success and fault of the caller", () => {
    const seen = new Set(AUTHORIZATION_CALLS.map(({ id, status }) => `${id} ${status}`));
    const wanted = below.flatMap(({ operation }) =>
      [...responsesOf(operation).keys()]
        .filter((status) => /^2|400|404|409/.test(status))
        .map((status) => `${operation.operationId} ${status}`),
    );
    expect([...seen].sort()).toEqual(wanted.sort());
  });
});

describe("bodies", () => {
  const withBody = AUTHORIZATION_CALLS.filter((call) => bodySchema(call) !== undefined);
  const accepted = withBody.filter(({ status }) => status !== 400);
  /** A claim that is refused for being the second has a sound body. */
  const isRepeated = ({ body }: ApiCall) =>
    accepted.some((one) => JSON.stringify(one.body) === JSON.stringify(body));
  const refused = withBody.filter((call) => call.status === 400 && !isRepeated(call));
  const titled = (calls: readonly ApiCall[]) =>
    calls.map((call) => [`${call.id} ${JSON.stringify(call.body)}`, call] as const);

  it.each(titled(accepted))("that the API takes fit the document: %s", (_title, call) => {
    expect(requestProblems(bodySchema(call) ?? {}, call.body)).toEqual([]);
  });

  it.each(titled(refused))("that the API refuses for their form do not: %s", (_title, call) => {
    expect(requestProblems(bodySchema(call) ?? {}, call.body)).not.toEqual([]);
  });
});

describe("failures that do not depend on the call", () => {
  const named = (calls: readonly ApiCall[]) => calls.map((call) => [call.id, call] as const);
  const scopeOf = (call: ApiCall) => operationOf(call)?.security[0]?.["bearer"]?.[0] as Scope | undefined;
  const guarded = firstCalls.filter((call) => scopeOf(call) !== undefined);
  const withBody = firstCalls.filter(({ body }) => body !== undefined);
  const ofTheStore = firstCalls.filter(({ path }) => !/^\/(healthcheck|config)/.test(path));

  it.each(named(guarded))("%s refuses a wrong token and a token without its scope", async (_id, call) => {
    expect(await documented(service, call, { authorization: "Bearer wrong" })).toBe(401);
    const headers = { authorization: `Bearer ${tokenWithout(scopeOf(call) as Scope)}` };
    expect(await documented(service, call, headers)).toBe(403);
  });

  it.each(named(withBody))("%s refuses a body that is too large, coded, or none", async (_id, call) => {
    expect(await documented(service, { ...call, body: " ".repeat(MAX_BYTES + 1) })).toBe(413);
    expect(await documented(service, call, { "content-encoding": "gzip" })).toBe(415);
    expect(await documented(service, call, { "content-type": "text/plain" })).toBe(400);
    expect(await documented(service, { ...call, body: "{" })).toBe(400);
  });

  it.each(named(ofTheStore))(
    "%s tells a store that does not answer from a fault of ours",
    async (_id, call) => {
      expect(await documented(unavailable, call)).toBe(503);
      expect(await documented(broken, call)).toBe(500);
    },
  );

  it("are tried on every call that can have them", () => {
    expect([guarded, withBody, ofTheStore].map(({ length }) => length)).toEqual([36, 7, 35]);
  });
});

it("every operation is called", () => {
  expect(firstCalls.map(({ id }) => id).sort()).toEqual(
    below.map(({ operation }) => operation.operationId).sort(),
  );
});

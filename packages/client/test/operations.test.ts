/** The client has a method for every operation of the decision API, as the service's OpenAPI document lists them. */

import { AuthorizerClient } from "@svc-authorizer/client/client.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const OBJECT = "arn:svc:fs:::repository/r/object/o";
const subject = { type: "user", id: "viewer" };
const action = { name: "fs:ReadObject" };
const resource = { type: "arn", id: OBJECT };
const required = { action: action.name, resource: OBJECT };

/** A call of each method, by method, path and content type of its operation. */
const CALLS: Readonly<Record<string, (client: AuthorizerClient) => Promise<unknown>>> = {
  "POST /access/v1/evaluation application/json": (client) => client.evaluate({ subject, action, resource }),
  "POST /access/v1/evaluations application/json": (client) =>
    client.evaluateMany({ subject, action, evaluations: [{ resource }] }),
  "POST /access/v1/search/subject application/json": (client) =>
    client.searchSubjects({ subject: { type: "user" }, action, resource }),
  "POST /access/v1/search/resource application/json": (client) =>
    client.searchResources({ subject, action, resource: { type: "repository" } }),
  "POST /access/v1/search/action application/json": (client) => client.searchActions({ subject, resource }),
  "POST /access/v1/check application/json": (client) => client.check({ user: "viewer", required }),
  "POST /access/v1/request application/json": (client) =>
    client.request({ user: "viewer", method: "GET", path: "/api/v1/repositories", api: "main" }),
  "POST /access/v1/filter application/json": (client) =>
    client.filter({ user: "viewer", action: action.name, resources: [OBJECT] }),
  "POST /access/v1/filter application/x-ndjson": (client) =>
    Array.fromAsync(client.filterStream({ user: "viewer", action: action.name }, [OBJECT])),
  "POST /access/v1/simulate application/json": (client) =>
    client.simulate({ user: "viewer", policies: [], required }),
  "POST /access/v1/plan application/json": (client) =>
    client.plan({ user: "viewer", action: action.name, context: { SourceIp: "10.0.0.1" } }),
  "POST /access/v1/who-can application/json": (client) =>
    client.whoCan({ action: action.name, resource: OBJECT }),
  "POST /access/v1/what-can application/json": (client) =>
    client.whatCan({ user: "viewer", resource: OBJECT }),
  "GET /.well-known/authzen-configuration -": (client) => client.metadata(),
};

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

let authorizer: TestAuthorizer;
beforeAll(async () => {
  authorizer = await startAuthorizer({ dataset: "fixtures/datasets/roles.yaml" });
});
afterAll(() => authorizer.close());

/** The operations of the decision API: method, path and content type. */
async function operations(): Promise<string[]> {
  const document = (await (await fetch(`${authorizer.url}/openapi.json`)).json()) as OpenApi;
  return Object.entries(document.paths)
    .filter(([path]) => /^\/(access|\.well-known)\//.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody }]) =>
        Object.keys(requestBody?.content ?? { "-": 0 }).map(
          (type) => `${method.toUpperCase()} ${path} ${type}`,
        ),
      ),
    );
}

it("is one for each", async () => {
  expect(Object.keys(CALLS).sort()).toEqual((await operations()).sort());
});

describe.each(Object.entries(CALLS))("%s", (operation, call) => {
  it("is sent so, and answered", async () => {
    const sent: string[] = [];
    const client = new AuthorizerClient({
      url: authorizer.url,
      token: authorizer.token,
      fetch: (input, init) => {
        const type = new Headers(init?.headers).get("content-type") ?? "-";
        sent.push(`${init?.method} ${new URL(String(input)).pathname} ${type}`);
        return fetch(input, init);
      },
    });
    expect(await call(client)).toBeDefined();
    expect(sent).toEqual([operation]);
  });
});

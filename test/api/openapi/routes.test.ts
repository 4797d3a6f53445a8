import { devNull } from "node:os";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { DATA_SERVER_OPERATIONS } from "../../../src/api/resources/operations.ts";
import { closedAfterAll } from "../../closed-after-all.ts";
import { raw } from "../../http/service-kit.ts";
import { startAuthorizationService } from "./authorization-service.ts";
import { DATA_SERVER, DOCUMENT, OPERATIONS, parametersOfOperation, responsesOf } from "./document.ts";

let routed: readonly string[];
const authorizer = await closedAfterAll(
  startAuthorizer({
    config: {
      "authorizer.audit.output": devNull,
      "authorizer.authentication_api.enabled": true,
      "authorizer.authentication_api.trusted_servers": ["loopback"],
    },
  }),
);
beforeAll(async () => {
  routed = await routesOfListener();
});

/** Returns the routes of the listener, by the meters that it asks for. */
async function routesOfListener(): Promise<readonly string[]> {
  const service = await startAuthorizationService();
  await service.close();
  const found = [...service.counters.routes()].filter(({ route }) => route !== "unmatched");
  return found.map(({ method, route }) => `${method} ${route}`);
}

/** True for the streams of changes, which do not end by themselves. */
function isEndless({ status, headers }: Response): boolean {
  return status === 200 && /event-stream|ndjson/.test(headers.get("content-type") ?? "");
}

const documented = OPERATIONS.map(({ method, template }) => `${method.toUpperCase()} ${template}`);
const anyTarget = (template: string) => template.replaceAll(/\{\w+\}/g, "nobody");

describe("the document and the service", () => {
  it("have the same paths and methods", () => {
    expect([...routed].sort()).toEqual([...documented].sort());
    expect(routed.length).toBe(12 + 37 + 2 + 20 + 4 + 4);
  });

  it("have the same operations, scopes and bodies in the data-server API", () => {
    const shown = DATA_SERVER.map(({ method, template, operation }) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path: template,
      scope: operation.security[0]?.["bearer"]?.[0],
      takesBody: operation.requestBody !== undefined,
    }));
    const real = DATA_SERVER_OPERATIONS.map(({ id, method, path, scope, body }) => {
      return { id, method, path, scope, takesBody: body !== undefined };
    });
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    expect([...real].sort(byId)).toEqual([...shown].sort(byId));
  });

  it.each(documented)("%s is served, and nothing else on its path", async (title) => {
    const [method = "", template = ""] = title.split(" ");
    const call = (verb: string) =>
      fetch(authorizer.url + anyTarget(template), {
        method: verb,
        headers: { authorization: `Bearer ${authorizer.token}` },
      });
    const response = await call(method);
    expect(response.status).not.toBe(405);
    if (isEndless(response)) await response.body?.cancel();
    else expect(await response.text()).not.toContain("nothing at this path");
    // A word of a path may be the value of a parameter, too: `.search` reads as an id.
    const paths = [template, template.replace(/\.search$/, "{scimId}")].map((path) => DOCUMENT.paths[path]);
    const names = paths.flatMap((path) => Object.keys(path ?? {}));
    const allowed = [...new Set(names)].map((name) => name.toUpperCase());
    for (const verb of ["GET", "PUT", "POST", "DELETE", "PATCH"].filter((one) => !allowed.includes(one))) {
      const other = await call(verb);
      expect(other.status, verb).toBe(405);
      const allow = other.headers.get("allow")?.split(", ") ?? [];
      expect(allow.filter((one) => one !== "OPTIONS" && one !== "HEAD").sort()).toEqual(allowed.sort());
    }
  });

  it.each(documented)("%s needs a token exactly where it is documented", async (title) => {
    const [method = "", template = ""] = title.split(" ");
    const operation = OPERATIONS.find(
      (one) => `${one.method.toUpperCase()} ${one.template}` === title,
    )?.operation;
    const { status } = await fetch(authorizer.url + anyTarget(template), { method });
    expect(status === 401).toBe((operation?.security.length ?? 0) > 0);
  });

  it("agree on the version", async () => {
    const document = (await (await fetch(`${authorizer.url}/openapi.json`)).json()) as typeof DOCUMENT;
    const headers = { authorization: `Bearer ${authorizer.token}` };
    const answer = await fetch(`${authorizer.url}/api/v1/config/version`, { headers });
    const { version } = (await answer.json()) as { version: string };
    expect(document.info.version).toBe(version);
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
  });
});

describe("GET /openapi.json", () => {
  it("is open, the same each time, tagged by its content, and compressed", async () => {
    const [first, second] = [
      await fetch(`${authorizer.url}/openapi.json`),
      await fetch(`${authorizer.url}/openapi.json`),
    ];
    expect(first.status).toBe(200);
    expect(first.headers.get("content-type")).toBe("application/json");
    expect(first.headers.get("content-encoding")).toMatch(/^(br|gzip)$/);
    const tag = first.headers.get("etag") ?? "";
    expect([tag, second.headers.get("etag")]).toEqual([expect.stringMatching(/^W\/"./), tag]);
    const known = `GET /openapi.json HTTP/1.1\r\nHost: x\r\nIf-None-Match: ${tag}\r\nConnection: close\r\n\r\n`;
    expect(await raw(authorizer.url, known)).toMatch(/^HTTP\/1\.1 304 .*\r\n\r\n$/s);
    const text = await first.text();
    expect(await second.text()).toBe(text);
    const { info, ...document } = JSON.parse(text);
    const { info: _info, ...wanted } = DOCUMENT;
    expect(document).toEqual(wanted);
    expect(info.title).toBe(DOCUMENT.info.title);
  });

  it("answers HEAD with the length alone, and no other method", async () => {
    const head = await fetch(`${authorizer.url}/openapi.json`, { method: "HEAD" });
    expect(Number(head.headers.get("content-length"))).toBeGreaterThan(10_000);
    expect(await head.text()).toBe("");
    expect((await fetch(`${authorizer.url}/openapi.json`, { method: "POST" })).status).toBe(405);
    expect((await fetch(`${authorizer.url}/openapi.json/`)).status).toBe(404);
  });
});

it("every page of a list takes prefix, after and amount", () => {
  const lists = OPERATIONS.filter(({ operation }) => /^list/.test(operation.operationId));
  expect(lists.length).toBe(9);
  for (const { operation } of lists) {
    const names = parametersOfOperation(operation).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["prefix", "after", "amount"]));
    expect(responsesOf(operation).has("400")).toBe(true);
  }
});

import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import type { Parameter } from "../../../src/http/openapi/openapi-types.ts";
import { schemaRef } from "../../../src/http/schema/schema-forms.ts";
import { closedAfterAll } from "../../closed-after-all.ts";
import { ajvWith, compile } from "../openapi/schema-check.ts";
import { DOCUMENT, OPERATIONS } from "./documented.ts";
import { startManagement } from "./kit.ts";

const api = await closedAfterAll(
  startManagement({
    "authorizer.sts.enabled": true,
    // With an exchange, /logout is served too.
    "authorizer.exchange.access_key_id": "AKIAONE",
    "authorizer.exchange.secret_access_key": "secret",
    "authorizer.forward_auth.proxy": "nginx",
    "authorizer.forward_auth.proxy_token": "a-token-of-one-test-0123456789abcdef",
    "authorizer.mirroring.source": {
      endpoint: "http://127.0.0.1:9",
      access_key_id: "AKIASOURCE",
      secret_access_key: "secret",
    },
    "authorizer.mirroring.regions": {
      west: { endpoint: "http://127.0.0.1:9", access_key_id: "AKIAWEST", secret_access_key: "secret" },
    },
  }),
);

const AJV = ajvWith(DOCUMENT.components.schemas);
const references = () => JSON.stringify(DOCUMENT).match(/"#\/components\/[^"]+"/g) ?? [];

it("the document is valid by the OpenAPI 3.1 meta-schema", async () => {
  expect(await new Validator().validate({ ...structuredClone(DOCUMENT) })).toEqual({ valid: true });
});

it("every reference resolves, every component is used, every name is used once", () => {
  const used = new Set(references().map((reference) => reference.slice('"#/components/'.length, -1)));
  const { securitySchemes: _schemes, ...components } = DOCUMENT.components;
  const there = Object.entries(components).flatMap(([kind, parts]) =>
    Object.keys(parts).map((name) => `${kind}/${name}`),
  );
  expect([...used].sort()).toEqual(there.sort());
  const names = OPERATIONS.map(({ operation }) => operation.operationId);
  expect(new Set(names).size).toBe(names.length);
});

it.each(Object.keys(DOCUMENT.components.schemas))("schema %s is sound", (name) => {
  expect(compile(ajvWith(DOCUMENT.components.schemas), schemaRef(name))).toBeInstanceOf(Function);
});

/** True for a path that is of the other template too: a policy may be named as a word of a path is. */
function isAlso(template: string, other: string): boolean {
  return new RegExp(`^${other.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(template);
}

describe.each(OPERATIONS)("$method $template", ({ method, template, operation }) => {
  it("is served, and no other method than documented", async () => {
    const target = api.authorizer.userUrl + template.replaceAll(/\{\w+\}/g, "nobody");
    const { status } = await fetch(target, { method });
    expect(status).not.toBe(405);
    const also = OPERATIONS.filter((one) => isAlso(template, one.template)).map((one) => one.method);
    const allowed = [...new Set(also)];
    for (const verb of ["GET", "PUT", "POST", "DELETE", "PATCH"].filter((one) => !allowed.includes(one))) {
      const other = await fetch(target, { method: verb });
      expect(other.status, verb).toBe(405);
      const allow = (other.headers.get("allow") ?? "").split(", ");
      expect(allow.filter((one) => one !== "OPTIONS" && one !== "HEAD").sort()).toEqual(allowed.sort());
    }
  });

  it("has a description, and an example of each body and parameter", () => {
    expect(operation.description?.length ?? 0).toBeGreaterThan(10);
    const answers = Object.entries(operation.responses).flatMap(([status, response]) =>
      /^2/.test(status) && "content" in response ? Object.entries(response.content ?? {}) : [],
    );
    const json = [...Object.entries(operation.requestBody?.content ?? {}), ...answers].filter(
      ([type]) => type !== "text/html",
    );
    const parameters = (operation.parameters as readonly Parameter[]).filter((one) => one.in === "path");
    expect([
      ...json.map(([, { example }]) => example),
      ...parameters.map(({ example }) => example),
    ]).not.toContain(undefined);
    for (const [, { schema, example }] of json) expect(compile(AJV, schema)(example)).toBe(true);
  });

  it("declares the parameters of its path", () => {
    const declared = (operation.parameters ?? []) as readonly Parameter[];
    const inPath = declared.flatMap((parameter) => (parameter.in === "path" ? [parameter.name] : []));
    expect(inPath).toEqual([...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  });

  it("needs a user exactly where it is documented", async () => {
    const target = api.authorizer.userUrl + template.replaceAll(/\{\w+\}/g, "nobody");
    const body = operation.requestBody === undefined ? {} : { body: "{}" };
    const headers = { "content-type": "application/json" };
    const { status } = await fetch(target, { method, headers, ...body });
    const needsToken = operation.operationId.startsWith("setup") && status === 401;
    expect(status === 401 && !needsToken).toBe(operation.security.length > 0);
  });
});

it("the listener serves this document", async () => {
  const served = (await (await fetch(`${api.authorizer.userUrl}/openapi.json`)).json()) as typeof DOCUMENT;
  expect({ ...served, info: 0 }).toEqual({ ...DOCUMENT, info: 0 });
});

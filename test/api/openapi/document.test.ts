import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { SCOPES } from "../../../src/api/service-caller.ts";
import { openApiDocument } from "../../../src/http/openapi/document.ts";
import { COMMON_FAILURES, ERROR_SCHEMAS } from "../../../src/http/openapi/failures.ts";
import type { Operation } from "../../../src/http/openapi/openapi-types.ts";
import { schemaRef } from "../../../src/http/schema/schema-forms.ts";
import {
  at,
  DATA_SERVER,
  DOCUMENT,
  OPERATIONS,
  objectsIn,
  parametersOfOperation,
  resolve,
  responsesOf,
} from "./document.ts";
import { ajvWith, compile, requestProblems } from "./schema-check.ts";
import { mediaProblems } from "./validate-response.ts";

/** The operations of the data-server API, by the names that clients are generated from. */
const AUTHORIZATION = `
  listUsers createUser getUser deleteUser updatePassword updateUserFriendlyName
  listGroups createGroup getGroup deleteGroup listPolicies createPolicy getPolicy updatePolicy deletePolicy
  listGroupMembers addGroupMembership deleteGroupMembership
  listUserCredentials createCredentials getCredentialsForUser deleteCredentials getCredentials
  listUserGroups listUserPolicies attachPolicyToUser detachPolicyFromUser
  listGroupPolicies attachPolicyToGroup detachPolicyFromGroup claimTokenId
  listUserExternalPrincipals createUserExternalPrincipal deleteUserExternalPrincipal getExternalPrincipal
  healthCheck getVersion`
  .trim()
  .split(/\s+/);

const EACH = OPERATIONS.map(({ method, template, operation }) => {
  return [`${method} ${template}`, operation, template] as const;
});
const AJV = ajvWith(DOCUMENT.components.schemas);
const references = () =>
  [...objectsIn(DOCUMENT)].flatMap(({ $ref }) => ($ref === undefined ? [] : [$ref as string]));

it("no document is made of an operation with a status of failure that nothing describes", () => {
  const operation = {
    id: "getTea",
    tag: "service",
    method: "GET" as const,
    path: "/tea",
    summary: "Get tea",
    description: "Tea, from a pot.",
    answer: { status: 200 as const, description: "The tea." },
    errors: [404, 418],
    security: [],
  };
  const made = () =>
    openApiDocument({
      info: { title: "", version: "", summary: "", description: "" },
      tags: [],
      apis: [
        {
          operations: [operation],
          failures: COMMON_FAILURES,
          commonErrors: () => [],
          parameters: {},
          isRevised: () => false,
        },
      ],
      schemas: ERROR_SCHEMAS,
      securitySchemes: {},
    });
  expect(made).toThrow("getTea: status 418 is not described");
});

describe("the document", () => {
  it("is valid by the OpenAPI 3.1 meta-schema", async () => {
    expect(await new Validator().validate({ ...structuredClone(DOCUMENT) })).toEqual({ valid: true });
  });

  it("has the 37 operations of the data-server API under their names", () => {
    expect(DATA_SERVER.map(({ operation }) => operation.operationId).sort()).toEqual(
      [...AUTHORIZATION].sort(),
    );
    expect(AUTHORIZATION.length).toBe(37);
  });

  it("names each operation once", () => {
    const names = OPERATIONS.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  it("resolves every reference", () => {
    expect(references().filter((reference) => at(reference.slice(1)) === undefined)).toEqual([]);
  });

  it("uses every component", () => {
    const used = new Set(references());
    const { securitySchemes, ...components } = DOCUMENT.components;
    const unused = Object.entries(components).flatMap(([kind, parts]) =>
      Object.keys(parts)
        .map((name) => `#/components/${kind}/${name}`)
        .filter((reference) => !used.has(reference)),
    );
    expect(unused).toEqual([]);
  });

  it.each(Object.keys(DOCUMENT.components.schemas))("has a sound schema %s", (name) => {
    expect(AJV.validateSchema(DOCUMENT.components.schemas[name] ?? {})).toBe(true);
    expect(compile(AJV, schemaRef(name))).toBeInstanceOf(Function);
  });

  it("has schemas whose own examples and defaults fit", () => {
    let seen = 0;
    for (const schema of objectsIn(DOCUMENT.components.schemas)) {
      if (!Array.isArray(schema["examples"])) continue;
      for (const example of schema["examples"]) expect(requestProblems(schema, example)).toEqual([]);
      seen++;
    }
    expect(seen).toBeGreaterThan(3);
  });
});

/** The example of the body, of the answer, and of every path parameter; undefined for one that is missing. */
function examplesOf(operation: Operation, template: string): readonly unknown[] {
  const bodies = Object.values(operation.requestBody?.content ?? {});
  const answers = [...responsesOf(operation)]
    .filter(([status]) => /^2/.test(status))
    .flatMap(([, response]) => Object.values(resolve(response).content ?? {}));
  const parameters = parametersOfOperation(operation).filter((parameter) => parameter.in === "path");
  expect(parameters.length).toBe(template.split("{").length - 1);
  return [...bodies, ...answers, ...parameters].map(({ example }) => example);
}

describe.each(EACH)("%s", (_title, operation, template) => {
  it("declares exactly the parameters of its path", () => {
    const declared = parametersOfOperation(operation).filter((parameter) => parameter.in === "path");
    const wanted = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(declared.map(({ name }) => name).sort()).toEqual(wanted.sort());
    expect(declared.every(({ required }) => required)).toBe(true);
  });

  it("names a known tag and known scopes", () => {
    const tags = DOCUMENT.tags.map(({ name }) => name);
    for (const tag of operation.tags) expect(tags).toContain(tag);
    for (const scope of operation.security.flatMap((schemes) => Object.values(schemes).flat())) {
      expect(SCOPES).toContain(scope);
    }
  });

  it("answers failures with an error object", () => {
    const statuses = [...responsesOf(operation)];
    expect(statuses.filter(([status]) => /^2/.test(status)).length).toBe(1);
    for (const [status, response] of statuses) {
      if (/^[45]|default/.test(status))
        expect(Object.keys(response.content ?? {})).toEqual([
          template.startsWith("/scim/") ? "application/scim+json" : "application/json",
        ]);
    }
    if (operation.security.length > 0)
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["401", "403", "500", "503"]));
    if (operation.requestBody !== undefined)
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["400", "413", "415"]));
  });

  it("has a description and an example", () => {
    expect(operation.description?.length ?? 0).toBeGreaterThan(10);
    expect(examplesOf(operation, template)).not.toContain(undefined);
  });

  it("has examples that fit", () => {
    for (const response of responsesOf(operation).values()) {
      for (const [type, media] of Object.entries(resolve(response).content ?? {})) {
        if (media.example === undefined) continue;
        const { example } = media;
        expect(
          mediaProblems(media, type.includes("ndjson") ? String(example) : JSON.stringify(example)),
        ).toEqual([]);
      }
    }
    for (const media of Object.values(operation.requestBody?.content ?? {})) {
      if (media.example !== undefined) expect(requestProblems(media.schema, media.example)).toEqual([]);
    }
  });
});

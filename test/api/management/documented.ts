/** Answers of the user listener against its OpenAPI document. */

import type { ValidateFunction } from "ajv/dist/2020.js";
import { expect } from "vitest";
import type {
  OpenApiDocument,
  Operation,
  Reference,
  Response,
  Schema,
} from "../../../src/http/openapi/openapi-types.ts";
import { userDocument } from "../../../src/listeners/user-document.ts";
import type { Answer } from "../../http/call.ts";
import { ajvWith, closed, compile } from "../openapi/schema-check.ts";

export const DOCUMENT: OpenApiDocument = JSON.parse(JSON.stringify(userDocument("0.0.0-test")));

/** Every operation with its method and path template. */
export const OPERATIONS = Object.entries(DOCUMENT.paths).flatMap(([template, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    method: method.toUpperCase(),
    template,
    operation: operation as Operation,
  })),
);

const AJV = ajvWith(closed(DOCUMENT.components.schemas));
const compiled = new Map<string, ValidateFunction>();

function resolved(response: Response | Reference): Response {
  if (!("$ref" in response)) return response;
  return DOCUMENT.components.responses[response.$ref.split("/").at(-1) as string] as Response;
}

function operationOf(method: string, target: string): Operation | undefined {
  const path = target.replace(/\?.*$/s, "");
  const parameters = (template: string) => template.split("{").length;
  return OPERATIONS.filter((one) => one.method === method)
    .filter(({ template }) =>
      new RegExp(`^${template.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
    )
    .sort((a, b) => parameters(a.template) - parameters(b.template))[0]?.operation;
}

function bodyProblems(schema: Schema, text: string): readonly string[] {
  const key = JSON.stringify(schema);
  const validate = compiled.get(key) ?? compile(AJV, schema);
  compiled.set(key, validate);
  if (validate(JSON.parse(text))) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Fails the test where an answer of a documented operation is not as documented. */
export function expectDocumented(
  method: string,
  target: string,
  { status, headers, text }: Pick<Answer, "status" | "headers" | "text">,
) {
  const operation = operationOf(method, target);
  if (operation === undefined || status === 405) return;
  const at = `${method} ${target} ${status} ${text}`;
  const found = operation.responses[String(status)];
  expect(found, at).toBeDefined();
  const response = resolved(found as Response | Reference);
  for (const [name, { required }] of Object.entries(response.headers ?? {})) {
    if (required) expect(headers.get(name), `${at}: ${name}`).not.toBeNull();
  }
  const type = headers.get("content-type")?.split(";")[0] ?? "";
  if (response.content === undefined) {
    expect({ type, text }, at).toEqual({ type: "", text: "" });
    return;
  }
  const media = response.content[type];
  expect(media, at).toBeDefined();
  if (type === "application/json") expect(bodyProblems(media?.schema ?? {}, text), at).toEqual([]);
}

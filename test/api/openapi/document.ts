/** The document as a client gets it: JSON, with ways to find things in it. */

import type {
  Method,
  OpenApiDocument,
  Operation,
  Parameter,
  Reference,
  Response,
} from "../../../src/http/openapi/openapi-types.ts";
import { serviceDocument } from "../../../src/listeners/service-document.ts";

/** The document. */
export const DOCUMENT: OpenApiDocument = JSON.parse(JSON.stringify(serviceDocument("0.0.0-test")));

/** An operation with its place. */
interface PlacedOperation {
  readonly method: Method;
  readonly template: string;
  readonly operation: Operation;
}

/** Every operation. */
export const OPERATIONS: readonly PlacedOperation[] = Object.entries(DOCUMENT.paths).flatMap(
  ([template, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method as Method, template, operation })),
);

/** The operations of the data-server API. */
export const DATA_SERVER: readonly PlacedOperation[] = OPERATIONS.filter(
  ({ template, operation }) => template.startsWith("/api/v1/") && !operation.tags.includes("changes"),
);

/** The operation that a request is for; undefined where the document has none. */
export function findOperation(method: string, target: string): PlacedOperation | undefined {
  const path = target.replace(/\?.*$/s, "");
  const fitting = OPERATIONS.filter(
    (one) => one.method === method.toLowerCase() && patternOf(one.template).test(path),
  );
  // A literal segment wins over a parameter.
  return fitting.sort((a, b) => parametersOf(a.template) - parametersOf(b.template))[0];
}

function patternOf(template: string): RegExp {
  const escaped = template.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}

function parametersOf(template: string): number {
  return template.split("{").length - 1;
}

/** Returns the value that a reference points to. */
export function resolve<T extends object>(value: T | Reference): T {
  return "$ref" in value ? (at(value.$ref.slice(1)) as T) : value;
}

/** The part of the document that a JSON pointer names; undefined where there is none. */
export function at(pointer: string): unknown {
  let value: unknown = DOCUMENT;
  for (const step of pointer.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    value = (value as Record<string, unknown> | undefined)?.[name];
  }
  return value;
}

/** The responses of an operation by status, references resolved. */
export function responsesOf(operation: Operation): ReadonlyMap<string, Response> {
  return new Map(
    Object.entries(operation.responses).map(([status, response]) => [status, resolve<Response>(response)]),
  );
}

/** The parameters of an operation, references resolved. */
export function parametersOfOperation(operation: Operation): readonly Parameter[] {
  return (operation.parameters ?? []).map((parameter) => resolve<Parameter>(parameter));
}

/** Every object in a value, the value included. */
export function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

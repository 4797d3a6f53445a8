/** Operations from what sets them apart; what all share is added here. */

import type { Scope } from "../service-caller.ts";
import { COMMON_HEADERS, type ErrorStatus, errorResponses } from "./errors.ts";
import type { Content, Header, Operation, Parameter, Reference, Response } from "./openapi-types.ts";
import { schemaRef } from "./schema-forms.ts";

/** The name of the security scheme. */
export const BEARER = "bearer";

/** What sets an operation apart. */
export interface OperationParts {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Scope that a token needs; null where no token is needed. */
  readonly scope: Scope | null;
  readonly parameters?: readonly (Parameter | Reference)[];
  /** What the request carries; absent where it has no body. */
  readonly body?: Content;
  /** Status of success. */
  readonly status: 200 | 201 | 204;
  readonly answer: Response;
  /** Failures besides those of every call with a token and, where it has one, a body. */
  readonly errors: readonly ErrorStatus[];
}

const OF_TOKENS: readonly ErrorStatus[] = [401, 403, 500, 503];
const OF_BODIES: readonly ErrorStatus[] = [400, 413, 415];

/** Builds an operation. */
export function operation(parts: OperationParts): Operation {
  const { id, tag, summary, description, scope, parameters = [], body, status, answer } = parts;
  const statuses = [
    ...parts.errors,
    ...(scope === null ? [] : OF_TOKENS),
    ...(body === undefined ? [] : OF_BODIES),
  ];
  const sorted = [...new Set(statuses)].sort((a, b) => a - b);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(scope === null ? {} : { parameters: [...parameters, parameterRef("RequestId")] }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: body } }),
    responses: { [status]: answer, ...errorResponses(sorted) },
    security: scope === null ? [] : [{ [BEARER]: [scope] }],
  };
}

/** A reference to a parameter of the components. */
export function parameterRef(name: string): Reference {
  return { $ref: `#/components/parameters/${name}` };
}

/** A body or answer in JSON, by the name of its schema. */
export function jsonContent(schema: string, example?: unknown): Content {
  const media = { schema: schemaRef(schema) };
  return { "application/json": example === undefined ? media : { ...media, example } };
}

/** An answer with a JSON body. */
export function jsonAnswer(
  description: string,
  schema: string,
  { example, headers = {} }: { example?: unknown; headers?: { readonly [name: string]: Header } } = {},
): Response {
  return {
    description,
    headers: { ...COMMON_HEADERS, ...headers },
    content: jsonContent(schema, example),
  };
}

/** An answer without a body, and so without a content type. */
export function emptyAnswer(description: string): Response {
  return { description, headers: COMMON_HEADERS };
}

/** Responses of requests that fail, the same for all operations. */

import type { Header, Reference, Response, Schemas } from "./openapi-types.ts";
import { listOf, object, schemaRef, text } from "./schema-forms.ts";

/** Schemas of errors. */
export const ERROR_SCHEMAS: Schemas = {
  Error: object(
    {
      message: text(
        "What is wrong, for people. An internal error says only the id under which it was logged.",
      ),
      problems: listOf(schemaRef("Problem"), "Each thing that is wrong with the request, at most 100."),
    },
    ["message"],
  ),
  Problem: object({
    pointer: { type: "string", description: "JSON pointer into the body; empty for the body as a whole." },
    message: text("What is wrong there."),
  }),
};

const REQUEST_ID: Header = {
  description: "The request's own X-Request-ID, or one that was made for it.",
  schema: { type: "string" },
};

/** Headers that any answer may carry. */
export const COMMON_HEADERS: { readonly [name: string]: Header } = { "X-Request-ID": REQUEST_ID };

function failure(description: string, headers: { readonly [name: string]: Header } = {}): Response {
  return {
    description,
    headers: { ...COMMON_HEADERS, ...headers },
    content: { "application/json": { schema: schemaRef("Error") } },
  };
}

/** Responses by the name under which operations refer to them. */
export const ERROR_RESPONSES = {
  InvalidRequest: failure("The request is malformed, or the service's rules forbid what it asks for."),
  Unauthenticated: failure("There is no bearer token, or not a valid one.", {
    "WWW-Authenticate": { description: "`Bearer`.", required: true, schema: { const: "Bearer" } },
  }),
  NotAllowed: failure("The token lacks the scope that this call needs."),
  NotFound: failure("What the path or the query names does not exist."),
  AlreadyExists: failure("There is one already."),
  TooLarge: failure("The body is larger than the configured limit."),
  UnsupportedCoding: failure("The body has a Content-Encoding; only identity is accepted.", {
    "Accept-Encoding": { description: "`identity`.", required: true, schema: { const: "identity" } },
  }),
  Internal: failure("Something went wrong inside; the message holds the id under which it was logged."),
  Unavailable: failure(
    "Too many requests at once, the store does not answer, or others kept changing the same records: try again.",
    {
      "Retry-After": { description: "Seconds.", required: true, schema: { type: "integer", minimum: 1 } },
    },
  ),
  Failure: failure(
    "Any other failure: 405 for another method, 408 for a request that did not arrive in time, 431 for too large headers.",
  ),
} as const;

const BY_STATUS = {
  400: "InvalidRequest",
  401: "Unauthenticated",
  403: "NotAllowed",
  404: "NotFound",
  409: "AlreadyExists",
  413: "TooLarge",
  415: "UnsupportedCoding",
  500: "Internal",
  503: "Unavailable",
} as const satisfies Readonly<Record<number, keyof typeof ERROR_RESPONSES>>;

/** Statuses that have a response of their own. */
export type ErrorStatus = keyof typeof BY_STATUS;

/** References to the responses of these statuses and to the one for all others. */
export function errorResponses(statuses: readonly ErrorStatus[]): { readonly [status: string]: Reference } {
  const named = statuses.map((status) => [String(status), responseRef(BY_STATUS[status])] as const);
  return { ...Object.fromEntries(named), default: responseRef("Failure") };
}

function responseRef(name: keyof typeof ERROR_RESPONSES): Reference {
  return { $ref: `#/components/responses/${name}` };
}

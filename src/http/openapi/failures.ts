/** Responses to failed requests, as OpenAPI documents describe them. */

import { listOf, object, schemaRef, text } from "../schema/schema-forms.ts";
import type { Failures } from "./document.ts";
import type { Header, Response, Schema, Schemas } from "./openapi-types.ts";

/** The code of an error whose status alone does not tell what to do. */
export const ERROR_CODE: Schema = {
  enum: ["outcome_unknown", "stale", "behind", "other_log", "went_back"],
  description: [
    "`outcome_unknown`: the write may have happened. `stale`: this node was cut off for too long.",
    "`behind`: the revision asked for is not reached. `other_log`: it is one of another log, or not in this one. `went_back`: the log has lost the entry that was named; what was read up to it may never have been.",
  ].join(" "),
};

/** Schemas of errors. */
export const ERROR_SCHEMAS: Schemas = {
  Error: object(
    {
      message: text(
        "What is wrong, for people. An internal error shows only the id under which it was logged.",
      ),
      code: ERROR_CODE,
      problems: listOf(schemaRef("Problem"), "Each problem of the request, at most 100."),
    },
    ["message"],
  ),
  Problem: object({
    pointer: { type: "string", description: "JSON pointer into the body; empty for the body as a whole." },
    message: text("What is wrong there."),
  }),
};

/** A response with an error in JSON. */
export function failure(
  description: string,
  headers: { readonly [name: string]: Header } = {},
  schema: Schema = schemaRef("Error"),
): Response {
  return { description, headers, content: { "application/json": { schema } } };
}

/** The header of answers that a caller may repeat the request after. */
export const RETRY_AFTER = {
  "Retry-After": { description: "Seconds.", required: true, schema: { type: "integer", minimum: 1 } },
} as const satisfies { readonly [name: string]: Header };

/** The header of answers to callers who did not authenticate. */
export const CHALLENGE = {
  "WWW-Authenticate": { description: "`Bearer`.", required: true, schema: { const: "Bearer" } },
} as const satisfies { readonly [name: string]: Header };

const IDENTITY = {
  "Accept-Encoding": { description: "`identity`.", required: true, schema: { const: "identity" } },
} as const satisfies { readonly [name: string]: Header };

/** Failures that mean the same in all APIs. */
export const COMMON_FAILURES = {
  400: {
    name: "InvalidRequest",
    response: failure("The request is malformed, or the rules of the service forbid what it asks for."),
  },
  404: { name: "NotFound", response: failure("What the path or the query names does not exist.") },
  409: { name: "AlreadyExists", response: failure("It exists already.") },
  413: { name: "TooLarge", response: failure("The body is larger than the configured limit.") },
  415: {
    name: "UnsupportedCoding",
    response: failure("The body has a Content-Encoding; only identity is accepted.", IDENTITY),
  },
  500: {
    name: "Internal",
    response: failure("A failure of the service; the message holds the id under which it was logged."),
  },
  503: {
    name: "Unavailable",
    response: failure(
      "Too many requests at once, the store does not answer, or others kept changing the same records: try again.",
      RETRY_AFTER,
    ),
  },
  default: {
    name: "Failure",
    response: failure(
      "Any other failure: 405 for another method, 408 for a request that did not arrive in time, 431 for too large headers.",
    ),
  },
} as const satisfies Failures;

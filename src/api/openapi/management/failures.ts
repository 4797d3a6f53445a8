/** Responses of management calls that fail. */

import { COMMON_HEADERS } from "../errors.ts";
import type { Header, Reference, Response, Schemas } from "../openapi-types.ts";
import { object, schemaRef, text } from "../schema-forms.ts";

/** Schemas of errors: a message that names every fault, and nothing else. */
export const FAILURE_SCHEMAS: Schemas = {
  Error: object({ message: text("What is wrong, for people. An internal error says only its id.") }),
  NoAcl: object(
    {
      message: text("What is wrong, for people."),
      no_acl: { type: "boolean", description: "True where the group exists and has no access list." },
    },
    ["message"],
  ),
};

function failure(
  description: string,
  headers: { readonly [name: string]: Header } = {},
  schema = "Error",
): Response {
  return {
    description,
    headers: { ...COMMON_HEADERS, ...headers },
    content: { "application/json": { schema: schemaRef(schema) } },
  };
}

const RETRY_AFTER = {
  "Retry-After": {
    description: "Seconds.",
    required: true,
    schema: { type: "integer", minimum: 1 },
  },
} as const satisfies { readonly [name: string]: Header };

/** Responses by the name under which operations refer to them. */
export const FAILURE_RESPONSES = {
  InvalidRequest: failure("The call is malformed, or the service's rules forbid what it asks for."),
  Refused: failure("Nobody proved to be a user, or the user's policies do not allow the call.", {
    "WWW-Authenticate": { description: "`Bearer`.", required: true, schema: { const: "Bearer" } },
  }),
  NotAllowed: failure(
    "A write of another site, or (`authorizer.escalation: deny`) one that grants more than the caller holds.",
  ),
  NotFound: failure("What the path or the query names does not exist."),
  NoAccessList: failure("The group does not exist, or has no access list.", {}, "NoAcl"),
  AlreadyExists: failure("There is one already."),
  TooLarge: failure("The body is larger than the configured limit."),
  UnsupportedCoding: failure("The body has a Content-Encoding; only identity is accepted.", {
    "Accept-Encoding": { description: "`identity`.", required: true, schema: { const: "identity" } },
  }),
  TooManyFailures: failure("Too many failed attempts with this key from this address.", RETRY_AFTER),
  Internal: failure("Something went wrong inside; the message holds the id under which it was logged."),
  NotImplemented: failure("This service has no such operation."),
  Unavailable: failure("Too many requests at once, or the store does not answer: try again.", RETRY_AFTER),
  Failure: failure("Any other failure, such as 405 for another method."),
} as const;

const BY_STATUS = {
  400: "InvalidRequest",
  401: "Refused",
  403: "NotAllowed",
  404: "NotFound",
  409: "AlreadyExists",
  413: "TooLarge",
  415: "UnsupportedCoding",
  429: "TooManyFailures",
  500: "Internal",
  501: "NotImplemented",
  503: "Unavailable",
} as const satisfies Readonly<Record<number, keyof typeof FAILURE_RESPONSES>>;

/** Statuses that have a response of their own. */
export type FailureStatus = keyof typeof BY_STATUS;

/** A reference to a response of the components. */
export function failureRef(name: keyof typeof FAILURE_RESPONSES): Reference {
  return { $ref: `#/components/responses/${name}` };
}

/** References to the responses of these statuses and to the one for all others. */
export function failures(statuses: readonly FailureStatus[]): { readonly [status: string]: Reference } {
  const sorted = [...new Set(statuses)].sort((a, b) => a - b);
  const named = sorted.map((status) => [String(status), failureRef(BY_STATUS[status])] as const);
  return { ...Object.fromEntries(named), default: failureRef("Failure") };
}

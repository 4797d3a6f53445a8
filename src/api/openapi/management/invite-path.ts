/** The page behind the link of an invitation. */

import { COMMON_HEADERS } from "../errors.ts";
import type { Content, Operation, Paths, Response } from "../openapi-types.ts";
import { NO_STORE } from "../paths/authorization-forms.ts";
import { schemaRef, text } from "../schema-forms.ts";

const TAG = "service";
const PAGE: Content = { "text/html": { schema: { type: "string" } } };

function page(description: string): Response {
  return { description, headers: { ...COMMON_HEADERS, ...NO_STORE }, content: PAGE };
}

const OPEN: Operation = {
  operationId: "showInvitation",
  tags: [TAG],
  summary: "A page with a button; nothing is used up",
  parameters: [{ name: "token", in: "query", description: "The token of the link.", schema: text("Token.") }],
  responses: { 200: page("The page."), default: page("A page that says what went wrong.") },
  security: [],
};

const REDEEM: Operation = {
  operationId: "redeemInvitation",
  tags: [TAG],
  summary: "Use the invitation up: an access key is made and shown, once",
  requestBody: {
    required: true,
    content: { "application/x-www-form-urlencoded": { schema: schemaRef("Form") } },
  },
  responses: {
    200: page("The access key with its secret."),
    404: page("The invitation is unknown, was used or has expired."),
    default: page("A page that says what went wrong."),
  },
  security: [],
};

/** `/auth/invite`. */
export function invitePaths(): Paths {
  return { "/auth/invite": { get: OPEN, post: REDEEM } };
}

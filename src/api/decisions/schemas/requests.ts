/** `/request`: a request of a data server, and whether it may pass. */

import type { Schema, Schemas } from "../../../http/openapi/openapi-types.ts";
import { closedObject, listOf, object, schemaRef, text } from "../../../http/schema/schema-forms.ts";
import { GROUPS, SUBJECT_TOKEN } from "./native.ts";

const QUERY: Schema = {
  description: "The raw query without `?`, or an object of decoded names with a value each or several.",
  oneOf: [
    { type: "string", pattern: "^[^#]*$", "x-maxBytes": "headersBytes", "x-form": "must have no #" },
    {
      type: "object",
      additionalProperties: { oneOf: [{ type: "string" }, listOf({ type: "string" })] },
    },
  ],
};

function texts(limit: string, description: string): Schema {
  return { type: "object", additionalProperties: { type: "string", "x-maxBytes": limit }, description };
}
const NOTHING: Schema = { type: "null" };

/** Schemas of requests of a data server. */
export const REQUEST_SCHEMAS: Schemas = {
  RequestCheck: closedObject(
    {
      user: text("Name of the user who sent the request."),
      groups: GROUPS,
      token: SUBJECT_TOKEN,
      method: {
        type: "string",
        pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
        description: "As sent.",
        "x-maxBytes": 32,
        "x-form": "no HTTP method",
      },
      path: {
        type: "string",
        pattern: "^/[^?#]*$",
        description: "As on the wire, nothing decoded; with `/api/v1` for the main API.",
        "x-maxBytes": "headersBytes",
        "x-form": "must begin with / and have no ? and no #: the query is a field of its own",
      },
      query: QUERY,
      headers: texts("headersBytes", "Headers that matter; names in any letter case, none twice."),
      body: { description: "The JSON body. Without it, what it would say is open." },
      api: {
        enum: ["main", "gateway", "replication"],
        description: "Which API of the data server; must agree with what host, headers and query say.",
      },
      bucket: text("Of the gateway: the bucket that the host names, where `headers` has no host."),
      facts: texts("arnBytes", "Values that no request carries, such as `pull_request.destination_branch`."),
      context: schemaRef("Context"),
    },
    ["user", "method", "path", "api"],
  ),
  RequestAnswer: object(
    {
      operation: {
        oneOf: [text("Name of the operation."), NOTHING],
        description: "null for a request that no row answers or that cannot be read.",
      },
      required: {
        oneOf: [schemaRef("RequiredPermissions"), NOTHING],
        description: "What was decided; a `*` stands for what is open. null where nothing is needed.",
      },
      allowed: { type: "boolean", description: "True exactly for effect `allow`." },
      effect: schemaRef("Effect"),
      message: text("Why not; absent when allowed."),
      reason: {
        enum: [
          "unknown_user",
          "invalid_token",
          "too_many_groups",
          "groups_overage",
          "unknown_endpoint",
          "unreadable_request",
        ],
      },
      id: text("Decision id, also in the audit log."),
      per_item: {
        ...object(
          {
            over: text("What the items are, such as `results`."),
            action: text("The action that each item needs."),
            resource: text("ARN of an item, with `{…}` for what differs from item to item."),
          },
          ["over", "action", "resource"],
        ),
        description: "The check that the caller makes for each item, with `/filter`.",
      },
    },
    ["operation", "required", "allowed", "effect", "id"],
  ),
};

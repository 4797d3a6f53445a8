/** `/check` and `/filter`. Unknown fields of requests are refused. */

import { MOST_GROUPS } from "../../../decisions/subjects/asserted-groups.ts";
import type { Schema, Schemas } from "../../../http/openapi/openapi-types.ts";
import { closedObject, listOf, object, schemaRef, text } from "../../../http/schema/schema-forms.ts";
import { MOST_TOKEN_BYTES } from "../native/native-fields.ts";

const USER = text("Name of the user.");
/** Groups that a caller asserts. */
export const GROUPS: Schema = {
  ...listOf(
    { type: "string" },
    "Groups of a user whom the directory does not know, where the token may assert them.",
  ),
  maxItems: MOST_GROUPS,
};
/** A token that says who the user is. */
export const SUBJECT_TOKEN: Schema = {
  ...text(
    "A token of the user from an identity provider of `authorizer.oidc.issuers`. It must name this user. Its groups count, and not `groups`.",
  ),
  "x-maxBytes": MOST_TOKEN_BYTES,
};
/** Reasons why a user has no policies. */
export const UNKNOWN_REASONS: Schema = {
  enum: ["unknown_user", "invalid_token", "too_many_groups", "groups_overage"],
};
const ACTION: Schema = {
  ...text("`service:Verb`, or with `type` a name that the type knows."),
  "x-maxBytes": "actionBytes",
};
const CONTEXT = schemaRef("Context");
const INDEX = { type: "integer", minimum: 0 } as const;
const ITEM_ERROR = object({ status: { const: 400 }, message: text("What is wrong with the item.") });

/** A list whose elements are checked one by one when they are read. */
function items(description: string): Schema {
  return { ...listOf({ type: "string", "x-later": true }, description), maxItems: 100_000 };
}

const FILTER_OF_ARNS = closedObject(
  {
    user: USER,
    groups: GROUPS,
    token: SUBJECT_TOKEN,
    action: ACTION,
    resources: items("ARNs."),
    context: CONTEXT,
  },
  ["user", "action", "resources"],
);
const FILTER_OF_IDS = closedObject(
  {
    user: USER,
    groups: GROUPS,
    token: SUBJECT_TOKEN,
    action: ACTION,
    type: text("Resource type of the ids."),
    ids: items("Ids in the form of the type."),
    context: CONTEXT,
  },
  ["user", "action", "type", "ids"],
);

/** Schemas of native decisions. */
export const NATIVE_SCHEMAS: Schemas = {
  CheckRequest: closedObject(
    {
      user: USER,
      groups: GROUPS,
      token: SUBJECT_TOKEN,
      required: schemaRef("RequiredPermissions"),
      context: CONTEXT,
      explain: { type: "boolean", default: false, description: "Needs a token with scope `read` besides." },
    },
    ["user", "required"],
  ),
  CheckAnswer: object(
    {
      allowed: { type: "boolean", description: "True exactly for effect `allow`." },
      effect: schemaRef("Effect"),
      message: text("Why not, in the words of the data server; absent when allowed."),
      reason: UNKNOWN_REASONS,
      id: text("Decision id, also in the audit log."),
      explanation: schemaRef("Explanation"),
    },
    ["allowed", "effect"],
  ),
  FilterOfArns: FILTER_OF_ARNS,
  FilterOfIds: FILTER_OF_IDS,
  FilterRequest: { oneOf: [FILTER_OF_ARNS, FILTER_OF_IDS] },
  FilterAnswer: object({
    allowed: listOf(INDEX, "Indexes of the items that are allowed, ascending."),
    complete: { const: true },
  }),
  FilterStreamHead: {
    ...closedObject(
      {
        user: USER,
        groups: GROUPS,
        token: SUBJECT_TOKEN,
        action: ACTION,
        type: text("Resource type of the items."),
        context: CONTEXT,
      },
      ["user", "action"],
    ),
    description: "The first line of a streamed request.",
  },
  FilterStreamItem: {
    description: "The first line; then an item a line: an ARN, or an id where the first line names a type.",
    oneOf: [schemaRef("FilterStreamHead"), { type: "string" }],
  },
  FilterStreamAnswer: {
    description:
      "A line per allowed item and per faulty one; the last line says whether the answer is complete. Without it, it is not.",
    oneOf: [
      closedObject({ index: INDEX }),
      closedObject({ index: INDEX, error: ITEM_ERROR }),
      closedObject({ complete: { const: true }, items: INDEX, allowed: INDEX }),
      closedObject({
        complete: { const: false },
        error: object({ status: { type: "integer" }, message: { type: "string" } }),
      }),
    ],
  },
};

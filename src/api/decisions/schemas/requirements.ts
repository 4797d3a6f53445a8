/** Required permissions and context of the native decision calls. */

import type { Schema, Schemas } from "../../../http/openapi/openapi-types.ts";
import { closedObject, listOf, schemaRef, text } from "../../../http/schema/schema-forms.ts";

const SCALAR: Schema = { type: ["string", "number", "boolean"] };

/** Schemas of required permissions and context. */
export const REQUIREMENT_SCHEMAS: Schemas = {
  RequiredPermission: closedObject({
    action: { ...text("`service:Verb`, at most 256 bytes."), "x-maxBytes": "actionBytes" },
    resource: { ...text("ARN of the resource, at most 4 KiB."), "x-maxBytes": "arnBytes" },
  }),
  RequiredPermissions: {
    description: "A tree of at most 1,000 nodes. An empty `and` or `or` is never allowed.",
    oneOf: [
      schemaRef("RequiredPermission"),
      closedObject({ and: listOf(schemaRef("RequiredPermissions")) }),
      closedObject({ or: listOf(schemaRef("RequiredPermissions")) }),
      closedObject({
        any_resource: {
          ...closedObject({ action: text("`service:Verb`.") }),
          description: "Holds when some statement allows the action on any resource.",
        },
      }),
    ],
  },
  Context: {
    type: ["object", "null"],
    description:
      "Condition fields, such as `SourceIp`. The members of an object are fields by dotted name, at most 5 levels deep; null is missing.",
    additionalProperties: schemaRef("ContextValue"),
    examples: [{ SourceIp: "10.0.0.7" }],
  },
  ContextValue: {
    anyOf: [
      { type: ["string", "number", "boolean", "null"] },
      listOf(SCALAR),
      { type: "object", additionalProperties: schemaRef("ContextValue") },
    ],
  },
};

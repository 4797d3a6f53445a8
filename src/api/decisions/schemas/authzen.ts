/** Access evaluations of AuthZEN 1.0. Unknown fields of requests are ignored. */

import type { Schema, Schemas } from "../../../http/openapi/openapi-types.ts";
import { listOf, object, schemaRef, text } from "../../../http/schema/schema-forms.ts";

const PROPERTIES: Schema = {
  type: ["object", "null"],
  description: "Attributes; conditions read them as fields. Registered ones win.",
};

const PARTS = {
  subject: schemaRef("Subject"),
  action: schemaRef("Action"),
  resource: schemaRef("Resource"),
  context: { type: ["object", "null"], description: "Circumstances, such as `SourceIp`." },
} as const satisfies { readonly [name: string]: Schema };

const SEMANTICS = ["execute_all", "deny_on_first_deny", "permit_on_first_permit"];
const ALL_PARTS = ["subject", "action", "resource"];

/** Schemas of evaluations. */
export const AUTHZEN_SCHEMAS: Schemas = {
  Subject: object({ type: text("`user`."), id: text("Name of the user."), properties: PROPERTIES }, [
    "type",
    "id",
  ]),
  Action: object(
    {
      name: {
        ...text("`service:Verb`, or a name that the resource's type knows; at most 256 bytes."),
        "x-maxBytes": "actionBytes",
      },
      properties: PROPERTIES,
    },
    ["name"],
  ),
  Resource: object(
    {
      type: text("A resource type, or `arn`."),
      id: {
        ...text("Id in the form of its type, or the ARN itself; at most 4 KiB."),
        "x-maxBytes": "arnBytes",
      },
      properties: PROPERTIES,
    },
    ["type", "id"],
  ),
  EvaluationRequest: object(PARTS, ALL_PARTS),
  EvaluationElement: {
    ...object(PARTS, []),
    description: "What it lacks is taken whole from the top level.",
  },
  EvaluationsRequest: {
    ...object(
      {
        ...PARTS,
        evaluations: {
          type: ["array", "null"],
          items: schemaRef("EvaluationElement"),
          description: "At most 1,000 by default. None: the top level is the one evaluation.",
        },
        options: {
          ...object({ evaluations_semantic: { enum: [...SEMANTICS, null], default: "execute_all" } }, []),
          type: ["object", "null"],
        },
      },
      [],
    ),
    anyOf: [
      { required: ALL_PARTS },
      { required: ["evaluations"], properties: { evaluations: { type: "array", minItems: 1 } } },
    ],
  },
  EvaluationAnswer: object({ decision: { type: "boolean" }, context: schemaRef("EvaluationContext") }, [
    "decision",
  ]),
  EvaluationContext: object(
    {
      id: text("Decision id, also in the audit log."),
      reason: text(
        "`unknown_subject`, `unknown_action`, `unknown_resource`, or the semantic that ended a batch.",
      ),
      element_reason: text("The deciding element's own reason, where `reason` names the semantic."),
      reason_user: {
        type: "object",
        additionalProperties: { type: "string" },
        description: "Reason for people, by status.",
      },
      error: object({ status: { type: "integer" }, message: text("What is wrong with the element.") }),
      explanation: schemaRef("Explanation"),
    },
    [],
  ),
  EvaluationsAnswer: {
    oneOf: [
      object({
        evaluations: listOf(schemaRef("EvaluationAnswer"), "In the order of the request; may end early."),
      }),
      schemaRef("EvaluationAnswer"),
    ],
    description: "An answer per element; a single one where the request has no elements.",
  },
};

/** Records of decisions as answers have them; `policies/schema/decision.schema.json` has the lines of the log. */

import type { Schema, Schemas } from "../../../http/openapi/openapi-types.ts";
import { closedObject, listOf, object, schemaRef, text } from "../../../http/schema/schema-forms.ts";

const COUNT: Schema = { type: "integer", minimum: 0 };
const NAME: Schema = { type: "string" };
const EFFECT = schemaRef("Effect");

/** Members that a record and a decision of a batch share. */
const ASKED = {
  entry: text("The first 8 characters of the id of that revision's entry."),
  subject: schemaRef("RecordedSubject"),
  action: NAME,
  context: schemaRef("RecordedFields"),
} as const;
const DECIDED = {
  decision: { type: "boolean" },
  determining: listOf(
    schemaRef("RecordedStatement"),
    "The first statement, of each permission, that denied, failed or allowed.",
  ),
} as const;
const RESOURCE = closedObject({ arn: NAME, type: NAME, id: NAME }, ["arn"]);

/** Schemas of records of decisions and of what explains them. */
export const RECORD_SCHEMAS: Schemas = {
  DecisionRecord: {
    ...closedObject(
      {
        format: { const: 1 },
        id: text("Id of the decision."),
        at: { type: "string", format: "date-time" },
        node: text("Name of the node."),
        revision: { ...COUNT, description: "Revision of the directory; of a batch, of its first decision." },
        ...ASKED,
        policy_set: text("Digest of the policy set."),
        entrance: NAME,
        caller: closedObject({ name: NAME, peer: NAME }, ["name"]),
        request_id: NAME,
        trace_id: NAME,
        resource: RESOURCE,
        operation: { type: ["string", "null"], description: "Operation of a data server." },
        required: { oneOf: [schemaRef("RecordedPermissions"), { type: "null" }] },
        ...DECIDED,
        effect: EFFECT,
        error: text("Why something could not be evaluated."),
        duration_us: { ...COUNT, description: "Microseconds since the request arrived." },
        items: listOf(schemaRef("RecordedItem"), "The decisions of a batch, as many as are kept."),
        counts: closedObject({ allow: COUNT, neutral: COUNT, deny: COUNT }),
        prev: text("SHA-256 of the line before."),
        crc: text("CRC-32 of the line up to this member."),
      },
      [
        ...["format", "id", "at", "node", "revision", "policy_set", "entrance", "caller", "request_id"],
        ...["subject", "decision", "effect", "determining", "duration_us", "prev", "crc"],
      ],
    ),
    description: "A decision, or the decisions of one call.",
  },
  RecordedItem: closedObject(
    {
      revision: { ...COUNT, description: "Where it is a later one than that of the record." },
      ...ASKED,
      resource: RESOURCE,
      ...DECIDED,
      effect: { enum: ["neutral", "deny"], description: "Absent: allow." },
      error: { ...NAME, description: "Why nothing could be evaluated." },
    },
    ["resource", "decision", "determining"],
  ),
  RecordedSubject: closedObject(
    {
      type: NAME,
      id: { type: ["string", "null"], description: "null: nobody." },
      asserted: schemaRef("Assertion"),
      properties: schemaRef("RecordedFields"),
    },
    ["type", "id"],
  ),
  RecordedFields: {
    type: "object",
    description: "Condition fields; null: a value that no operator can read.",
    additionalProperties: { oneOf: [NAME, { type: "null" }, listOf(NAME)] },
  },
  RecordedStatement: closedObject(
    {
      policy: NAME,
      statement: { ...COUNT, description: "Index of the statement in its policy." },
      sid: NAME,
      via: listOf(schemaRef("Via"), "How the policy reaches the subject."),
    },
    ["policy", "statement", "via"],
  ),
  RecordedPermissions: {
    oneOf: [
      closedObject({ action: NAME, resource: NAME }),
      closedObject({ and: listOf(schemaRef("RecordedPermissions")) }),
      closedObject({ or: listOf(schemaRef("RecordedPermissions")) }),
      closedObject({ any_resource: closedObject({ action: NAME }) }),
    ],
  },
  RecordExplanation: object(
    {
      effect: EFFECT,
      determining: listOf(schemaRef("DeterminingStatement"), "The statements that decided."),
      tree: { ...schemaRef("EffectTree"), description: "Absent where the user or the permission is masked." },
      near_misses: listOf(schemaRef("NearMiss"), "For neutral decisions, best first."),
      error: { ...NAME, description: "Nothing was evaluated, for this reason." },
      unexplained: {
        const: true,
        description:
          "The policies of that time give another effect: something else decided, or the record lacks a value.",
      },
      masked: { const: true, description: "The user or the permission is masked: there are no reasons." },
      masked_fields: listOf(
        NAME,
        "Masked condition fields that the policies read: the reasons may be others.",
      ),
    },
    ["effect", "determining", "near_misses"],
  ),
  DecisionRecordAnswer: object(
    {
      record: schemaRef("DecisionRecord"),
      explanations: listOf(schemaRef("RecordExplanation"), "One for each decision, at most 20."),
    },
    ["record"],
  ),
};

/** Why a decision came out as it did. */

import type { Schema, Schemas } from "../openapi-types.ts";
import { listOf, object, schemaRef, text } from "../schema-forms.ts";

const INDEX: Schema = { type: "integer", minimum: 0, description: "Index of the statement in its policy." };
const EFFECT = schemaRef("Effect");

function node(properties: { readonly [name: string]: Schema }): Schema {
  return {
    ...object({ ...properties, effect: EFFECT }, Object.keys(properties)),
    additionalProperties: false,
  };
}

const BRANCHES = listOf(schemaRef("EffectTree"));

/** Schemas of explanations. */
export const EXPLANATION_SCHEMAS: Schemas = {
  Effect: {
    enum: ["allow", "neutral", "deny"],
    description: "Only `allow` lets a request pass; `neutral`: no statement says anything.",
  },
  Explanation: object({
    id: text("Decision id, also in the audit log."),
    effect: EFFECT,
    determining: listOf(schemaRef("DeterminingStatement"), "The statements that decided."),
    tree: schemaRef("EffectTree"),
    near_misses: listOf(schemaRef("NearMiss"), "For neutral decisions, at most 5, best first."),
    cache: { enum: ["hit", "miss"], description: "Whether the user's policies were at hand." },
    policies_version: text("Digest of the policy set."),
    evaluated_at: { type: "string", format: "date-time" },
  }),
  DeterminingStatement: object({
    policy: text("Name of the policy."),
    statement: INDEX,
    effect: text("Effect of the statement, as written."),
    action: text("The action pattern that matched; empty where the statement is broken."),
    resource: text("The resource pattern that matched."),
    via: listOf(schemaRef("Via"), "How the policy reaches the user."),
  }),
  Via: {
    oneOf: [node1("user", "Attached to the user."), node1("group", "Attached to a group of the user.")],
  },
  EffectTree: {
    description: "The required permissions with the effect of every node that was looked at.",
    oneOf: [
      node({ action: { type: "string" }, resource: { type: "string" } }),
      node({ and: BRANCHES }),
      node({ or: BRANCHES }),
      node({ any_resource: { ...object({ action: { type: "string" } }), additionalProperties: false } }),
    ],
  },
  NearMiss: object({
    policy: text("Name of the policy."),
    statement: INDEX,
    why: { enum: ["action", "resource", "condition"], description: "What did not match." },
    detail: text("The same in words."),
  }),
};

function node1(name: string, description: string): Schema {
  return { ...object({ [name]: { type: "string" } }), additionalProperties: false, description };
}

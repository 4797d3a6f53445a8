/** Explanations of decisions. */

import type { Schema, Schemas } from "../../../http/openapi/openapi-types.ts";
import { listOf, object, schemaRef, text } from "../../../http/schema/schema-forms.ts";

const INDEX: Schema = { type: "integer", minimum: 0, description: "Index of the statement in its policy." };
const EFFECT = schemaRef("Effect");
const SID = text("Name of the statement, where it has one.");
const CONDITIONS =
  "What the condition wanted and what the request gave, one entry for each operator and field.";

function node(properties: { readonly [name: string]: Schema }): Schema {
  return {
    ...object({ ...properties, effect: EFFECT }, Object.keys(properties)),
    additionalProperties: false,
  };
}

const BRANCHES = listOf(schemaRef("EffectTree"));

/** Members that every explanation has. */
const EXPLAINED = [
  "id",
  "effect",
  "determining",
  "tree",
  "near_misses",
  "cache",
  "policies_version",
  "evaluated_at",
];

/** The doubts about a question (spec/decision-api §5). */
export const DOUBTS = listOf(
  schemaRef("QuestionDoubt"),
  "Why the question may have no answer: an action or a resource that nobody knows, or wildcards; absent if there is no doubt.",
);

/** Schemas of explanations. */
export const EXPLANATION_SCHEMAS: Schemas = {
  Effect: {
    enum: ["allow", "neutral", "deny"],
    description: "Only `allow` lets a request pass; `neutral`: no statement says anything.",
  },
  Explanation: object(
    {
      id: text("Decision id, also in the audit log."),
      effect: EFFECT,
      determining: listOf(schemaRef("DeterminingStatement"), "The statements that decided."),
      tree: schemaRef("EffectTree"),
      near_misses: listOf(schemaRef("NearMiss"), "For neutral decisions, at most 5, best first."),
      doubts: DOUBTS,
      asserted: schemaRef("Assertion"),
      cache: { enum: ["hit", "miss"], description: "Whether the policies of the user were cached." },
      policies_version: text("Digest of the policy set."),
      evaluated_at: { type: "string", format: "date-time" },
    },
    EXPLAINED,
  ),
  QuestionDoubt: object(
    {
      part: {
        enum: ["action", "type", "resource", "pair"],
        description: "The doubtful part; `pair`: the action is not asked about such a resource.",
      },
      message: text("What is doubtful, for people."),
      meant: listOf({ type: "string" }, "What may be meant in its place, the likeliest first; at most 8."),
    },
    ["part", "message", "meant"],
  ),
  Assertion: {
    ...object({
      by: text("Name of the token, or the issuer, that asserted the groups."),
      groups: listOf({ type: "string" }, "The groups that the directory has."),
    }),
    description: "Whose policies decided about a subject that the directory does not know.",
  },
  DeterminingStatement: object(
    {
      policy: text("Name of the policy."),
      statement: INDEX,
      sid: SID,
      effect: text("Effect of the statement, as written."),
      action: text("The action pattern that matched; empty where the statement is broken."),
      resource: text("The resource pattern that matched."),
      conditions: listOf(schemaRef("ConditionTest"), `${CONDITIONS} At most 100 in an explanation.`),
      via: listOf(schemaRef("Via"), "How the policy reaches the user."),
    },
    ["policy", "statement", "effect", "action", "resource", "via"],
  ),
  ConditionTest: object(
    {
      operator: text("The operator, as written."),
      field: text("The condition field; empty for an unknown operator without fields."),
      wanted: listOf(
        { type: "string" },
        "Values of the policy, as written: at most 20, each cut after 256 characters.",
      ),
      wanted_total: count("Number of values in the policy, where there are more than shown."),
      given: {
        oneOf: [{ type: "string" }, listOf({ type: "string" })],
        description: "Value of the request, cut in the same way; absent where it has none, or an object.",
      },
      given_total: count("Number of values in the request, where there are more than shown."),
      variables: listOf(
        object({ variable: { type: "string" }, given: { type: "string" } }, ["variable"]),
        "What the variables in `wanted` stood for; without `given`: it has no single text as its value.",
      ),
      result: {
        enum: ["satisfied", "unsatisfied", "unreadable", "error"],
        description:
          "`unreadable`: the values cannot be compared, so that an allow is ignored and a deny applies. `error`: the " +
          "statement cannot be evaluated and denies every request.",
      },
    },
    ["operator", "field", "wanted", "result"],
  ),
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
  NearMiss: object(
    {
      policy: text("Name of the policy."),
      statement: INDEX,
      sid: SID,
      why: { enum: ["action", "resource", "condition"], description: "What did not match." },
      detail: text("The same in words."),
      conditions: listOf(schemaRef("ConditionTest"), `For \`condition\`. ${CONDITIONS}`),
    },
    ["policy", "statement", "why", "detail"],
  ),
};

function count(description: string): Schema {
  return { type: "integer", minimum: 1, description };
}

function node1(name: string, description: string): Schema {
  return { ...object({ [name]: { type: "string" } }), additionalProperties: false, description };
}

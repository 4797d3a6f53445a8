/** Bodies of the checks of policies (spec/console §4). */

import type { Schema, Schemas } from "../../../http/openapi/openapi-types.ts";
import { closedObject, listOf, object, schemaRef, text } from "../../../http/schema/schema-forms.ts";

const DOCUMENT: Schema = {
  type: ["string", "object"],
  description: "The policy: a JSON text, or an object with `statement`.",
};

const HOLDER: Schema = {
  type: ["object", "null"],
  description: "Either a user or a group.",
  properties: { user: { type: "string" }, group: { type: "string" } },
  additionalProperties: false,
};
const EFFECT: Schema = { enum: ["allow", "neutral", "deny"] };
const STATEMENT_NAME: Schema = object(
  {
    policy: text("Name of the policy."),
    statement: { type: "integer", minimum: 0, description: "Number of the statement, from 0." },
    sid: text("Its name."),
  },
  ["policy", "statement"],
);
const LINE: Schema = object(
  {
    kind: {
      enum: ["area", "list", "failure", "undecided"],
      description:
        "`area`: actions on resources; `list`: actions in lists, whatever the resource; `failure`: everything, where a statement of the other side cannot be evaluated; `undecided`: the comparison could not find out.",
    },
    actions: listOf({ type: "string" }, "Patterns of actions."),
    resource: text("Pattern of resources; `${user}` stands for the user's name."),
    known_actions: listOf({ type: "string" }, "The actions of the catalog among them."),
    except: listOf(
      object(
        { actions: listOf({ type: "string" }), resource: { type: "string" }, condition: { type: "object" } },
        ["actions", "resource"],
      ),
      "Left out of the line; where there is a condition, only where it holds.",
    ),
    conditions: listOf({ type: "object" }, "Conditions that all must hold."),
    comparison: object(
      { kind: { enum: ["equal", "wider", "new", "incomparable"] }, other: { type: "object" } },
      ["kind"],
    ),
    certainty: {
      enum: ["certain", "possible", "undecided"],
      description:
        "`certain`: the example was decided differently; `possible`: it depends on conditions, and no example was found.",
    },
    possible: {
      type: "boolean",
      description: "True if the example is a known action on a resource of its own kind.",
    },
    allowed_by: listOf(schemaRef("StatementName"), "The statements that allow it, on the side that does."),
    denied_by: listOf(schemaRef("StatementName"), "The statements that denied it, on the other side."),
    why: text("Reason of a line that is no area."),
    user: text("The only user it applies to."),
    not_for: listOf({ type: "string" }, "Users it does not apply to: they have their own lines."),
  },
  [
    "kind",
    "actions",
    "resource",
    "known_actions",
    "except",
    "conditions",
    "comparison",
    "certainty",
    "possible",
    "allowed_by",
    "denied_by",
  ],
);
const ACCESS = {
  line: schemaRef("DifferenceLine"),
  action: text("Action of the example; absent where there is none."),
  resource: text("Resource of the example."),
  any_resource: {
    type: "boolean",
    description: "True if it is about lists: the action on any resource.",
  },
  context: { type: "object", description: "Condition fields of the example." },
  certain: {
    type: "boolean",
    description: "False: it depends on conditions, and no example was found.",
  },
  before: EFFECT,
  after: EFFECT,
  statement: schemaRef("StatementName"),
  denied_by: schemaRef("StatementName"),
} as const;
const ACCESS_REQUIRED = ["line", "any_resource", "certain", "before", "after"];

/** Schemas of the checks. */
export const POLICY_CHECK_SCHEMAS: Schemas = {
  PolicyLintRequest: closedObject(
    {
      document: DOCUMENT,
      name: { type: ["string", "null"], description: "Name of the policy, if the document has none." },
    },
    ["document"],
  ),
  PolicyFinding: object(
    {
      severity: { enum: ["error", "warning", "note"] },
      rule: text("Name of the rule: docs/lint-rules.md has a section for each."),
      message: text("What is wrong, for people."),
      pointer: text("JSON pointer of the value that it is about."),
      line: { type: "integer", minimum: 1, description: "Line; absent where the document was an object." },
      column: { type: "integer", minimum: 1, description: "Column." },
    },
    ["severity", "rule", "message", "pointer"],
  ),
  PolicyLintAnswer: object({
    errors: { type: "integer", minimum: 0 },
    warnings: { type: "integer", minimum: 0 },
    complete: {
      type: "boolean",
      description: "False if there are more findings than 200, or the check took too long.",
    },
    findings: listOf(schemaRef("PolicyFinding"), "In the order of their places."),
  }),
  PolicyCompareRequest: closedObject(
    {
      name: {
        type: ["string", "null"],
        description: "Name of the policy; absent: that of the document.",
      },
      document: { ...DOCUMENT, type: ["string", "object", "null"] },
      delete: { type: ["boolean", "null"], description: "True: compares as if the policy were deleted." },
      attach: HOLDER,
      detach: HOLDER,
    },
    [],
  ),
  StatementName: STATEMENT_NAME,
  DifferenceLine: LINE,
  AccessChange: object(ACCESS, ACCESS_REQUIRED),
  ConcernedAccessChange: object(
    {
      users: {
        type: "integer",
        minimum: 1,
        description: "Users who hold the same policies as those with whom it was found.",
      },
      some: listOf({ type: "string" }, "Names of the first of them."),
      user: text("User of the example."),
      via: listOf(
        { type: "object", properties: { user: { type: "string" }, group: { type: "string" } } },
        "Ways in which that user holds the policy.",
      ),
      ...ACCESS,
    },
    ["users", ...ACCESS_REQUIRED],
  ),
  PolicyCompareAnswer: object({
    revision: { type: "integer", minimum: 0, description: "Revision that was looked at." },
    users: object({
      affected: { type: "integer", minimum: 0, description: "Users whose policies change." },
      compared: { type: "integer", minimum: 0, description: "Users who were compared." },
      gaining: { type: "integer", minimum: 0 },
      losing: { type: "integer", minimum: 0 },
    }),
    gains: listOf(
      schemaRef("ConcernedAccessChange"),
      "Everything that is gained, as lines that are exact together; those of most users first.",
    ),
    losses: listOf(schemaRef("ConcernedAccessChange"), "The same for what is lost."),
    alone: {
      ...object({ gains: listOf(schemaRef("AccessChange")), losses: listOf(schemaRef("AccessChange")) }),
      description: "For a user who holds no other policy.",
    },
    summary: text("The sum: `gains: 14 actions on 3 patterns, for 212 users; loses: nothing`."),
    left_out: listOf({ type: "string" }, "What was not looked at; empty if the answer is complete."),
  }),
};

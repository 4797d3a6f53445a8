/** Bodies of questions about access (spec/decision-log §5). */

import type { Schema, Schemas } from "../../../http/openapi/openapi-types.ts";
import {
  closedObject,
  listOf,
  object,
  schemaRef,
  text,
  UNIX_SECONDS,
} from "../../../http/schema/schema-forms.ts";

const COUNT: Schema = { type: "integer", minimum: 0 };
const LAST_USED: Schema = { ...UNIX_SECONDS, description: "Unix seconds; absent where no use is known." };
const WARNINGS = listOf({ type: "string" }, "What the reader has to know about the answer.");
const STATEMENT = {
  policy: text("Name of the policy."),
  statement: { ...COUNT, description: "Index of the statement in the policy." },
  sid: text("Name of the statement."),
} as const;

/** Absent where there is nothing; of a statement only what concerns it. */
const ACCEPTED = { accept: listOf(schemaRef("Acceptance"), "Findings of lint that the policy accepts.") };
const ACCEPTANCE = {
  rule: text("Rule of `svcctl policy lint`."),
  sid: text("The statement that is meant; absent: the whole policy."),
  reason: text("For people."),
} as const;

function unused(properties: Readonly<Record<string, Schema>>): Schema {
  return object({ ...properties, last_used: LAST_USED }, Object.keys(properties));
}

/** Schemas of what a list of unused access has. */
const UNUSED = [
  "UnusedUser",
  "UnusedKey",
  "UnusedGroup",
  "UnusedPolicy",
  "UnusedStatement",
  "UnusedActions",
] as const;

const NUMBERS = object({ policies: COUNT, statements: COUNT });
const TIME = text("RFC 3339.");
const NAMES = listOf({ type: "string" });

/** Schemas of the questions. */
export const ACCESS_SCHEMAS: Schemas = {
  AccessSuggestion: closedObject(
    {
      user: { type: ["string", "null"], minLength: 1, description: "Name of the user; or else `group`." },
      group: { type: ["string", "null"], minLength: 1, description: "Name of the group; or else `user`." },
      since: { type: ["string", "null"], description: "RFC 3339; 30 days ago by default." },
      until: { type: ["string", "null"], description: "RFC 3339, exclusive; now by default." },
      generalise: {
        enum: ["none", "prefix", "repository", null],
        default: "prefix",
        description: "Patterns for resources: none; common beginnings; everything in a repository.",
      },
    },
    [],
  ),
  ReviewedRight: object(
    {
      type: text("Resource type."),
      verbs: listOf({ type: "string" }, "Short names of actions on the type."),
      resources: listOf({ type: "string" }, "Patterns as written."),
      ...STATEMENT,
      via: listOf(schemaRef("Via"), "The ways in which the policy reaches the users."),
      conditional: { type: "boolean", description: "True where a condition has to hold." },
      last_used: {
        ...UNIX_SECONDS,
        description: "Last use of the statement with these actions, by anybody.",
      },
    },
    ["type", "verbs", "resources", "policy", "statement", "via", "conditional"],
  ),
  Acceptance: object(ACCEPTANCE, ["rule", "reason"]),
  ReviewedAcceptance: object({ policy: STATEMENT.policy, ...ACCEPTANCE }, ["policy", "rule", "reason"]),
  ReviewedStep: object({
    operation: text("Operation of the management API."),
    as: text("User who makes the call."),
    values: { type: "object", additionalProperties: { type: "string" } },
    allowed_by: listOf(object(STATEMENT, ["policy", "statement"]), "Statements that allow it."),
  }),
  ReviewedChange: object({
    revision: COUNT,
    at: TIME,
    actors: NAMES,
    users: NAMES,
    groups: NAMES,
    policies: NAMES,
  }),
  AccessReview: object(
    {
      at: TIME,
      since: TIME,
      revision: { ...COUNT, description: "Revision of the directory." },
      node: text("The node that answers."),
      counted_since: text("RFC 3339: since when use is counted."),
      counts: object({ users: COUNT, groups: COUNT, policies: COUNT, keys: COUNT }),
      administrators: listOf(
        object({
          user: text("Name."),
          steps: listOf(schemaRef("ReviewedStep"), "None: an administrator already."),
        }),
        "Administrators in effect.",
      ),
      undecided: { ...NAMES, description: "Users for whom the search for steps took too long." },
      access: listOf(
        object({
          users: listOf(object({ id: text("Name."), last_used: LAST_USED }, ["id"])),
          groups: NAMES,
          policies: { ...NAMES, description: "Policies that are attached to the users themselves." },
          rights: listOf(schemaRef("ReviewedRight")),
        }),
        "Users with the same groups and policies together.",
      ),
      accepted: listOf(
        schemaRef("ReviewedAcceptance"),
        "Findings of lint that policies accept, at most 1,000.",
      ),
      old_keys: listOf(schemaRef("OldKey"), "Access keys that are older than a year, the oldest first."),
      changes: listOf(schemaRef("ReviewedChange"), "Newest first, at most 1,000."),
      warnings: WARNINGS,
      truncated: { type: "boolean", description: "True where something is left out." },
    },
    [
      "at",
      "since",
      "revision",
      "node",
      "counts",
      "administrators",
      "undecided",
      "access",
      "accepted",
      "old_keys",
      "changes",
      "warnings",
      "truncated",
    ],
  ),
  SuggestedAccess: object({
    for: object({ user: text("Name of the user."), group: text("Name of the group.") }, []),
    since: TIME,
    until: TIME,
    generalise: { enum: ["none", "prefix", "repository"] },
    revision: { ...COUNT, description: "Revision of the directory." },
    node: text("The node whose records were read."),
    recorded_from: text("RFC 3339: time of the oldest record."),
    decisions: { ...COUNT, description: "Recorded decisions that were allowed." },
    requests: { ...COUNT, description: "Different requests among them." },
    before: NUMBERS,
    after: NUMBERS,
    policies: listOf(
      object({ id: text("A name."), statement: listOf(schemaRef("Statement")) }),
      "The suggestion: one policy, or none if nothing was used.",
    ),
    sources: listOf(
      listOf(object({ policy: text("Name."), statement: COUNT })),
      "For each statement of the suggestion, the statements of today of which it is a part.",
    ),
    replaces: listOf(
      object({ id: text("Name."), via: listOf(schemaRef("Via")) }),
      "The policies of today, and the ways in which they reach the user.",
    ),
    proof: object({
      allowed: { ...COUNT, description: "Requests that the suggestion allows: all." },
      wider: { ...COUNT, description: "Ways in which it allows more than today: 0." },
    }),
    warnings: WARNINGS,
  }),
  OldKey: unused({ access_key_id: text("Id."), user: text("Its user."), creation_date: UNIX_SECONDS }),
  UnusedUser: unused({ kind: { const: "user" }, id: text("Name."), creation_date: UNIX_SECONDS }),
  UnusedKey: unused({
    kind: { const: "key" },
    access_key_id: text("Id."),
    user: text("Its user."),
    creation_date: UNIX_SECONDS,
  }),
  UnusedGroup: unused({
    kind: { const: "group" },
    id: text("Name."),
    creation_date: UNIX_SECONDS,
    members: { ...COUNT, description: "Number of members." },
  }),
  UnusedPolicy: object(
    {
      kind: { const: "policy" },
      id: text("Name."),
      attached: { ...COUNT, description: "Users and groups that it is attached to." },
      ...ACCEPTED,
      last_used: LAST_USED,
    },
    ["kind", "id", "attached"],
  ),
  UnusedStatement: object(
    {
      kind: { const: "statement" },
      ...STATEMENT,
      ...ACCEPTED,
      effect: text("`allow` or `deny`."),
      last_used: LAST_USED,
    },
    ["kind", "policy", "statement", "effect"],
  ),
  UnusedActions: object(
    {
      kind: { const: "actions" },
      ...STATEMENT,
      ...ACCEPTED,
      unused: listOf({ type: "string" }, "Actions that the statement allows and nobody used."),
    },
    ["kind", "policy", "statement", "unused"],
  ),
  UnusedAccess: object(
    {
      pagination: schemaRef("Pagination"),
      results: listOf(
        { oneOf: UNUSED.map((name) => schemaRef(name)) },
        "What was not used; statements of policies of which others were used.",
      ),
      since: text("RFC 3339: what was used since then is not listed."),
      counted_since: text("RFC 3339: since when use is counted."),
      revision: { ...COUNT, description: "Revision of the directory." },
      nodes: listOf(
        object({ node: text("Name."), counted_since: text("RFC 3339.") }),
        "Nodes whose use is known.",
      ),
      warnings: WARNINGS,
    },
    ["pagination", "results", "since", "revision", "nodes", "warnings"],
  ),
};

/** Bodies of questions about access (decision-log.md §5). */

import type { Schema, Schemas } from "../../../http/openapi-types.ts";
import { listOf, object, schemaRef, text, UNIX_SECONDS } from "../../../http/schema-forms.ts";

const COUNT: Schema = { type: "integer", minimum: 0 };
const LAST_USED: Schema = { ...UNIX_SECONDS, description: "Unix seconds; absent where no use is known." };
const WARNINGS = listOf({ type: "string" }, "What the reader has to know about the answer.");
const STATEMENT = {
  policy: text("Name of the policy."),
  statement: { ...COUNT, description: "Index of the statement in the policy." },
  sid: text("Name of the statement."),
} as const;

function unused(properties: Readonly<Record<string, Schema>>): Schema {
  return object({ ...properties, last_used: LAST_USED }, Object.keys(properties));
}

/** Schemas of the questions. */
export const ACCESS_SCHEMAS: Schemas = {
  UnusedUser: unused({ id: text("Name."), creation_date: UNIX_SECONDS }),
  UnusedKey: unused({ access_key_id: text("Id."), user: text("Its user."), creation_date: UNIX_SECONDS }),
  UnusedGroup: unused({
    id: text("Name."),
    creation_date: UNIX_SECONDS,
    members: { ...COUNT, description: "Number of members." },
  }),
  UnusedPolicy: unused({
    id: text("Name."),
    attached: { ...COUNT, description: "Users and groups that it is attached to." },
  }),
  UnusedStatement: object({ ...STATEMENT, effect: text("`allow` or `deny`."), last_used: LAST_USED }, [
    "policy",
    "statement",
    "effect",
  ]),
  UnusedActions: object(
    {
      ...STATEMENT,
      unused: listOf({ type: "string" }, "Actions that the statement allows and nobody used."),
    },
    ["policy", "statement", "unused"],
  ),
  UnusedAccess: object(
    {
      since: text("RFC 3339: what was used since then is not listed."),
      counted_since: text("RFC 3339: since when use is counted."),
      revision: { ...COUNT, description: "Revision of the directory." },
      nodes: listOf(
        object({ node: text("Name."), counted_since: text("RFC 3339.") }),
        "Nodes whose use is known.",
      ),
      users: listOf(schemaRef("UnusedUser")),
      keys: listOf(schemaRef("UnusedKey")),
      groups: listOf(schemaRef("UnusedGroup")),
      policies: listOf(schemaRef("UnusedPolicy")),
      statements: listOf(schemaRef("UnusedStatement"), "Statements of policies of which others were used."),
      actions: listOf(schemaRef("UnusedActions")),
      warnings: WARNINGS,
      truncated: { type: "boolean", description: "True where a list has more entries than are shown." },
    },
    [
      "since",
      "revision",
      "nodes",
      "users",
      "keys",
      "groups",
      "policies",
      "statements",
      "actions",
      "warnings",
      "truncated",
    ],
  ),
};

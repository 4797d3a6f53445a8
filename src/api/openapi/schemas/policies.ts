/** Policies and statements. */

import type { Schema, Schemas } from "../openapi-types.ts";
import { listOf, object, optionalText, schemaRef, text, UNIX_SECONDS } from "../schema-forms.ts";

const CONDITION: Schema = {
  type: ["object", "null"],
  description: "Operator → field → values; all must hold.",
  additionalProperties: {
    type: "object",
    additionalProperties: listOf({ type: "string" }),
  },
  examples: [{ IpAddress: { SourceIp: ["10.0.0.0/8"] } }],
};

const ACTIONS: Schema = {
  ...listOf({ type: "string", minLength: 1 }, "`*` or `service:Verb`, in which `*` and `?` are wildcards."),
  minItems: 1,
  examples: [["fs:Read*"]],
};

const RESOURCE: Schema = {
  type: "string",
  minLength: 1,
  description:
    "An ARN with wildcards, `*`, or a JSON array of such inside the string. `${user}` stands for the user's name.",
  examples: ["arn:svc:fs:::repository/data/*"],
};

const SID: Schema = {
  type: ["string", "null"],
  pattern: "^[A-Za-z0-9._-]{1,128}$",
  description: "Name of the statement, for people; decisions do not depend on it.",
  examples: ["OwnBranches"],
};

const NAME = text("Unique name, at most 1,024 bytes, without `/` and `%`.");
const STATEMENTS = { ...listOf(schemaRef("Statement")), minItems: 1 };
const ACL = "Label of a group's access control list, kept as it was given.";

const WRITTEN = {
  statement: STATEMENTS,
  creation_date: {
    ...UNIX_SECONDS,
    type: ["integer", "null"],
    description: "Unix time in whole seconds; now where it is absent.",
  },
  acl: optionalText(ACL),
} as const satisfies Schemas;

/** Schemas of policies. */
export const POLICY_SCHEMAS: Schemas = {
  Statement: object(
    {
      sid: SID,
      effect: { enum: ["allow", "deny"] },
      action: ACTIONS,
      resource: RESOURCE,
      condition: CONDITION,
    },
    ["effect", "action", "resource"],
  ),
  Policy: object({ name: NAME, creation_date: UNIX_SECONDS, statement: STATEMENTS, acl: text(ACL) }, [
    "name",
    "creation_date",
    "statement",
  ]),
  PolicyCreation: object({ name: NAME, ...WRITTEN }, ["name", "statement"]),
  PolicyUpdate: object({ name: optionalText("If given, the name in the path."), ...WRITTEN }, ["statement"]),
};

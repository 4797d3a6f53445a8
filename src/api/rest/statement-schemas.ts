/** Statements of policies. */

import type { Schema, Schemas } from "../../http/openapi/openapi-types.ts";
import { closedObject, listOf, schemaRef } from "../../http/schema/schema-forms.ts";

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

/** The statements of a policy, at least one. */
export const STATEMENTS: Schema = { ...listOf(schemaRef("Statement")), minItems: 1 };

/** Findings of lint that somebody accepted (docs/lint-rules.md). */
export const ACCEPT: Schema = {
  ...listOf(
    closedObject(
      {
        rule: {
          type: "string",
          pattern: "^[a-z][a-z-]{0,63}$",
          description: "Rule of `svcctl policy lint`.",
        },
        sid: { ...SID, description: "The statement that is meant; absent: the whole policy." },
        reason: { type: "string", pattern: "^[\\s\\S]{1,1000}$", description: "For people." },
      },
      ["rule", "reason"],
    ),
    "Findings of lint that are accepted. Decisions do not depend on it, and a data server never sees it.",
  ),
  maxItems: 100,
  examples: [[{ rule: "self-escalation", sid: "Everything", reason: "Administrators manage every right." }]],
};

/** The schema of a statement. */
export const STATEMENT_SCHEMAS: Schemas = {
  Statement: closedObject(
    {
      sid: SID,
      effect: { enum: ["allow", "deny"] },
      action: ACTIONS,
      resource: RESOURCE,
      condition: CONDITION,
    },
    ["effect", "action", "resource"],
  ),
};

/** Policies. */

import type { Schemas } from "../../../http/openapi/openapi-types.ts";
import { object, optionalText, text, UNIX_SECONDS } from "../../../http/schema/schema-forms.ts";
import { STATEMENT_SCHEMAS, STATEMENTS } from "../../rest/statement-schemas.ts";

const NAME = text("Unique name, at most 1,024 bytes, without `/` and `%`.");
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
  ...STATEMENT_SCHEMAS,
  Policy: object({ name: NAME, creation_date: UNIX_SECONDS, statement: STATEMENTS, acl: text(ACL) }, [
    "name",
    "creation_date",
    "statement",
  ]),
  PolicyCreation: object({ name: NAME, ...WRITTEN }, ["name", "statement"]),
  PolicyUpdate: object({ name: optionalText("If given, the name in the path."), ...WRITTEN }, ["statement"]),
};

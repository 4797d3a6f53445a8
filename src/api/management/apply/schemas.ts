/** Bodies of applying documents. */

import type { Schema, Schemas } from "../../../http/openapi/openapi-types.ts";
import { closedObject, listOf, object, schemaRef, text } from "../../../http/schema/schema-forms.ts";

const COUNT: Schema = { type: "integer", minimum: 0 };

/** The schemas. */
export const APPLY_SCHEMAS: Schemas = {
  ApplyRequest: closedObject(
    {
      manager: {
        type: "string",
        pattern: "^[A-Za-z0-9][A-Za-z0-9._/@-]{0,127}$",
        description:
          "Name under which the last application is kept: 1 to 128 letters, digits and `. _ / @ -`. An entity has one manager.",
      },
      documents: {
        ...listOf({ type: "object" }),
        minItems: 1,
        maxItems: 10_000,
        description:
          "Data sets: policies/schema/dataset.schema.json, with users, groups and policies. All of them together are what the manager says.",
      },
      prune: {
        type: "boolean",
        default: false,
        description:
          "Also remove users, groups and policies that the documents named before and no longer name.",
      },
      dry_run: { type: "boolean", default: false, description: "Answer with the difference, write nothing." },
      yes: {
        type: "boolean",
        default: false,
        description: "Remove more than half of what the manager applied before, if that is the difference.",
      },
      expected: text(
        "`digest` of an earlier answer. If the difference is another one by now, the answer is 409.",
      ),
    },
    ["manager", "documents"],
  ),
  AppliedChange: object(
    {
      action: {
        enum: ["add", "change", "remove", "keep"],
        description: "`keep`: no document names it any more, and `prune` would remove it.",
      },
      kind: { enum: ["user", "group", "policy", "membership", "attachment"] },
      name: text("`alice`, `alice in Readers`, `FSReadAll to group Readers`."),
      fields: listOf({ type: "string" }, "The fields that change, sorted."),
      before: { type: "object", description: "The fields that change, as they are." },
      after: {
        type: "object",
        description: "New values of the fields that change; all fields of an addition.",
      },
      policies: listOf({ type: "string" }, "Policies that a new membership gives to the user."),
      policy_count: {
        type: "integer",
        minimum: 0,
        description:
          "In place of `policies` where all memberships together give too many to be named: their number.",
      },
      drifted: {
        type: "boolean",
        description: "True if somebody else changed it since the last application.",
      },
      at: text("JSON pointer into the request; absent for what no document names."),
    },
    ["action", "kind", "name"],
  ),
  AppliedProblem: object({
    pointer: text("JSON pointer into the request; empty for all of it."),
    message: text("For people."),
  }),
  ApplyAnswer: object({
    manager: text("As in the request."),
    dry_run: { type: "boolean", description: "True if nothing was written." },
    changes: listOf(schemaRef("AppliedChange"), "The difference, in the order in which it is taken away."),
    counts: object({ add: COUNT, change: COUNT, remove: COUNT, keep: COUNT }),
    removes_most: {
      type: "boolean",
      description: "True if it removes more than half of what the manager applied before, which takes `yes`.",
    },
    digest: text("Digest of the difference, for `expected`."),
    refused: listOf(schemaRef("AppliedProblem"), "Changes that the caller may not make; only in a dry run."),
    warnings: listOf(
      schemaRef("AppliedProblem"),
      "What gives more than the caller holds, and policies that may not do what is meant.",
    ),
  }),
};

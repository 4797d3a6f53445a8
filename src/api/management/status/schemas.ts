/** The answer about the state of the service (spec/console §4.4). */

import type { Schema, Schemas } from "../../../http/openapi/openapi-types.ts";
import { listOf, object, text, UNIX_SECONDS } from "../../../http/schema/schema-forms.ts";

const COUNT: Schema = { type: "integer", minimum: 0 };
const REVISION: Schema = { ...COUNT, description: "Revision of the directory." };
const TIME = text("RFC 3339 date and time.");
const NAMES = listOf({ type: "string" });

function counted(items: Schema, description: string): Schema {
  return { ...object({ count: COUNT, some: listOf(items) }), description };
}

/** Schemas of the state. */
export const STATUS_SCHEMAS: Schemas = {
  Status: object(
    {
      node: text("Name of the node."),
      version: text("Version of the service."),
      started_at: TIME,
      ready: { type: "boolean" },
      reasons: { ...NAMES, description: "Reasons why it is not ready." },
      database: {
        ...object(
          {
            trouble: {
              type: "string",
              description:
                "`away`, `read_only`, `locked`, `access`, `full`, `busy`, `behind`, `other_log`, `rebuilding` or `failing`; others may be added.",
            },
            since: TIME,
            decisions_stop_at: {
              ...TIME,
              description: "RFC 3339. Absent while decisions go on from the newest state.",
            },
            message: text("What is wrong, what goes on, and what is refused."),
          },
          ["trouble", "since", "message"],
        ),
        description: "Trouble with the shared database; absent while there is none.",
      },
      revision: REVISION,
      staleness_ms: {
        ...COUNT,
        description:
          "Milliseconds since the node was known to have the newest revision; absent for a store of one node.",
      },
      lag_ms: {
        type: "integer",
        description: "Milliseconds that the newest entry of another node took to get here.",
      },
      decisions: object(
        {
          since: TIME,
          unanswered: {
            ...COUNT,
            description:
              "Processes of the node that did not report in time: their decisions are missing. Absent: none.",
          },
          per_second: { type: "number", minimum: 0 },
          minutes: listOf(
            object({ at: TIME, allowed: COUNT, refused: COUNT }),
            "Minutes with decisions, oldest first, of the last six hours.",
          ),
        },
        ["since", "per_second", "minutes"],
      ),
      refusals_by_policy: listOf(
        object({
          policy: {
            type: ["string", "null"],
            description: "null: no statement allowed it, and none denied it.",
          },
          count: COUNT,
        }),
        "Of the newest records; absent if no decisions are logged, and while a large log is still read.",
      ),
      warnings: object({
        revision: REVISION,
        complete: { type: "boolean" },
        old_keys: counted(
          object({ user: text("Name."), access_key_id: text("Id."), creation_date: UNIX_SECONDS }),
          "Access keys older than a year, the oldest first.",
        ),
        doubtful_policies: counted(
          object({ policy: text("Name."), warnings: COUNT, message: text("The first warning.") }),
          "Policies that are valid, and that lint warns of.",
        ),
        administrators: counted({ type: "string" }, "Users who may attach any policy to any user."),
      }),
      changes: listOf(
        object({
          revision: REVISION,
          at: TIME,
          actors: NAMES,
          users: NAMES,
          groups: NAMES,
          policies: NAMES,
          more: { type: "boolean", description: "True if more changed than is named." },
        }),
        "Newest first.",
      ),
    },
    ["ready", "reasons"],
  ),
};

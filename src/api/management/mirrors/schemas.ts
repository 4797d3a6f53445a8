/** Bodies of the replication API. */

import type { Schema, Schemas } from "../../../http/openapi/openapi-types.ts";
import {
  closedObject,
  listOf,
  object,
  optionalText,
  text,
  UNIX_SECONDS,
} from "../../../http/schema/schema-forms.ts";
import { pageOf } from "../../rest/declared.ts";

function count(description: string): Schema {
  return { type: "integer", minimum: 0, description };
}

function timeOrNull(description: string): Schema {
  return { type: ["integer", "null"], minimum: 0, description };
}

const PATTERNS = listOf(
  { type: "string" },
  "Patterns of whole names of branches: `*` for any text, `?` for one character.",
);

/** The schemas. */
export const MIRROR_SCHEMAS: Schemas = {
  MirrorCreation: closedObject({
    name: text("Name of the mirror's repository: 3 to 63 lower-case letters, digits and `-`."),
    region: text("One of `authorizer.mirroring.regions`."),
    storage_namespace: text("Where the object store replicates the source's namespace to."),
  }),
  MirrorBranches: closedObject({ include: PATTERNS, exclude: PATTERNS }, []),
  Mirror: object({
    id: text("Its name."),
    name: text("Name of its repository at the region's data server."),
    region: text("Name of the region."),
    source_repository: text("The repository that is mirrored."),
    storage_namespace: text("Its storage namespace."),
    default_branch: optionalText("The source's default branch; null until the first pass."),
    state: {
      enum: ["creating", "syncing", "active", "degraded", "deleting", "failed"],
      description:
        "`active`: every branch shows the source's newest commit. `syncing`: some wait. `degraded`, `failed`: see `reason`.",
    },
    reason: text("Why it is not active, since when, an example of what is missing, and what to do."),
    write_protection: {
      enum: ["enforced", "unknown"],
      description:
        "`enforced`: the region's data server asks this service, which refuses all writes but the mirror's own.",
    },
    created_at: UNIX_SECONDS,
    created_by: text("Name of the user who created it."),
    branches: object({
      include: listOf({ type: "string" }, "Empty: all branches."),
      exclude: listOf({ type: "string" }, "Wins over `include`."),
    }),
    progress: object({
      branches: count("Branches that are mirrored."),
      commits_recorded: count("Commits in the mirror's log."),
      commits_pending: count("Commits of which data was not seen yet: no branch shows them."),
      oldest_pending_at: timeOrNull("Unix seconds at which the oldest of them was recorded."),
      objects_missing: count("Missing objects: a lower bound."),
      objects_gone_at_source: count("Objects that the source lost, too."),
      external_objects: count("Objects outside the source's storage namespace."),
      lag_seconds: count(
        "Seconds since the oldest head was first seen that the mirror does not show, or since a data server does not answer.",
      ),
      acted_at: timeOrNull(
        "Unix seconds at which a process that acts for the mirror wrote last, which it does every five minutes at least.",
      ),
    }),
    heads: listOf(
      object({
        branch: text("Name of the branch."),
        source: text("Its newest commit at the source."),
        mirror: optionalText("Its commit on the mirror; null: the mirror does not have it yet."),
        since: timeOrNull("Unix seconds since when the source has a head that the mirror does not show."),
      }),
      "At most 1,000 branches, those that wait first.",
    ),
  }),
  MirrorList: pageOf("Mirror"),
  MirrorDeletion: object({ state: { const: "deleting", description: "The region has not answered yet." } }),
};

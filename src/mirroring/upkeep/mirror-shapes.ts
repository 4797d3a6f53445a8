/** Shapes of what is stored of mirrors: their records, the state of their progress, and the lines of their logs. */

import { MOST_GONE } from "../data/missing-data.ts";
import { REPOSITORY } from "../names.ts";
import { MOST_HEADS } from "../progress/branch-heads.ts";
import { shapeOf } from "./shapes.ts";

const text = { type: "string", must: "a text" };
const count = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER, must: "a number from 0 on" };
const yes = { const: true, must: "true" };
const name = { type: "string", minLength: 1, must: "a text that is not empty" };
const commit = { type: "string", pattern: "^[0-9a-f]{64}$", must: "the id of a commit" };
const repository = { type: "string", pattern: REPOSITORY.source, must: "the name of a repository" };
const namespace = { type: "string", isNamespace: true, must: "a text" };

function listOf(items: object, limits: { readonly minItems?: number; readonly maxItems?: number } = {}) {
  return { type: "array", items, ...limits, must: "a list" };
}

/** An object with any names, whose values have one shape. */
function tableOf(additionalProperties: object) {
  return { type: "object", additionalProperties, must: "an object" };
}

/** An object with these members; those of `more` may be absent. */
function objectOf(members: object, more: object = {}) {
  return {
    type: "object",
    properties: { ...members, ...more },
    required: Object.keys(members),
    additionalProperties: false,
    must: "an object",
  };
}

/** A mirror as it was asked for. */
export const MIRROR_RECORD = shapeOf(
  objectOf(
    {
      uid: name,
      region: name,
      source_repository: repository,
      storage_namespace: namespace,
      branches: objectOf({ include: listOf(text), exclude: listOf(text) }),
      created_at: count,
      created_by: text,
    },
    { deleting: yes, gone_at: count },
  ),
);

const head = objectOf({ index: count, commit, at: count }, { isForeign: yes });

const findings = objectOf(
  {
    phase: {
      enum: ["creating", "syncing", "active", "degraded", "failed"],
      must: "one of creating, syncing, active, degraded, failed",
    },
    reason: text,
    recorded: count,
    pending: count,
    missing: count,
    blocking: count,
  },
  { defaultBranch: text, oldestPendingSince: count, trouble: objectOf({ message: text, since: count }) },
);

const gone = {
  type: "array",
  prefixItems: [text, count, text, count],
  minItems: 4,
  maxItems: 4,
  must: "a list of 4",
};

/** The state of a mirror's progress. */
export const MIRROR_STATE = shapeOf(
  objectOf(
    {
      term: count,
      branches: tableOf(
        objectOf(
          { next: count, heads: listOf(head, { maxItems: MOST_HEADS + 1 }) },
          { position: head, intent: head, absences: count },
        ),
      ),
      gone: listOf(gone, { maxItems: MOST_GONE }),
      verified: tableOf(listOf(text)),
      external: count,
      goneAtSource: count,
      pieces: count,
    },
    {
      identity: objectOf({
        sourceCreatedAt: count,
        sourceNamespace: text,
        mirrorCreatedAt: count,
        since: count,
      }),
      findings,
      actedAt: count,
      recheck: objectOf({ at: count, lost: listOf(text) }),
      deletion: objectOf({}, { calledAt: count }),
    },
  ),
);

/** A commit that was recorded, with its parents behind, or the id of one that is complete. */
const line = {
  if: { type: "array" },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { prefixItems: [commit, text, count], items: commit, minItems: 3, must: "a list of 3 or more" },
  else: commit,
};

/** A line of a log. */
export const LOG_LINE = shapeOf(line);

/** A piece of a log; none is written without lines. */
export const LOG_PIECE = shapeOf(listOf(line, { minItems: 1 }));

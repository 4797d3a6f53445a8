/** Shapes of what is stored of mirrors: their records, the state of their progress, and the lines of their logs. */

import { MOST_GONE } from "../data/missing-data.ts";
import { isRepositoryName, namespaceProblem } from "../names.ts";
import { MOST_HEADS } from "../progress/branch-heads.ts";
import {
  count,
  listOf,
  type Misfit,
  matching,
  objectOf,
  oneOf,
  type Shape,
  tableOf,
  text,
  tupleOf,
} from "./shapes.ts";

const commit = matching(/^[0-9a-f]{64}$/, "the id of a commit");
const name = matching(/./s, "a text that is not empty");

const repository: Shape = (value, at = "") =>
  typeof value === "string" && isRepositoryName(value)
    ? undefined
    : { at, message: "must be the name of a repository" };

const namespace: Shape = (value, at = "") => {
  const problem = typeof value === "string" ? namespaceProblem(value) : "must be a text";
  return problem === undefined ? undefined : { at, message: problem };
};

const patterns = listOf(text);

/** A mirror as it was asked for. */
export const MIRROR_RECORD = objectOf(
  {
    uid: name,
    region: name,
    source_repository: repository,
    storage_namespace: namespace,
    branches: objectOf({ include: patterns, exclude: patterns }),
    created_at: count,
    created_by: text,
  },
  { deleting: oneOf(true), gone_at: count },
);

const head = objectOf({ index: count, commit, at: count }, { isForeign: oneOf(true) });

/** The state of a mirror's progress. */
export const MIRROR_STATE = objectOf(
  {
    term: count,
    branches: tableOf(
      objectOf(
        { next: count, heads: listOf(head, MOST_HEADS + 1) },
        { position: head, intent: head, absences: count },
      ),
    ),
    gone: listOf(tupleOf(text, count, text, count), MOST_GONE),
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
    findings: objectOf(
      {
        phase: oneOf("creating", "syncing", "active", "degraded", "failed"),
        reason: text,
        recorded: count,
        pending: count,
        missing: count,
        blocking: count,
      },
      {
        defaultBranch: text,
        oldestPendingSince: count,
        trouble: objectOf({ message: text, since: count }),
      },
    ),
    actedAt: count,
    recheck: objectOf({ at: count, lost: listOf(text) }),
    deletion: objectOf({}, { calledAt: count }),
  },
);

/** A line of a log: a commit that was recorded, with its parents behind, or the id of one that is complete. */
export const LOG_LINE: Shape = (value, at = "") => {
  if (!Array.isArray(value)) return commit(value, at);
  const [id, metaRange, since, ...parents]: unknown[] = value;
  const found: (Misfit | undefined)[] = [
    commit(id, `${at}.0`),
    text(metaRange, `${at}.1`),
    count(since, `${at}.2`),
    listOf(commit)(parents, at),
  ];
  return found.find((one) => one !== undefined);
};

/** A piece of a log; none is written without lines. */
export const LOG_PIECE: Shape = (value, at = "") =>
  Array.isArray(value) && value.length === 0 ? { at, message: "has no lines" } : listOf(LOG_LINE)(value, at);

/** `GET /auth/status`: the node that answers, and its directory, at a glance (spec/console §4.4). */

import type { Reply } from "../../../http/route.ts";
import { BASE_PATH, json } from "../../rest/operation.ts";
import { answerWith } from "../../rest/operation-kinds.ts";
import type { ManagementParts, UserDeclaration } from "../declaration.ts";
import { statusBody, statusBodyWhenStale } from "./status-body.ts";

const EXAMPLE = {
  node: "node-1",
  version: "0.2.0",
  started_at: "2026-11-22T08:00:00.000Z",
  ready: true,
  reasons: [],
  revision: 1204,
  decisions: {
    since: "2026-11-22T08:00:00.000Z",
    per_second: 41.5,
    minutes: [{ at: "2026-11-22T09:30:00.000Z", allowed: 2_400, refused: 90 }],
  },
  refusals_by_policy: [
    { policy: null, count: 71 },
    { policy: "DenySecrets", count: 19 },
  ],
  warnings: {
    revision: 1204,
    complete: true,
    old_keys: {
      count: 1,
      some: [{ user: "alice", access_key_id: "AKIAJEXAMPLEEXAMPLEQ", creation_date: 1_740_000_000 }],
    },
    doubtful_policies: {
      count: 1,
      some: [{ policy: "ReadData", warnings: 1, message: "the data server has no action fs:ReadObjects" }],
    },
    administrators: { count: 1, some: ["admin"] },
  },
  changes: [
    {
      revision: 1204,
      at: "2026-11-22T09:29:00.000Z",
      actors: ["admin"],
      users: [],
      groups: [],
      policies: ["ReadData"],
      more: false,
    },
  ],
};

const NO_STORE = ["Cache-Control", "no-store"];

/** The operation. */
export const STATUS_OPERATION: UserDeclaration = {
  access: "permitted",
  permission: { action: "auth:ReadDecisions", resource: "*" },
  method: "GET",
  priority: "bulk",
  tag: "service",
  id: "getStatus",
  path: `${BASE_PATH}/auth/status`,
  summary: "The state of this node and its directory at a glance",
  description:
    "Health, revision and lag of the node that answers; its decisions for each minute of the last six hours; refusals by policy; warnings; the newest changes. Warnings are found in the background, so they may be of an earlier revision, and absent for a moment after the start. A node that was cut off from its database for too long knows no callers: it says so to everybody, and leaves out all but `ready`, `reasons` and `database`.",
  answer: answerWith(200, "Status", EXAMPLE),
  handler: (parts) => () => status(parts),
  whenStale:
    ({ status: source }) =>
    () =>
      json(200, statusBodyWhenStale(source.readWhenStale()), NO_STORE),
};

async function status({ status: source }: ManagementParts): Promise<Reply> {
  return json(200, statusBody(await source.read(), Date.now()), NO_STORE);
}

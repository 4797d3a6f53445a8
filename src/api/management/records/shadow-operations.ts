/** `GET /shadow/report`: what a shadow candidate would change (spec/decision-log §4.2). */

import { mergeShadowReports, shadowGroups } from "../../../decisions/shadow/shadow-report.ts";
import { RequestRefused } from "../../../http/errors.ts";
import { schemaRef } from "../../../http/schema/schema-forms.ts";
import { BASE_PATH, json } from "../../rest/operation.ts";
import type { UserDeclaration } from "../declaration.ts";
import type { ShadowReports } from "./ports.ts";

const STATEMENT = { policy: "ReadData", statement: 0 };

/** The operation. */
export const SHADOW_OPERATIONS: readonly UserDeclaration[] = [
  {
    access: "permitted",
    permission: { action: "auth:ReadDecisions", resource: "*" },
    method: "GET",
    priority: "bulk",
    tag: "decisions",
    id: "getShadowReport",
    path: `${BASE_PATH}/shadow/report`,
    summary: "Get what the shadow candidate would change",
    description: "About the decisions since the candidate was loaded, of this node and all its processes.",
    answer: {
      status: 200,
      description: "The comparison.",
      schema: schemaRef("ShadowReport"),
      example: {
        node: "node-1",
        candidate: { source: "/etc/candidate", kind: "policies", loaded_at: "2026-11-22T09:30:01.250Z" },
        share: 1,
        decisions: 25_000,
        dropped: 0,
        failed: 0,
        wider: 0,
        narrower: 1,
        groups: [{ change: "narrower", statement: STATEMENT, side: "removed", count: 1 }],
        differences: [
          {
            at: "2026-11-22T09:31:07.003Z",
            entrance: "check",
            request_id: "8f1c",
            user: "alice",
            request: "fs:ReadObject arn:svc:fs:::repository/data/object/a.csv",
            change: "narrower",
            effect: "neutral",
            statement: STATEMENT,
            side: "removed",
          },
        ],
      },
    },
    errors: [404],
    missing: "no shadow candidate is configured (authorizer.shadow.candidate)",
    handler:
      ({ shadow }) =>
      async () => {
        const { node, reports } = needShadow(shadow);
        const { reports: found, unanswered } = await reports();
        if (found.length === 0) throw new RequestRefused(503, "no process reports now", [], "unavailable");
        const merged = mergeShadowReports(found);
        const silent = unanswered > 0 && { unanswered };
        return json(200, { node, ...silent, ...merged, groups: shadowGroups(merged.differences) });
      },
  },
];

function needShadow(shadow: ShadowReports | undefined): ShadowReports {
  if (shadow !== undefined) return shadow;
  const message = "no shadow candidate is configured (authorizer.shadow.candidate)";
  throw new RequestRefused(404, message, [], "not_found");
}

/** `POST /auth/access/suggest`: the smallest policies that would have sufficed (spec/decision-log §5.3). */

import { RequestRefused } from "../../../http/errors.ts";
import { BASE_PATH } from "../../rest/operation.ts";
import { answerWith } from "../../rest/operation-kinds.ts";
import type { UserCall } from "../call.ts";
import { bodyOf, type UserDeclaration } from "../declaration.ts";
import { answered, SHARED, timeOf } from "./access-calls.ts";
import type { SuggestRequest } from "./ports.ts";

const DEFAULT_DAYS = 30;
const GENERALISATIONS: readonly SuggestRequest["generalise"][] = ["none", "prefix", "repository"];

/** The operation. */
export const SUGGEST_OPERATION: UserDeclaration = {
  ...SHARED,
  method: "POST",
  reads: true,
  id: "suggestPolicies",
  path: `${BASE_PATH}/auth/access/suggest`,
  summary: "Suggest smaller policies",
  description:
    "The smallest policies that allow every decision that was recorded as allowed for a user or for the members of a group, and nothing that their policies of today do not. Both are proven before the answer. Changes nothing.",
  body: bodyOf("AccessSuggestion", { user: "alice", since: "2026-10-23T00:00:00Z", generalise: "prefix" }),
  answer: answerWith(200, "SuggestedAccess", {
    for: { user: "alice" },
    since: "2026-10-23T00:00:00.000Z",
    until: "2026-11-22T09:30:00.000Z",
    generalise: "prefix",
    revision: 1204,
    node: "node-1",
    recorded_from: "2026-09-01T08:00:00.000Z",
    decisions: 18_211,
    requests: 40,
    before: { policies: 2, statements: 5 },
    after: { policies: 1, statements: 1 },
    policies: [
      {
        id: "suggested-alice",
        statement: [
          {
            effect: "allow",
            action: ["fs:ReadObject"],
            resource: "arn:svc:fs:::repository/data/object/2026/*",
          },
        ],
      },
    ],
    sources: [[{ policy: "ReadData", statement: 0 }]],
    replaces: [{ id: "ReadData", via: [{ group: "Analysts" }] }],
    proof: { allowed: 40, wider: 0 },
    warnings: [],
  }),
  errors: [400, 404],
  missing: "no such user or group",
  handler: (parts) => (call) =>
    answered(call, parts, (questions, caller, signal) => questions.suggest(caller, requestOf(call), signal)),
};

interface SuggestBody {
  readonly user?: string | null;
  readonly group?: string | null;
  readonly since?: string | null;
  readonly until?: string | null;
  readonly generalise?: SuggestRequest["generalise"] | null;
}

function requestOf(call: UserCall): SuggestRequest {
  const body = call.body as SuggestBody;
  const [user, group] = [body.user ?? undefined, body.group ?? undefined];
  if ((user === undefined) === (group === undefined)) {
    throw new RequestRefused(400, "give either user or group");
  }
  const generalise = body.generalise ?? "prefix";
  if (!GENERALISATIONS.includes(generalise)) {
    throw new RequestRefused(400, `generalise: must be one of ${GENERALISATIONS.join(", ")}`);
  }
  const since = timeOf(body.since, "since", DEFAULT_DAYS);
  const until = timeOf(body.until, "until", 0);
  if (until <= since) throw new RequestRefused(400, "until: must be after since");
  return { user, group, since, until, generalise };
}

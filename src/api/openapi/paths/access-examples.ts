/** Examples of the decision calls, by the name of what they are examples of. */

const OBJECT = "arn:svc:fs:::repository/data/object/report.csv";
const READ = { action: "fs:ReadObject", resource: OBJECT };
const DENIED = { allowed: false, effect: "neutral", message: "insufficient permissions: not allowed" };

/** All of them. */
export const ACCESS_EXAMPLES = {
  EvaluationRequest: {
    subject: { type: "user", id: "alice" },
    action: { name: "read" },
    resource: { type: "object", id: "data/report.csv" },
    context: { SourceIp: "10.0.0.7" },
  },
  EvaluationAnswer: { decision: true },
  EvaluationsRequest: {
    subject: { type: "user", id: "alice" },
    action: { name: "fs:ReadRepository" },
    evaluations: [
      { resource: { type: "repository", id: "data" } },
      { resource: { type: "arn", id: "arn:svc:fs:::repository/other" } },
    ],
  },
  EvaluationsAnswer: {
    evaluations: [
      { decision: true },
      { decision: false, context: { id: "d-1", reason_user: { "403": DENIED.message } } },
    ],
  },
  CheckRequest: {
    user: "alice",
    required: { or: [READ, { and: [{ any_resource: { action: "fs:ListObjects" } }] }] },
  },
  CheckAnswer: { allowed: true, effect: "allow" },
  RequestCheck: {
    user: "alice",
    method: "GET",
    path: "/api/v1/repositories/data/refs/main/objects",
    query: { path: "report.csv" },
    api: "main",
  },
  RequestAnswer: { operation: "getObject", required: READ, allowed: true, effect: "allow", id: "d-3" },
  FilterRequest: { user: "alice", action: "fs:ReadObject", resources: [OBJECT, `${OBJECT}.gz`] },
  FilterAnswer: { allowed: [0, 1], complete: true },
  FilterStreamRequest: `${JSON.stringify({ user: "alice", action: "fs:ReadObject" })}\n${JSON.stringify(OBJECT)}\n`,
  FilterStreamAnswer: '{"index":0}\n{"complete":true,"items":1,"allowed":1}\n',
  SimulateRequest: {
    user: "alice",
    policies: [{ name: "Reads", statement: [{ effect: "allow", action: ["fs:Read*"], resource: "*" }] }],
    required: READ,
  },
  SimulateAnswer: { ...DENIED, id: "d-2" },
} as const satisfies Readonly<Record<string, unknown>>;

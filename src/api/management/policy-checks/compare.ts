/** `POST /auth/policies/compare`: who gains and who loses by a change that was not made yet (spec/console §4.3). */

import { isErrorCode, type Problem } from "@svc-authorizer/policy/errors.ts";
import { invalidRequest } from "../../../http/errors.ts";
import type { Reply } from "../../../http/route.ts";
import type { AccessChange, Impact, PolicyHolder } from "../../../insight/impact/access-change.ts";
import { EXAMPLE_STATEMENT } from "../../rest/declared.ts";
import { BASE_PATH, json } from "../../rest/operation.ts";
import { answerWith } from "../../rest/operation-kinds.ts";
import type { UserCall } from "../call.ts";
import { bodyOf, type ManagementParts, type UserDeclaration } from "../declaration.ts";
import { OwnText, PermissionRefused } from "../errors.ts";
import { requirePermission } from "../permissions/permissions.ts";
import { impactBody } from "./impact-body.ts";
import { ON_ALL_POLICIES } from "./permission.ts";

const LINE = {
  kind: "area",
  actions: ["fs:ReadObject"],
  resource: "arn:svc:fs:::repository/data/object/*",
  known_actions: ["fs:ReadObject"],
  except: [],
  conditions: [],
  comparison: { kind: "equal" },
  certainty: "certain",
  possible: true,
  allowed_by: [{ policy: "ReadData", statement: 0 }],
  denied_by: [],
};
const CHANGE = {
  line: LINE,
  users: 120,
  some: ["alice", "bob"],
  user: "alice",
  via: [{ group: "Analysts" }],
  action: "fs:ReadObject",
  resource: "arn:svc:fs:::repository/data/object/x",
  any_resource: false,
  certain: true,
  before: "neutral",
  after: "allow",
  statement: { policy: "ReadData", statement: 0 },
};

/** The operation. */
export const COMPARE_OPERATION: UserDeclaration = {
  ...ON_ALL_POLICIES,
  method: "POST",
  reads: true,
  priority: "bulk",
  heavy: true,
  tag: "policies",
  id: "comparePolicy",
  path: `${BASE_PATH}/auth/policies/compare`,
  summary: "Who gains and who loses by a change of a policy",
  description: [
    "What changes if the policy is saved as `document`, deleted, or attached to or detached from a user or group. Nothing is written. Users with the same policies are compared once, within a few seconds; `left_out` says what was not looked at.",
    "Needs `auth:ReadPolicy` on all policies; with `attach` or `detach` also the right to read that user or group. Names of users are part of the answer if the caller has `auth:ReadUser` on all users.",
  ].join(" "),
  body: bodyOf("PolicyCompareRequest", { name: "ReadData", document: { statement: [EXAMPLE_STATEMENT] } }),
  answer: answerWith(200, "PolicyCompareAnswer", {
    revision: 1204,
    users: { affected: 120, compared: 120, gaining: 120, losing: 0 },
    gains: [CHANGE],
    losses: [],
    alone: { gains: [], losses: [] },
    summary: "gains: 1 action on 1 pattern, for 120 users; loses: nothing",
    left_out: [],
  }),
  errors: [400, 404],
  handler: (parts) => (call) => compare(call, parts),
};

interface CompareBody {
  readonly name?: string | null;
  readonly document?: unknown;
  readonly delete?: boolean | null;
  readonly attach?: PolicyHolder | null;
  readonly detach?: PolicyHolder | null;
}

async function compare(call: UserCall, parts: ManagementParts): Promise<Reply> {
  const body = call.body as CompareBody;
  assertOneChange(body);
  const change = await changeOf(call, body, parts);
  if ("holder" in change) await mayReadHolder(call, change.holder, parts);
  const impact = await impactOf(call, change, parts);
  return json(200, impactBody(impact, await mayReadUsers(call, parts)));
}

async function impactOf(
  { caller, signal }: UserCall,
  change: AccessChange,
  { policyChecks }: ManagementParts,
): Promise<Impact> {
  try {
    return await policyChecks.impact(caller.name, change, signal);
  } catch (error) {
    // The message says which of the two names is unknown.
    if (isErrorCode(error, "not_found")) throw new OwnText("not_found", error.message);
    throw error;
  }
}

function assertOneChange({ name, document, delete: deletes, attach, detach }: CompareBody): void {
  const others = [
    ["/delete", deletes === true],
    ["/attach", (attach ?? undefined) !== undefined],
    ["/detach", (detach ?? undefined) !== undefined],
  ].flatMap(([pointer, given]) => (given === true ? [pointer as string] : []));
  const problems: Problem[] = [];
  const isSaved = (document ?? undefined) !== undefined;
  if (!isSaved && others.length === 0) {
    problems.push({ pointer: "/document", message: "required, unless there is delete, attach or detach" });
  }
  for (const pointer of isSaved ? others : others.slice(1)) {
    problems.push({ pointer, message: "not together with another change: compare one after the other" });
  }
  if (others.length > 0 && (name ?? "") === "") problems.push({ pointer: "/name", message: "required" });
  for (const [pointer, holder] of [
    ["/attach", attach],
    ["/detach", detach],
  ] as const) {
    if ((holder ?? undefined) === undefined || Object.keys(holder as object).length === 1) continue;
    problems.push({ pointer, message: "must have either user or group" });
  }
  if (problems.length > 0) throw invalidRequest(problems);
}

async function changeOf(
  { caller }: UserCall,
  { name, document, delete: deletes, attach, detach }: CompareBody,
  { policyChecks }: ManagementParts,
): Promise<AccessChange> {
  const policy = name ?? "";
  if (deletes === true) return { kind: "delete", name: policy };
  if (attach !== undefined && attach !== null) return { kind: "attach", name: policy, holder: attach };
  if (detach !== undefined && detach !== null) return { kind: "detach", name: policy, holder: detach };
  const read = await policyChecks.read(caller.name, document, policy);
  return { kind: "save", policy: policy === "" ? read : { ...read, name: policy } };
}

async function mayReadHolder(call: UserCall, holder: PolicyHolder, parts: ManagementParts): Promise<void> {
  const [id, placeholder, field, name] =
    "user" in holder
      ? (["getUser", "userId", "action.user", holder.user] as const)
      : (["getGroup", "groupId", "action.group", holder.group] as const);
  await requirePermission(
    parts,
    { id, values: new Map([[placeholder, name]]), fields: new Map([[field, name]]) },
    call,
  );
}

async function mayReadUsers(call: UserCall, parts: ManagementParts): Promise<boolean> {
  try {
    await requirePermission(
      parts,
      { id: "getUser", values: new Map([["userId", "*"]]), fields: new Map() },
      call,
    );
    return true;
  } catch (error) {
    if (error instanceof PermissionRefused) return false;
    throw error;
  }
}

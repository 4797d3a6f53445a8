/**
 * Questions of the decision API for people (management-cli.md): who can, what can, plan, simulate. Bodies and answers are
 * those of `/access/v1`. A user may ask about oneself; about others it takes `auth:ReadUser`, and with given policies
 * `auth:ReadPolicy`.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { SimulationCase } from "../../decisions/decisions.ts";
import { bodyCheck, type CheckedSchema, validatorOf } from "../decisions/body-check.ts";
import type { DecisionDeclaration } from "../decisions/declaration.ts";
import { PLAN, SIMULATE, WHAT_CAN, WHO_CAN } from "../decisions/native/native-routes.ts";
import { planHandler } from "../decisions/native/plan.ts";
import { whatCanHandler } from "../decisions/native/what-can.ts";
import { whoCanHandler } from "../decisions/native/who-can.ts";
import { simulateHandler, simulationForm } from "../decisions/simulate/simulate.ts";
import { BASE_PATH } from "../rest/operation.ts";
import type { UserCall } from "./call.ts";
import type { ManagementParts, UserDeclaration } from "./declaration.ts";
import { requirePermission } from "./permissions/permissions.ts";

type Handle = (call: UserCall) => Promise<string>;

/** The operation of a user for a call of the decision API. */
function forUsers(
  { id, path, summary, description, body, answer }: DecisionDeclaration,
  checked: CheckedSchema,
  rights: string,
  handler: (parts: ManagementParts) => Handle,
): UserDeclaration {
  if (body === undefined) throw new AuthorizerError("internal", `${id} has no body`);
  return {
    access: "user",
    priority: "bulk",
    heavy: true,
    method: "POST",
    reads: true,
    tag: "questions",
    id,
    path: path.replace("/access/v1", `${BASE_PATH}/auth`),
    summary,
    description: `${description ?? ""} ${rights}`,
    body,
    answer,
    errors: [403],
    handler: (parts) => {
      const validate = validatorOf(bodyCheck(parts.limits), checked, true);
      const answered = handler(parts);
      return async (call) => {
        await validate(call.body);
        return answered(call);
      };
    },
  };
}

/** Throws PermissionRefused unless the caller may read the user; `*` for all of them. */
async function mayRead(parts: ManagementParts, call: UserCall, user: string): Promise<void> {
  if (user === call.caller.identity.username) return;
  const fields = user === "*" ? [] : [["action.user", user] as const];
  await requirePermission(
    parts,
    { id: "getUser", values: new Map([["userId", user]]), fields: new Map(fields) },
    call,
  );
}

/** As {@link mayRead}; a case with policies of its own says what policies would do. */
async function maySimulate(
  parts: ManagementParts,
  { user, policies, candidate }: SimulationCase,
  call: UserCall,
): Promise<void> {
  await mayRead(parts, call, user);
  const given =
    policies !== undefined || (candidate?.replace.length ?? 0) + (candidate?.remove.length ?? 0) > 0;
  if (!given) return;
  await requirePermission(
    parts,
    { id: "getPolicy", values: new Map([["policyId", "*"]]), fields: new Map() },
    call,
  );
}

const ABOUT_OTHERS = "About the caller, or with `auth:ReadUser` about another user.";

/** The operations. */
export const QUESTION_OPERATIONS: readonly UserDeclaration[] = [
  forUsers(WHO_CAN, "WhoCanRequest", "Needs `auth:ReadUser` on all users.", (parts) => {
    const answer = whoCanHandler(parts.decisions, parts);
    return async (call) => {
      await mayRead(parts, call, "*");
      return answer(call);
    };
  }),
  forUsers(WHAT_CAN, "WhatCanRequest", ABOUT_OTHERS, (parts) => {
    const answer = whatCanHandler(parts.decisions, parts);
    return async (call) => {
      await mayRead(parts, call, (call.body as { user: string }).user);
      return answer(call);
    };
  }),
  forUsers(PLAN, "PlanRequest", ABOUT_OTHERS, (parts) => {
    const answer = planHandler(parts.decisions);
    return async (call) => {
      await mayRead(parts, call, (call.body as { user: string }).user);
      return answer(call);
    };
  }),
  forUsers(
    SIMULATE,
    simulationForm,
    `${ABOUT_OTHERS} Given or changed policies need \`auth:ReadPolicy\` on all policies.`,
    (parts) =>
      simulateHandler<UserCall>(parts.decisions, parts.limits, (simulation, call) =>
        maySimulate(parts, simulation, call),
      ),
  ),
];

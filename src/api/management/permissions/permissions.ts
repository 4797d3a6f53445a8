/** Permissions of management calls: the row of each call in the permission table, decided by the engine. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { RequiredLeaf, RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { Decisions } from "../../../decisions/decisions.ts";
import type { Endpoints } from "../../../request-map/endpoints.ts";
import type { DecisionLimits } from "../../decisions/limits.ts";
import { pathValues } from "../../rest/operation.ts";
import type { UserCall } from "../call.ts";
import { fieldsOfPath, type ManagementParts, type UserDeclaration } from "../declaration.ts";
import { PermissionRefused } from "../errors.ts";

/** Parts with which permissions are decided. */
export interface PermissionParts {
  readonly decisions: Decisions;
  readonly endpoints: Endpoints;
  /** Longest ARN, as everywhere else where one comes from outside (spec/security §5.3). */
  readonly limits: Pick<DecisionLimits, "arnBytes">;
}

/** A row of the permission table with its values. */
export interface Asked {
  /** Name of the row. */
  readonly id: string;
  /** The permission, where it is of no row. */
  readonly permission?: RequiredLeaf;
  /** Values of the row's placeholders. */
  readonly values: ReadonlyMap<string, string>;
  /** Condition fields (spec/security §3.5). */
  readonly fields: ReadonlyMap<string, string>;
  /** True: mirrors are not read-only for it. */
  readonly managesMirrors?: boolean;
}

/** Text where the engine has none of its own. */
const REFUSED = "insufficient permissions";

/** Returns the row that a call of an operation asks for. */
export function askedBy(
  operation: UserDeclaration,
  call: UserCall,
  parts: Pick<ManagementParts, "acls">,
): Asked {
  const values = pathValues(operation.path, call.params);
  const fields = fieldsOfPath(values);
  for (const [name, value] of operation.values?.(call) ?? []) values.set(name, value);
  for (const [name, value] of operation.fields?.(call, parts) ?? []) fields.set(name, value);
  const { row = operation.id, permission, managesMirrors = false } = operation;
  const id = typeof row === "string" ? row : row(call);
  return { id, values, fields, managesMirrors, ...(permission === undefined ? {} : { permission }) };
}

/**
 * Returns where the caller may make the call.
 * @throws PermissionRefused in the reference's words; AuthorizerError "unavailable" where it cannot be decided, and
 *   "invalid_request" where a value of the call makes a resource that is too long to be held against patterns
 */
export async function requirePermission(
  { decisions, endpoints, limits: { arnBytes } }: PermissionParts,
  { id, permission, values, fields, managesMirrors = false }: Asked,
  call: UserCall,
): Promise<void> {
  const required = permission ?? endpoints.requirement(id, values);
  // Every operation that asks has a row that requires something: an empty one would be open to all users.
  if (required === null) throw new AuthorizerError("internal", `${id} requires nothing`);
  if (isLonger(required, arnBytes)) {
    throw new AuthorizerError("invalid_request", `the resource is longer than ${arnBytes} bytes`);
  }
  await decide(decisions, required, fields, call, { managesMirrors });
}

/**
 * Returns where the caller has one of the actions on something, whatever its conditions.
 * @throws as {@link requirePermission}
 */
export async function requireSome(
  { decisions }: Pick<PermissionParts, "decisions">,
  actions: readonly string[],
  call: UserCall,
): Promise<void> {
  const required = { or: actions.map((action) => ({ any_resource: { action } })) };
  await decide(decisions, required, new Map(), call, { refused: 403 });
}

/** Options of a decision about a call. */
interface DecideOptions {
  /** Status of a refusal; default 401. */
  readonly refused?: 401 | 403;
  readonly managesMirrors?: boolean;
}

async function decide(
  decisions: Decisions,
  required: RequiredPermissions,
  fields: ReadonlyMap<string, string>,
  call: UserCall,
  { refused = 401, managesMirrors = false }: DecideOptions,
): Promise<void> {
  const { identity, sourceIp } = call.caller;
  const context = new Map(fields).set("SourceIp", sourceIp);
  const { effect, message } = await decisions.check({
    user: identity.username,
    userId: identity.userId,
    required,
    context,
    explain: false,
    entrance: "management",
    requestId: call.requestId,
    call,
    managesMirrors,
  });
  if (effect !== "allow") throw new PermissionRefused(message ?? REFUSED, refused);
}

/** True if a resource has more bytes. */
function isLonger(required: RequiredPermissions, bytes: number): boolean {
  if ("and" in required) return required.and.some((part) => isLonger(part, bytes));
  if ("or" in required) return required.or.some((part) => isLonger(part, bytes));
  return "resource" in required && Buffer.byteLength(required.resource) > bytes;
}

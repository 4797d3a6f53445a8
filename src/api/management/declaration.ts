/** What a declared operation of the management API says. */

import type { Decisions } from "../../decisions/decisions.ts";
import type { Directory } from "../../directory/directory.ts";
import { BodySchemas, type ValidateBody } from "../../http/body-schema.ts";
import type { TrustedProxies } from "../../http/client-address.ts";
import type { Declaration } from "../../http/declaration.ts";
import { schemaRef } from "../../http/schema-forms.ts";
import type { Identities } from "../../identity/identity.ts";
import type { Vocabulary } from "../../model/policy-warnings.ts";
import type { Endpoints } from "../../request-map/endpoints.ts";
import type { DecisionLimits } from "../decisions/limits.ts";
import { PAGING, pageOfOne, WARNING_HEADER } from "../rest/declared.ts";
import type { WarningLog } from "../rest/ports.ts";
import type { ManagementCaller, OpenCall, UserCaller } from "./call.ts";
import type { Escalation } from "./escalation.ts";
import type { Holdings } from "./holdings.ts";
import type { ManagementAudit } from "./management-audit.ts";
import type { GroupAcls, PolicySet, Setup, UserInvitations } from "./ports.ts";
import { MANAGEMENT_SCHEMAS } from "./schemas.ts";

/** What handlers work with. */
export interface ManagementParts {
  readonly directory: Directory;
  readonly decisions: Decisions;
  readonly endpoints: Endpoints;
  readonly identities: Identities;
  readonly proxies: TrustedProxies;
  readonly limits: DecisionLimits;
  /** What policies can speak about, for warnings. */
  readonly vocabulary: Vocabulary;
  readonly acls: GroupAcls;
  readonly escalation: Escalation;
  readonly holdings: Holdings;
  readonly setup: Setup;
  readonly invitations: UserInvitations;
  readonly audit: ManagementAudit;
  readonly log: WarningLog;
  /** `auth.cookie_domain`. */
  readonly cookieDomain: string;
  /** `auth.ui_config.rbac`, shown to browsers. */
  readonly rbac: string;
  /** Version of this package. */
  readonly version: string;
  readonly policySet: PolicySet;
}

/** Names and values: of a permission row's placeholders, or of condition fields. */
export type Named = Iterable<readonly [string, string]>;

/** A declared operation that needs no credential. */
export interface OpenDeclaration extends Declaration<ManagementParts, ManagementCaller> {
  readonly access: "open";
}

/** A declared operation for users. */
export interface UserDeclaration extends Declaration<ManagementParts, UserCaller> {
  /** `permitted`: its row of the permission table, which `id` names, is decided; `user`: every user may. */
  readonly access: "permitted" | "user";
  /** Values of the row beside the path's parameters, such as `body.id`; the body is then read before it is decided. */
  readonly values?: (call: OpenCall) => Named;
  /** Condition fields beside those of the path's parameters (security.md §3.5). */
  readonly fields?: (call: OpenCall, parts: Pick<ManagementParts, "acls">) => Named;
  /** Text of a 404 in the reference; default `not found`. */
  readonly missing?: string;
}

/** A declared operation. */
export type ManagementDeclaration = OpenDeclaration | UserDeclaration;

/** Condition fields of path parameters. */
const FIELD_NAMES: ReadonlyMap<string, string> = new Map([
  ["userId", "action.user"],
  ["groupId", "action.group"],
  ["policyId", "action.policy"],
]);

/** The path's parameters by name. */
export function pathValues(path: string, params: readonly string[]): Map<string, string> {
  const names = path.split("/").filter((segment) => segment.startsWith("{"));
  return new Map(names.map((name, index) => [name.slice(1, -1), params[index] as string]));
}

/** The condition fields that the path's parameters give. */
export function fieldsOfPath(values: ReadonlyMap<string, string>): Map<string, string> {
  const named = [...values].flatMap(([name, value]) => {
    const field = FIELD_NAMES.get(name);
    return field === undefined ? [] : [[field, value] as const];
  });
  return new Map(named);
}

const BODIES = new BodySchemas(MANAGEMENT_SCHEMAS);

/** The check of a body by the shape of a schema. */
export function shapeOf(schema: string): ValidateBody {
  return BODIES.shape(schemaRef(schema));
}

/** The body of an operation, whose shape is validated before the handler runs. */
export function bodyOf(schema: string, example: unknown) {
  return { schema: schemaRef(schema), example, validate: shapeOf(schema) };
}

/** The answer with one object. */
export function answerWith(status: 200 | 201, schema: string, example: unknown) {
  const description = status === 201 ? "What was created." : "What was asked for.";
  return { status, description, schema: schemaRef(schema), example };
}

/** The answer with a page of a list. */
export function answerWithPage(schema: string, item: unknown) {
  const description = "A page, in UTF-8 byte order of its keys.";
  return { status: 200, description, schema: schemaRef(schema), example: pageOfOne(item) } as const;
}

const PERMITTED = { access: "permitted", priority: "bulk" } as const;

/** An operation that reads one thing. */
export const READ = { ...PERMITTED, method: "GET", errors: [404] } as const;

/** An operation that reads a page of a list. */
export const LIST = { ...PERMITTED, method: "GET", query: PAGING } as const;

/** An operation that creates something. */
export const CREATE = { ...PERMITTED, method: "POST", errors: [403, 409] } as const;

/** An operation that joins two things; a repetition is 409. */
export const JOIN = {
  ...PERMITTED,
  method: "PUT",
  answer: { status: 201, description: "Done.", headers: WARNING_HEADER },
  errors: [403, 404, 409],
} as const;

/** An operation that removes something, or takes two things apart. */
export const REMOVE = {
  ...PERMITTED,
  method: "DELETE",
  answer: { status: 204, description: "Done.", headers: WARNING_HEADER },
  errors: [404],
} as const;

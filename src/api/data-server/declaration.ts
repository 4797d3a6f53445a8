/** What a declared operation of the data-server API says, and how it becomes a route. */

import type { Decisions } from "../../decisions/decisions.ts";
import type { Directory } from "../../directory/directory.ts";
import type { RepeatableSetup } from "../../directory/write/repeatable-setup.ts";
import { BodySchemas } from "../../http/body-schema.ts";
import { type Declaration, routeOf } from "../../http/declaration.ts";
import { errorReply } from "../../http/errors.ts";
import type { HttpLimits } from "../../http/limits.ts";
import type { Schemas } from "../../http/openapi-types.ts";
import type { HttpCounters } from "../../http/ports.ts";
import { type Api, type Authenticate, type MountedRoute, mount } from "../../http/route.ts";
import { schemaRef } from "../../http/schema-forms.ts";
import type { Vocabulary } from "../../model/policy-warnings.ts";
import { PAGING, pageOfOne, REST_SCHEMAS } from "../rest/declared.ts";
import { plainError } from "../rest/plain-errors.ts";
import type { AuditEvents, WarningLog } from "../rest/ports.ts";
import {
  ANONYMOUS_SERVICE,
  requireScope,
  type Scope,
  type ServiceCall,
  type ServiceCaller,
} from "../service-caller.ts";
import type { Invitations } from "./ports.ts";
import { BODY_SCHEMAS } from "./schemas/bodies.ts";
import { ENTITY_SCHEMAS } from "./schemas/entities.ts";
import { POLICY_SCHEMAS } from "./schemas/policies.ts";
import { CallAudit } from "./write-audit.ts";

/** What the API is made of. */
export interface DataServerOptions {
  readonly directory: Directory;
  readonly setup: RepeatableSetup;
  /** What policies can speak about, for warnings. */
  readonly vocabulary: Vocabulary;
  readonly audit: AuditEvents;
  readonly log: WarningLog;
  /** Version of this package, which data servers log. */
  readonly version: string;
  /** Absent where no mail can be sent: inviting is then refused. */
  readonly invitations?: Invitations | undefined;
}

/** What handlers work with. */
export interface DataServerParts extends Omit<DataServerOptions, "audit"> {
  readonly decisions: Decisions;
  readonly audit: CallAudit;
}

/** A declared operation. */
export interface DataServerDeclaration extends Declaration<DataServerParts, ServiceCaller> {
  /** What the caller's token needs; absent: no token is needed. */
  readonly scope?: Scope;
}

/** The schemas that operations refer to. */
export const DATA_SERVER_SCHEMAS: Schemas = {
  ...REST_SCHEMAS,
  ...BODY_SCHEMAS,
  ...ENTITY_SCHEMAS,
  ...POLICY_SCHEMAS,
};

const BODIES = new BodySchemas(DATA_SERVER_SCHEMAS);

/** The body of an operation, whose shape is validated before the handler runs. */
export function bodyOf(schema: string, example: unknown) {
  const reference = schemaRef(schema);
  return { schema: reference, example, validate: BODIES.shape(reference) };
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

/** An operation that reads one thing. */
export const READ = { method: "GET", scope: "read", priority: "bulk" } as const;

/** An operation that reads a page of a list. */
export const LIST = { ...READ, query: PAGING, errors: [400, 404] } as const;

const WRITE = { scope: "write", priority: "bulk" } as const;

/** An operation that creates something. */
export const CREATE = { ...WRITE, method: "POST", errors: [409] } as const;

/** An operation that replaces something. */
export const REPLACE = { ...WRITE, method: "PUT", errors: [404] } as const;

/** An operation that joins two things; a repetition is 409. */
export const JOIN = {
  ...WRITE,
  method: "PUT",
  answer: { status: 201, description: "Done." },
  errors: [404, 409],
} as const;

/** An operation that removes something, or takes two things apart. */
export const REMOVE = {
  ...WRITE,
  method: "DELETE",
  answer: { status: 204, description: "Done." },
  errors: [404],
} as const;

/** Mounts operations for callers that `authenticate` knows. */
export function mountDataServer(
  declarations: readonly DataServerDeclaration[],
  options: DataServerOptions & Pick<DataServerParts, "decisions">,
  serving: {
    readonly authenticate: Authenticate<ServiceCaller>;
    readonly limits: HttpLimits;
    readonly counters: HttpCounters;
  },
): readonly MountedRoute[] {
  const parts: DataServerParts = { ...options, audit: new CallAudit(options.audit) };
  const refusal = (error: unknown) => errorReply(plainError(error));
  const withToken: Api<ServiceCaller> = { authenticate: serving.authenticate, refusal };
  const open: Api<ServiceCaller> = { authenticate: () => ANONYMOUS_SERVICE, refusal };
  return declarations.flatMap((declaration) => {
    const { scope } = declaration;
    const route = routeOf(declaration, parts, serving.limits);
    if (scope === undefined) return mount(open, [route], serving.counters);
    const authorize = ({ caller }: ServiceCall) => requireScope(caller, scope);
    return mount(withToken, [{ ...route, authorize }], serving.counters);
  });
}

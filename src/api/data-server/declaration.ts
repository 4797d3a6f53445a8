/** Declared operations of the data-server API, and how they become routes. */

import type { Vocabulary } from "@svc-authorizer/policy/model/policy-warnings.ts";
import type { Decisions } from "../../decisions/decisions.ts";
import type { Directory } from "../../directory/directory.ts";
import type { RepeatableSetup } from "../../directory/write/repeatable-setup.ts";
import { type Declaration, routeOf } from "../../http/declaration.ts";
import { errorReply } from "../../http/errors.ts";
import type { HttpLimits } from "../../http/limits.ts";
import type { Schemas } from "../../http/openapi/openapi-types.ts";
import type { HttpCounters } from "../../http/ports.ts";
import { type Api, type Authenticate, type MountedRoute, mount } from "../../http/route.ts";
import { REST_SCHEMAS } from "../rest/declared.ts";
import { type RestCall, UNCHECKED } from "../rest/grants.ts";
import { Holdings } from "../rest/holdings.ts";
import { NO_STORE } from "../rest/operation.ts";
import { bodiesOf } from "../rest/operation-kinds.ts";
import type { RestParts } from "../rest/parts.ts";
import { plainError } from "../rest/plain-errors.ts";
import type { AuditEvents, AuditedFields, PolicySet, WarningLog } from "../rest/ports.ts";
import { auditedHandler } from "../rest/unknown-outcome.ts";
import {
  ANONYMOUS_SERVICE,
  requireScope,
  type Scope,
  type ServiceCall,
  type ServiceCaller,
} from "../service-caller.ts";
import { DataServerAudit } from "./data-server-audit.ts";
import type { Invitations } from "./ports.ts";
import { BODY_SCHEMAS } from "./schemas/bodies.ts";
import { ENTITY_SCHEMAS } from "./schemas/entities.ts";
import { POLICY_SCHEMAS } from "./schemas/policies.ts";
import { policyBody, userBody } from "./shapes.ts";

/** Parts of the API. */
export interface DataServerOptions {
  readonly directory: Directory;
  readonly setup: RepeatableSetup;
  /** The vocabulary of policies, for warnings. */
  readonly vocabulary: Vocabulary;
  readonly audit: AuditEvents;
  readonly log: WarningLog;
  /** Version of this package, which data servers log. */
  readonly version: string;
  readonly policySet: PolicySet;
  /** Absent where no mail can be sent: inviting is then refused. */
  readonly invitations?: Invitations | undefined;
}

/** The parts that handlers work with. */
export interface DataServerParts extends RestParts, Omit<DataServerOptions, keyof RestParts> {
  readonly decisions: Decisions;
}

/** A declared operation. */
export interface DataServerDeclaration extends Declaration<DataServerParts, ServiceCaller> {
  /** The scope that the caller's token needs; absent: no token is needed. */
  readonly scope?: Scope;
  /** Names of what a call writes, beside those in its path, for the audit of one whose outcome is not known. */
  readonly names?: (call: RestCall) => AuditedFields;
}

/** The schemas that operations refer to. */
export const DATA_SERVER_SCHEMAS: Schemas = {
  ...REST_SCHEMAS,
  ...BODY_SCHEMAS,
  ...ENTITY_SCHEMAS,
  ...POLICY_SCHEMAS,
};

/** Declares a body by the name of its schema; its shape is validated before the handler runs. */
export const bodyOf = bodiesOf(DATA_SERVER_SCHEMAS);

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
  const parts = partsOf(options);
  const refusal = (error: unknown) => errorReply(plainError(error));
  const withToken: Api<ServiceCaller> = { authenticate: serving.authenticate, refusal };
  const open: Api<ServiceCaller> = { authenticate: () => ANONYMOUS_SERVICE, refusal };
  return declarations.flatMap((declaration) => {
    const { scope, id, path, names } = declaration;
    const route = routeOf(declaration, parts, serving.limits);
    if (scope === undefined) return mount(open, [route], serving.counters);
    const authorize = ({ caller }: ServiceCall) => requireScope(caller, scope);
    const act: typeof route.handle = (call) =>
      parts.directory.actingFor({ name: call.caller.name }, async () => route.handle(call));
    const handle = auditedHandler({ id, path, names, handle: act }, (call, operation, fields) =>
      parts.audit.wrote(call, operation, fields),
    );
    const isRead = declaration.method === "GET";
    return mount(withToken, [{ ...route, ...(!isRead && { handle }), authorize }], serving.counters);
  });
}

function partsOf(options: DataServerOptions & Pick<DataServerParts, "decisions">): DataServerParts {
  const { directory, setup, audit } = options;
  return {
    ...options,
    audit: new DataServerAudit(audit),
    writes: {
      createGroup: (group) => setup.createGroup(group),
      createPolicy: (policy) => setup.createPolicy(policy),
      attachPolicyToGroup: (group, policy) => setup.attachPolicyToGroup(group, policy),
    },
    // A token with scope `write` is as powerful as an administrator.
    escalation: UNCHECKED,
    holdings: new Holdings(directory),
    shapes: {
      user: (user, { caller }) => userBody(user, caller as ServiceCaller),
      policy: policyBody,
      usersHeaders: NO_STORE,
    },
  };
}

/** The authorization API: the operations that data servers call (authorization-api.md). */

import type { ServerResponse } from "node:http";
import type { Decisions } from "../../decisions/decisions.ts";
import type { Directory } from "../../directory/directory.ts";
import type { SetupRepeat } from "../../directory/write/setup-repeat.ts";
import type { Edge } from "../../http/exchange.ts";
import { refuseMethod } from "../../http/refuse-method.ts";
import type { ServiceRequest } from "../../http/service-request.ts";
import type { Vocabulary } from "../../model/policy-warnings.ts";
import type { AuditEvents } from "../../observe/audit-port.ts";
import { attachmentOperations } from "./attachments.ts";
import { credentialOperations } from "./credentials.ts";
import { externalPrincipalOperations } from "./external-principals.ts";
import { groupOperations } from "./groups.ts";
import { BASE_PATH, type Operation } from "./operation.ts";
import { PathTable } from "./path-match.ts";
import { policyOperations } from "./policies.ts";
import type { AuthorizationLog, Invitations } from "./ports.ts";
import { serveOperation } from "./serve-operation.ts";
import { serverCheckOperations } from "./server-check.ts";
import { tokenIdOperations } from "./token-ids.ts";
import { userOperations } from "./users.ts";
import { CallAudit } from "./write-audit.ts";

/** What the API is made of. */
export interface AuthorizationOptions {
  readonly directory: Directory;
  readonly setup: SetupRepeat;
  /** What policies can speak about, for warnings. */
  readonly vocabulary: Vocabulary;
  readonly audit: AuditEvents;
  readonly log: AuthorizationLog;
  /** Version of this package, which data servers log. */
  readonly version: string;
  /** Absent where no mail can be sent: inviting is then refused. */
  readonly invitations?: Invitations | undefined;
}

/** All 37 operations. */
export function authorizationOperations(
  options: AuthorizationOptions,
  decisions: Decisions,
): readonly Operation[] {
  const parts = { ...options, decisions, audit: new CallAudit(options.audit) };
  return [
    ...userOperations(parts),
    ...groupOperations(parts),
    ...policyOperations(parts),
    ...attachmentOperations(parts),
    ...credentialOperations(parts),
    ...externalPrincipalOperations(parts),
    ...tokenIdOperations(parts.directory, parts.audit),
    ...serverCheckOperations(parts.version),
  ];
}

/** Serves a request if its path is one of the API's; false: somebody else may. */
export type AuthorizationHandler = (request: ServiceRequest, response: ServerResponse) => boolean;

/**
 * Builds the handler. It reads the raw request target, before any router: what routers make of encodings and odd
 * slashes is not what this API needs.
 */
export function authorizationHandler(edge: Edge, operations: readonly Operation[]): AuthorizationHandler {
  const mounted = operations.map((operation) => {
    const path = BASE_PATH + operation.path;
    return {
      operation: { ...operation, path, meter: edge.counters.route(operation.method, path) },
      ...operation,
    };
  });
  const table = new PathTable(mounted);
  const unmatched = edge.counters.route("*", "unmatched");
  return (request, response) => {
    const found = table.match(request.url as string);
    if (found === undefined) return false;
    const one = found.operations.get(request.method as string);
    if (one !== undefined) serveOperation(edge, one.operation, found.params, request, response);
    else refuseMethod([...found.operations.keys()], unmatched, request, response);
    return true;
  };
}

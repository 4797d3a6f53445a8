/** The operations of the data-server API: what one is, and how it becomes a route. */

import type { Priority } from "../../http/admission.ts";
import { errorReply } from "../../http/errors.ts";
import type { HttpLimits } from "../../http/limits.ts";
import type { HttpCounters } from "../../http/ports.ts";
import { type Api, type Authenticate, type MountedRoute, mount, type Reply } from "../../http/route.ts";
import { BASE_PATH } from "../rest/operation.ts";
import { plainError } from "../rest/plain-errors.ts";
import {
  ANONYMOUS_SERVICE,
  requireScope,
  type Scope,
  type ServiceCall,
  type ServiceCaller,
} from "../service-caller.ts";

/** A call of an operation by a service that may make it. */
export type OperationCall = ServiceCall;

/** One of the operations. */
export interface Operation {
  /** Name in the API's specification, e.g. `listUsers`. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/api/v1`, with parameters as `{name}`, each a whole segment. */
  readonly path: string;
  /** What the caller's token needs; absent: no token is needed. */
  readonly scope?: Scope;
  readonly priority: Priority;
  /** Whether a JSON body is needed. */
  readonly takesBody: boolean;
  /** Answers; throws or rejects with AuthorizerError. */
  readonly handle: (call: OperationCall) => Reply | Promise<Reply>;
}

type Handle = Operation["handle"];

/** An operation that changes nothing. */
export function readOperation(id: string, path: string, handle: Handle, hot = false): Operation {
  const priority = hot ? "hot" : "bulk";
  return { id, method: "GET", path, scope: "read", priority, takesBody: false, handle };
}

/** An operation that changes something; `takesBody` where it needs a JSON body. */
export function writeOperation(
  id: string,
  method: "POST" | "PUT" | "DELETE",
  path: string,
  handle: Handle,
  takesBody = false,
): Operation {
  return { id, method, path, scope: "write", priority: "bulk", takesBody, handle };
}

/** Mounts operations for callers that `authenticate` knows. */
export function mountOperations(
  operations: readonly Operation[],
  authenticate: Authenticate<ServiceCaller>,
  limits: HttpLimits,
  counters: HttpCounters,
): readonly MountedRoute[] {
  const refusal = (error: unknown) => errorReply(plainError(error));
  const withToken: Api<ServiceCaller> = { authenticate, refusal };
  const open: Api<ServiceCaller> = { authenticate: () => ANONYMOUS_SERVICE, refusal };
  return operations.flatMap(({ method, path, scope, priority, takesBody, handle }) => {
    const route = {
      method,
      path: BASE_PATH + path,
      priority,
      handle,
      ...(takesBody ? { body: { maxBytes: limits.bodyBytes } } : {}),
      ...(scope === undefined
        ? {}
        : { authorize: ({ caller }: OperationCall) => requireScope(caller, scope) }),
    };
    return mount(scope === undefined ? open : withToken, [route], counters);
  });
}

/** The words of the management API: an operation, a call of it, its answer. */

import type { ServiceRequest } from "../../http/service-request.ts";
import type { Identity } from "../../identity/identity.ts";
import type { RouteMeter } from "../../observe/http-counters.ts";
import type { Query } from "../data-server/query.ts";

/** A call, by whomever. */
export interface OpenCall {
  /** Values of the path's parameters in their order, decoded. */
  readonly params: readonly string[];
  readonly query: Query;
  /** The JSON body; undefined for operations without one. */
  readonly body: unknown;
  readonly requestId: string;
  /** Address of the client, through trusted proxies. */
  readonly sourceIp: string;
  readonly request: ServiceRequest;
}

/** A call by a user who proved to be one and may make it. */
export interface UserCall extends OpenCall {
  readonly identity: Identity;
}

/** An answer. */
export interface ManagementReply {
  readonly status: number;
  /** JSON text; absent for an answer without body, which has no content type. */
  readonly body?: string;
  /** Name and value in turn. */
  readonly headers?: readonly string[];
}

type Answer<C> = (call: C) => ManagementReply | Promise<ManagementReply>;

interface OperationParts {
  /** Name in the permission table, e.g. `listUsers`. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/api/v1`, with parameters as `{name}`, each a whole segment. */
  readonly path: string;
  /** Whether a JSON body is needed; whatever else comes is thrown away. */
  readonly takesBody: boolean;
}

/** Names and values: of a permission row's placeholders, or of condition fields. */
export type Named = Iterable<readonly [string, string]>;

/** An operation for everybody. */
export interface OpenOperation extends OperationParts {
  readonly access: "open";
  readonly answer: Answer<OpenCall>;
}

/** An operation for users. */
export interface UserOperation extends OperationParts {
  /** `permitted`: its row of the permission table is asked; `user`: every user may. */
  readonly access: "permitted" | "user";
  /**
   * What the row reads beside the path's parameters, such as `body.id`. Present: the body is read before the
   * permission is asked.
   */
  readonly values?: (call: OpenCall) => Named;
  /** Condition fields beside those of the path's parameters (security.md §3.5). */
  readonly fields?: (call: OpenCall) => Named;
  /** Text of a 404 in the reference; default `not found`. */
  readonly missing?: string;
  readonly answer: Answer<UserCall>;
}

/** One of the operations. */
export type ManagementOperation = OpenOperation | UserOperation;

/** An operation with its meter. */
export type Mounted<O extends ManagementOperation = ManagementOperation> = O & { readonly meter: RouteMeter };

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

type Details = Pick<UserOperation, "values" | "fields" | "missing"> & { readonly takesBody?: boolean };

/** An operation that its row of the permission table guards. */
export function permitted(
  id: string,
  method: UserOperation["method"],
  path: string,
  answer: UserOperation["answer"],
  { takesBody = false, ...details }: Details = {},
): UserOperation {
  return { id, method, path, access: "permitted", takesBody, answer, ...details };
}

/** The answer without body to a deletion and the like. */
export const NO_CONTENT: ManagementReply = { status: 204 };

/** The answer without body to what takes something away. */
export function removed(headers: readonly string[]): ManagementReply {
  return { status: 204, headers };
}

/** The answer without body to an attachment and the like. */
export function created(headers: readonly string[] = []): ManagementReply {
  return { status: 201, headers };
}

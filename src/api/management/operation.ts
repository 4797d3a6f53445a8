/** The operations of the management API: what one is, and what a call of it knows. */

import type { Caller, RawCall, Reply } from "../../http/route.ts";
import type { Identity } from "../../identity/identity.ts";

/** Whoever calls. */
export interface ManagementCaller extends Caller {
  /** Address of the client, through trusted proxies. */
  readonly sourceIp: string;
}

/** An authenticated user. */
export interface UserCaller extends ManagementCaller {
  readonly identity: Identity;
}

/** A call that may be anonymous. */
export type OpenCall = RawCall<ManagementCaller>;

/** A call by an authenticated user who may make it. */
export type UserCall = RawCall<UserCaller>;

type Handle<C> = (call: C) => Reply | Promise<Reply>;

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

/** An operation that needs no credential. */
export interface OpenOperation extends OperationParts {
  readonly access: "open";
  readonly handle: Handle<OpenCall>;
}

/** An operation for users. */
export interface UserOperation extends OperationParts {
  /** `permitted`: its row of the permission table is asked; `user`: every user may. */
  readonly access: "permitted" | "user";
  /**
   * What the row reads beside the path's parameters, such as `body.id`. Present: the body is read before
   * the permission is checked.
   */
  readonly values?: (call: OpenCall) => Named;
  /** Condition fields beside those of the path's parameters (security.md §3.5). */
  readonly fields?: (call: OpenCall) => Named;
  /** Text of a 404 in the reference; default `not found`. */
  readonly missing?: string;
  readonly handle: Handle<UserCall>;
}

/** One of the operations. */
export type ManagementOperation = OpenOperation | UserOperation;

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
  handle: UserOperation["handle"],
  { takesBody = false, ...details }: Details = {},
): UserOperation {
  return { id, method, path, access: "permitted", takesBody, handle, ...details };
}

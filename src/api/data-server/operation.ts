/** The words of the authorization API: an operation, a call of it, its answer. */

import type { Priority } from "../../http/admission.ts";
import type { Access, Scope } from "../../http/scopes.ts";
import type { RouteMeter } from "../../observe/http-counters.ts";
import type { Query } from "./query.ts";

/** Where all operations are. */
export const BASE_PATH = "/api/v1";

/** A call of an operation by somebody who may call it. */
export interface OperationCall {
  /** Values of the path's parameters in their order, decoded. */
  readonly params: readonly string[];
  readonly query: Query;
  /** The JSON body; undefined for operations without one. */
  readonly body: unknown;
  readonly access: Access;
  readonly requestId: string;
  /** Address of the peer, where known. */
  readonly peer: string | undefined;
}

/** An answer. */
export interface Reply {
  readonly status: 200 | 201 | 204;
  /** JSON text; absent for an answer without body, which has no content type. */
  readonly body?: string;
  /** Name and value in turn. */
  readonly headers?: readonly string[];
}

/** One of the operations. */
export interface Operation {
  /** Name in the API's specification, e.g. `listUsers`. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below {@link BASE_PATH}, with parameters as `{name}`, each a whole segment. */
  readonly path: string;
  /** What the caller's token needs; absent: open to everybody. */
  readonly scope?: Scope;
  readonly priority: Priority;
  /** Whether a JSON body is needed. */
  readonly takesBody: boolean;
  /** Answers; throws or rejects with AuthorizerError. */
  answer(call: OperationCall): Reply | Promise<Reply>;
}

/** An operation with its meter. */
export interface MountedOperation extends Operation {
  readonly meter: RouteMeter;
}

type Answer = Operation["answer"];

/** An operation that changes nothing. */
export function readOperation(id: string, path: string, answer: Answer, hot = false): Operation {
  const priority = hot ? "hot" : "bulk";
  return { id, method: "GET", path, scope: "read", priority, takesBody: false, answer };
}

/** An operation that changes something; `takesBody` where it needs a JSON body. */
export function writeOperation(
  id: string,
  method: "POST" | "PUT" | "DELETE",
  path: string,
  answer: Answer,
  takesBody = false,
): Operation {
  return { id, method, path, scope: "write", priority: "bulk", takesBody, answer };
}

/** Headers of answers that hold a secret (security.md §1.2). */
export const NO_STORE: readonly string[] = ["Cache-Control", "no-store"];

/** The answer without body to a deletion and the like. */
export const NO_CONTENT: Reply = { status: 204 };
/** The answer without body to an attachment and the like. */
export const CREATED: Reply = { status: 201 };

/** An answer with a JSON body. */
export function json(status: 200 | 201, body: unknown, headers?: readonly string[]): Reply {
  const text = JSON.stringify(body);
  return headers === undefined ? { status, body: text } : { status, body: text, headers };
}

/** The parameter at a place of the path. */
export function param({ params }: Pick<OperationCall, "params">, index: number): string {
  return params[index] as string;
}

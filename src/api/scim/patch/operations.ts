/** The operations of a change (RFC 7644, section 3.5.2), as they are sent. */

import { isObject } from "../../../http/body/json-body.ts";
import { invalidRequest } from "../../../http/errors.ts";
import { messageMembers, namesSchema } from "../messages.ts";
import { ScimError } from "../scim-error.ts";

/** One operation. */
export interface PatchOperation {
  readonly op: "add" | "remove" | "replace";
  readonly path?: string;
  readonly value?: unknown;
}

const PATCH_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const KINDS = ["add", "remove", "replace"] as const;
export const MOST_OPERATIONS = 1_000;
/** Members that an object without a path may repeat from an answer. */
const FIXED: ReadonlySet<string> = new Set(["schemas", "id", "meta", "groups"]);

/** Reads the operations of a body; throws "invalid_request". */
export function readOperations(body: unknown): readonly PatchOperation[] {
  if (!isObject(body)) throw new ScimError("invalidSyntax", "a JSON object is needed");
  const { schemas, operations } = messageMembers(body);
  if (!namesSchema(schemas, PATCH_SCHEMA)) {
    throw new ScimError("invalidSyntax", `schemas must name ${PATCH_SCHEMA}`);
  }
  if (!Array.isArray(operations) || operations.length === 0) {
    throw new ScimError("invalidSyntax", "Operations must be a list with at least one operation");
  }
  if (operations.length > MOST_OPERATIONS) {
    throw new ScimError("invalidValue", `more than ${MOST_OPERATIONS} operations`);
  }
  return operations.map(readOperation);
}

function readOperation(given: unknown, index: number): PatchOperation {
  const pointer = `/Operations/${index}`;
  if (!isObject(given)) throw invalidRequest([{ pointer, message: "expected an object" }]);
  const { op, path, value } = messageMembers(given);
  const kind = KINDS.find((one) => typeof op === "string" && op.toLowerCase() === one);
  if (kind === undefined)
    throw new ScimError("invalidSyntax", `${pointer.slice(1)}/op: expected ${KINDS.join(", ")}`);
  if (path !== undefined && path !== null && typeof path !== "string") {
    throw new ScimError("invalidPath", `${pointer.slice(1)}/path: expected a string`);
  }
  const where = typeof path === "string" && path !== "" ? { path } : {};
  if (kind === "remove") {
    if (where.path === undefined) throw new ScimError("noTarget", "a removal needs a path");
    // Null is no value (RFC 7643, section 2.5): all values go.
    return { op: kind, ...where, ...(value !== undefined && value !== null && { value }) };
  }
  if (value === undefined) throw new ScimError("invalidValue", `${pointer.slice(1)}/value: required`);
  if (where.path === undefined && !isObject(value)) {
    throw new ScimError(
      "invalidValue",
      `${pointer.slice(1)}/value: expected an object, since there is no path`,
    );
  }
  return { op: kind, ...where, value };
}

/** An operation with its path. */
export type PathOperation = PatchOperation & { readonly path: string };

/**
 * The operations with a path each: an object without one stands for an operation on each of its members, which count
 * one by one. Throws {@link ScimError} where there are more than `most`.
 */
export function withPaths(operations: readonly PatchOperation[], most: number): readonly PathOperation[] {
  const all = eachWithPath(operations);
  if (all.length > most) throw new ScimError("invalidValue", `more than ${most} operations on one resource`);
  return all;
}

function eachWithPath(operations: readonly PatchOperation[]): readonly PathOperation[] {
  return operations.flatMap(({ op, path, value }) => {
    if (path !== undefined) return [{ op, path, value }];
    const members = value as Readonly<Record<string, unknown>>;
    // Refuses a name that is there twice: which of them counts is not for us to guess.
    messageMembers(members);
    return Object.entries(members)
      .filter(([name]) => !FIXED.has(name.toLowerCase()))
      .map(([name, one]) => ({ op, path: name, value: one }));
  });
}

/**
 * Names of what is created: the body has them, and permissions are decided on them before the rest of the body is
 * validated.
 */

import { isPossibleName, MAX_NAME_BYTES } from "@svc-authorizer/policy/model/names.ts";
import { requireObject } from "../../../http/body/json-body.ts";
import { RequestRefused } from "../../../http/errors.ts";
import { faulty } from "../../rest/bodies.ts";
import type { OpenCall } from "../call.ts";
import type { UserDeclaration } from "../declaration.ts";

/** A kind of entity that is created under a name, as the reference writes it. */
type Kind = "User" | "Group" | "Policy";

/** The name of a new `kind`; throws 400 for a text that cannot be a name, before it goes into an ARN. */
export function nameIn(id: unknown, kind: Kind): string {
  if (typeof id !== "string")
    throw faulty("id", id === undefined || id === null ? "required" : "expected a string");
  if (id !== "" && !isPossibleName(id)) throw faulty("id", nameFault(id));
  if (id.includes("%")) throw new RequestRefused(400, `${kind} name cannot contain '%'`);
  return id;
}

function nameFault(id: string): string {
  if (Buffer.byteLength(id) > MAX_NAME_BYTES) return "must be a name of 1 to 1,024 bytes";
  return 'must be a name of well-formed Unicode without control characters, and not "." or ".."';
}

/**
 * Returns the name that the permission to create a `kind` is decided on. The body is read first: the reference
 * looks at the name before it decides.
 * @param nameOf how the name is read, where the body says more than that
 */
export function decidedOnNewName(
  kind: Kind,
  nameOf = ({ body }: OpenCall) => nameIn(requireObject(body)["id"], kind),
): Required<Pick<UserDeclaration, "values" | "fields">> {
  return {
    values: (call) => [["body.id", nameOf(call)]],
    fields: (call) => [[`action.${kind.toLowerCase()}`, nameOf(call)]],
  };
}

/** Names of what is created: they stand in the body, and permissions are asked on them. */

import { RequestRefused } from "../../http/errors.ts";
import { isPossibleName } from "../../model/names.ts";
import { BodyFields } from "../rest/body-fields.ts";
import type { OpenCall, UserOperation } from "./operation.ts";

/** What can be created under a name, as the reference writes it. */
export type Kind = "User" | "Group" | "Policy";

type ByNewName = Required<Pick<UserOperation, "takesBody" | "values" | "fields">>;

/** The field `id` of a body that creates a `kind`; throws 400 for what can be no name, before it goes into an ARN. */
export function nameIn(fields: BodyFields, kind: Kind): string {
  const name = fields.text("id");
  if (name !== "" && !isPossibleName(name)) fields.check("id", "must be a name of 1 to 1,024 bytes");
  if (name.includes("%")) throw new RequestRefused(400, `${kind} name cannot contain '%'`);
  return name;
}

/**
 * What the row of an operation that creates a `kind` is asked with. The body is read first: the reference looks at the
 * name before it asks for the permission.
 * @param nameOf how the name is read, where the body says more than that
 */
export function askedByNewName(kind: Kind, nameOf = (call: OpenCall) => newNameOf(call, kind)): ByNewName {
  return {
    takesBody: true,
    values: (call) => [["body.id", nameOf(call)]],
    fields: (call) => [[`action.${kind.toLowerCase()}`, nameOf(call)]],
  };
}

function newNameOf({ body }: OpenCall, kind: Kind): string {
  const fields = new BodyFields(body);
  const name = nameIn(fields, kind);
  fields.finish();
  return name;
}

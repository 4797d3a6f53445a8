/** Operations on a group, as a change of names and members: the members of a large group are not read for it. */

import type { ProvisionedGroupChange } from "../../../directory/provisioning.ts";
import { type Filter, parsePath } from "../filter/filter.ts";
import { isOfExtension, resolvePath } from "../filter/resolve.ts";
import { readAttribute } from "../read-values.ts";
import type { Attribute } from "../schema/attribute.ts";
import { GROUPS } from "../schema/group-schema.ts";
import { ScimError } from "../scim-error.ts";
import type { Tolerance } from "../tolerance.ts";
import { MOST_OPERATIONS, type PatchOperation, type PathOperation, withPaths } from "./operations.ts";

interface Draft {
  name?: string;
  external_id?: string | null;
  members?: Set<string>;
  readonly add: Set<string>;
  readonly remove: Set<string>;
}

/** The change that the operations describe; throws {@link ScimError}. */
export function groupChange(
  operations: readonly PatchOperation[],
  tolerance: Tolerance,
): ProvisionedGroupChange {
  const draft: Draft = { add: new Set(), remove: new Set() };
  for (const operation of withPaths(operations, MOST_OPERATIONS)) applyOne(draft, operation, tolerance);
  const { add, remove, members, ...rest } = draft;
  const whole = { ...rest, ...(members && { members: [...members] }) };
  return {
    ...whole,
    ...(add.size > 0 && { add: [...add] }),
    ...(remove.size > 0 && { remove: [...remove] }),
  };
}

function applyOne(draft: Draft, { op, path: text, value }: PathOperation, tolerance: Tolerance): void {
  const path = parsePath(text);
  const { filter, ...plain } = path;
  const attributes = resolvePath(
    GROUPS,
    filter === undefined ? path : ({ ...plain, sub: undefined } as never),
  )?.attributes;
  const [attribute, part] = attributes ?? [];
  if (attribute === undefined) {
    if (tolerance.unknownExtensions === "ignore" && isOfExtension(GROUPS, path)) return;
    throw new ScimError("invalidPath", "the path names no attribute of groups");
  }
  if (attribute.mutability === "readOnly")
    throw new ScimError("mutability", `${attribute.name} cannot be changed`);
  if (filter !== undefined && !attribute.multiValued)
    throw new ScimError("invalidPath", `${attribute.name} has no list of values to choose from`);
  if (attribute.name === "members") {
    if (part !== undefined || path.sub !== undefined) {
      throw new ScimError(
        "mutability",
        "a part of a member cannot be changed: remove it and add another one",
      );
    }
    changeMembers(
      draft,
      op,
      filter,
      op === "remove" && value === undefined ? undefined : idsOf(attribute, value),
    );
  } else if (attribute.name === "displayName") {
    if (op === "remove") throw new ScimError("mutability", "displayName is required");
    const name = readAttribute(attribute, value);
    if (typeof name !== "string") throw new ScimError("invalidValue", "displayName: required");
    draft.name = name;
  } else {
    const id = op === "remove" ? undefined : readAttribute(attribute, value);
    draft.external_id = typeof id === "string" ? id : null;
  }
}

function changeMembers(
  draft: Draft,
  op: PatchOperation["op"],
  filter: Filter | undefined,
  given: readonly string[] | undefined,
): void {
  if (filter !== undefined && op !== "remove") {
    throw new ScimError("mutability", "a member cannot be changed: remove it and add another one");
  }
  const ids = filter === undefined ? given : chosenBy(filter);
  if (op === "add") {
    for (const id of ids ?? []) {
      draft.add.add(id);
      draft.remove.delete(id);
    }
    return;
  }
  if (op === "replace" || ids === undefined) {
    draft.members = new Set(ids);
    draft.add.clear();
    draft.remove.clear();
    return;
  }
  for (const id of ids) {
    draft.remove.add(id);
    draft.add.delete(id);
    draft.members?.delete(id);
  }
}

function idsOf(attribute: Attribute, value: unknown): readonly string[] {
  const read = (readAttribute(attribute, value) ?? []) as readonly { readonly value: string }[];
  return read.map((one) => one.value);
}

/** `value eq "id"`, and several of these joined by `or`. */
function chosenBy(filter: Filter): readonly string[] {
  if (filter.op === "or") return [...chosenBy(filter.left), ...chosenBy(filter.right)];
  const named =
    filter.op === "eq" && filter.path.name.toLowerCase() === "value" && filter.path.sub === undefined;
  if (named && typeof filter.value === "string") return [filter.value];
  throw new ScimError("invalidFilter", 'members are chosen by value eq "id"');
}

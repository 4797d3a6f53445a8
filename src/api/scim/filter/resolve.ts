/** Finds the attribute that a path names. */

import { type Attribute, findAttribute, type ResourceKind, topAttributes } from "../schema/attribute.ts";
import type { AttributePath } from "./filter.ts";

/** An attribute with the way to it in a resource. */
interface Resolved {
  /** Names from the top, as the schema writes them. */
  readonly names: readonly string[];
  readonly attributes: readonly Attribute[];
}

/** The attribute that a path names; undefined if there is none. */
export function resolvePath(kind: ResourceKind, { urn, name, sub }: AttributePath): Resolved | undefined {
  const top = topAttributes(kind);
  const { core, extension } = kind;
  if (urn === undefined || urn.toLowerCase() === core.id.toLowerCase()) {
    return below(top, name === "" ? [] : [name, ...(sub === undefined ? [] : [sub])], []);
  }
  if (extension !== undefined) {
    const whole = `${urn}:${name}`.toLowerCase();
    // The path may be the URN of the extension itself.
    if (whole === extension.id.toLowerCase() && sub === undefined) return below(top, [extension.id], []);
    if (urn.toLowerCase() === extension.id.toLowerCase()) {
      return below(top, [extension.id, name, ...(sub === undefined ? [] : [sub])], []);
    }
  }
  return undefined;
}

/** True for a path into an extension, known or not: it begins with another URN than that of the core schema. */
export function isOfExtension({ core }: ResourceKind, { urn, name }: AttributePath): boolean {
  if (urn === undefined) return false;
  const known = core.id.toLowerCase();
  return urn.toLowerCase() !== known && `${urn}:${name}`.toLowerCase() !== known;
}

function below(
  attributes: readonly Attribute[],
  names: readonly string[],
  found: readonly Attribute[],
): Resolved | undefined {
  const [first, ...rest] = names;
  if (first === undefined) {
    return found.length === 0 ? undefined : { names: found.map(({ name }) => name), attributes: found };
  }
  const attribute = findAttribute(attributes, first);
  return attribute && below(attribute.subAttributes ?? [], rest, [...found, attribute]);
}

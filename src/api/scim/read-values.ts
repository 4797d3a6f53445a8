/**
 * Reads attributes of a body into the form in which the service keeps them: names as the schemas write them, nothing
 * that no schema has, nothing empty. Identity providers send more than they were told of: what is unknown is ignored.
 */

import type { Problem } from "@svc-authorizer/policy/errors.ts";
import { isObject } from "../../http/body/json-body.ts";
import { invalidRequest } from "../../http/errors.ts";
import { messageMembers, namesSchema } from "./messages.ts";
import { type Attribute, findAttribute, type ResourceKind, topAttributes } from "./schema/attribute.ts";
import { ScimError } from "./scim-error.ts";

/** Attributes by their names. */
export type Attributes = Readonly<Record<string, unknown>>;

/** Most values of an attribute with several. */
export const MOST_VALUES = 100;
/** Most members of a group in one call: reading them takes some 20 ms. */
const MOST_MEMBERS = 10_000;

/** Required attributes that a body may leave out, since the service knows their value: identity providers do. */
const ASSUMED: ReadonlySet<string> = new Set(["active"]);

/** Reads the attributes of a resource; throws "invalid_request" with every problem. */
export function readResource(kind: ResourceKind, body: unknown): Attributes {
  if (!isObject(body)) throw new ScimError("invalidSyntax", "a JSON object is needed");
  const problems: Problem[] = [];
  if (!namesSchema(messageMembers(body)["schemas"], kind.core.id)) {
    problems.push({ pointer: "/schemas", message: `must name ${kind.core.id}` });
  }
  const attributes = topAttributes(kind);
  const read = readObject(attributes, body, "", problems, true);
  for (const { name, required } of attributes) {
    if (required && read[name] === undefined && !ASSUMED.has(name))
      problems.push({ pointer: `/${name}`, message: "required" });
  }
  if (problems.length > 0) throw invalidRequest(problems);
  return read;
}

/** Reads one value of an attribute; undefined for an empty one. Throws "invalid_request" with every problem. */
export function readAttribute(attribute: Attribute, value: unknown): unknown {
  const problems: Problem[] = [];
  const read = readValue(attribute, value, `/${attribute.name}`, problems);
  if (problems.length > 0) throw invalidRequest(problems);
  return read;
}

/** Reads one value of an attribute with several. */
export function readElement(attribute: Attribute, value: unknown): unknown {
  return readAttribute({ ...attribute, multiValued: false }, value);
}

function readObject(
  attributes: readonly Attribute[],
  body: Readonly<Record<string, unknown>>,
  pointer: string,
  problems: Problem[],
  isTop: boolean,
): Attributes {
  const read: Record<string, unknown> = {};
  const seen = new Set<Attribute>();
  for (const [given, value] of Object.entries(body)) {
    const attribute = findAttribute(attributes, given);
    if (attribute === undefined) continue;
    if (seen.has(attribute)) problems.push({ pointer: `${pointer}/${given}`, message: "is there twice" });
    seen.add(attribute);
    // A client may send back what it read.
    if (attribute.mutability === "readOnly" && isTop) continue;
    const known = readValue(attribute, value, `${pointer}/${attribute.name}`, problems);
    if (known !== undefined) read[attribute.name] = known;
  }
  return read;
}

function readValue(attribute: Attribute, value: unknown, pointer: string, problems: Problem[]): unknown {
  if (value === null || value === undefined) return undefined;
  if (!attribute.multiValued) return readSingle(attribute, aloneIn(attribute, value), pointer, problems);
  const list = Array.isArray(value) ? value : [value];
  const isMembers = attribute.name === "members";
  const most = isMembers ? MOST_MEMBERS : MOST_VALUES;
  if (list.length > most) {
    problems.push({ pointer, message: `more than ${most} values` });
    return undefined;
  }
  const read = list.flatMap((one, index) => {
    const known = readSingle(attribute, one, `${pointer}/${index}`, problems);
    // A member that was left out would stay, or leave, without a word.
    if (isMembers && (known as Attributes | undefined)?.["value"] === undefined)
      problems.push({ pointer: `${pointer}/${index}`, message: "needs a value, the id of a user" });
    return known === undefined ? [] : [known];
  });
  return read.length === 0 ? undefined : read;
}

/** The value of `[{"value": …}]`, as Entra sent values of attributes with one in its former way. */
function aloneIn({ type }: Attribute, value: unknown): unknown {
  if (type === "complex" || !Array.isArray(value) || value.length !== 1) return value;
  const [one] = value as readonly unknown[];
  return isObject(one) && Object.hasOwn(one, "value") ? one["value"] : value;
}

function readSingle(attribute: Attribute, value: unknown, pointer: string, problems: Problem[]): unknown {
  if (value === null) return undefined;
  if (attribute.type === "boolean") return readBoolean(value, pointer, problems);
  if (attribute.type !== "complex") return readText(value, pointer, problems);
  const { subAttributes = [] } = attribute;
  // Some providers send the value alone where the attribute has one.
  const whole = !isObject(value) && findAttribute(subAttributes, "value") ? { value } : value;
  if (!isObject(whole)) {
    problems.push({ pointer, message: "expected an object" });
    return undefined;
  }
  const read = readObject(subAttributes, whole, pointer, problems, false);
  return Object.keys(read).length === 0 ? undefined : read;
}

/** Entra sends booleans as texts unless it is told not to. */
function readBoolean(value: unknown, pointer: string, problems: Problem[]): boolean | undefined {
  if (typeof value === "boolean") return value;
  const text = typeof value === "string" ? value.toLowerCase() : undefined;
  if (text === "true" || text === "false") return text === "true";
  problems.push({ pointer, message: "expected true or false" });
  return undefined;
}

function readText(value: unknown, pointer: string, problems: Problem[]): string | undefined {
  if (typeof value !== "string") {
    problems.push({ pointer, message: "expected a string" });
    return undefined;
  }
  if (!value.isWellFormed()) problems.push({ pointer, message: "not well-formed Unicode" });
  return value === "" ? undefined : value;
}

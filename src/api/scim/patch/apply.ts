/** Applies operations to the attributes of a resource (RFC 7644, sections 3.5.2.1 and 3.5.2.3). */

import { isObject } from "../../../http/body/json-body.ts";
import { bulkPause } from "../../../schedule/bulk-pause.ts";
import { type ChangePath, type Filter, parsePath } from "../filter/filter.ts";
import { compileValueFilter } from "../filter/matching.ts";
import { isOfExtension, resolvePath } from "../filter/resolve.ts";
import { type Attributes, MOST_VALUES, readAttribute, readElement } from "../read-values.ts";
import { type Attribute, findAttribute, type ResourceKind } from "../schema/attribute.ts";
import { ScimError } from "../scim-error.ts";
import type { Tolerance } from "../tolerance.ts";
import { type PatchOperation, withPaths } from "./operations.ts";

type Holder = Record<string, unknown>;
type Op = PatchOperation["op"];

/** Most operations of a call: each goes through the values of its attribute. */
const MOST_OPERATIONS = 100;
/** Most characters of the values of an attribute as JSON: the properties that they become have no more. */
const MOST_TEXT = 64 * 1_024;

/**
 * The attributes after the operations. Lets other work run between them. Rejects with {@link ScimError}, and with
 * "invalid_request" for values of another type.
 */
export async function applyOperations(
  kind: ResourceKind,
  attributes: Attributes,
  operations: readonly PatchOperation[],
  tolerance: Tolerance,
): Promise<Attributes> {
  const steps = withPaths(operations, MOST_OPERATIONS);
  const changed = structuredClone(attributes) as Holder;
  const pause = bulkPause();
  for (const { op, path, value } of steps) {
    applyOne({ kind, tolerance }, changed, op, parsePath(path), value);
    await pause();
  }
  return changed;
}

/** The kind of a resource, and the tolerance of its change. */
interface Changing {
  readonly kind: ResourceKind;
  readonly tolerance: Tolerance;
}

function applyOne(
  { kind, tolerance }: Changing,
  resource: Holder,
  op: Op,
  path: ChangePath,
  value: unknown,
): void {
  const { filter, sub, ...rest } = path;
  const target = resolvePath(kind, filter === undefined ? path : rest);
  if (target === undefined) {
    if (tolerance.unknownExtensions === "ignore" && isOfExtension(kind, path)) return;
    throw new ScimError("invalidPath", "the path names no attribute");
  }
  const attribute = target.attributes.at(-1) as Attribute;
  const fixed = target.attributes.find(({ mutability }) => mutability === "readOnly");
  if (fixed !== undefined) throw new ScimError("mutability", `${fixed.name} cannot be changed`);
  if (op === "remove" && target.attributes.length === 1 && attribute.required && filter === undefined) {
    throw new ScimError("mutability", `${attribute.name} is required`);
  }
  if (filter !== undefined) {
    const holder = holderOf(resource, target.names, target.attributes, op !== "remove");
    if (holder !== undefined) changeSome({ holder, attribute, filter, sub }, op, value, tolerance);
    return;
  }
  if (attribute.type === "boolean" && target.attributes.length === 1) assertBoolean(attribute, op, value);
  // A part of an attribute with several values is that part of each of them.
  const list = target.attributes.length > 1 ? target.attributes.at(-2) : undefined;
  if (list?.multiValued === true) {
    const holder = holderOf(
      resource,
      target.names.slice(0, -1),
      target.attributes.slice(0, -1),
      op !== "remove",
    );
    if (holder !== undefined)
      changeSome({ holder, attribute: list, filter: undefined, sub: attribute.name }, op, value, tolerance);
    return;
  }
  const holder = holderOf(resource, target.names, target.attributes, op !== "remove");
  if (holder !== undefined) changeWhole(holder, attribute, op, value);
}

/** Throws where a flag would be removed: null is no value, and would leave it as it is. */
function assertBoolean(attribute: Attribute, op: Op, value: unknown): void {
  if (op === "remove" || readAttribute(attribute, value) === undefined)
    throw new ScimError("mutability", `${attribute.name} is true or false: replace it`);
}

/** The object that an attribute is in. */
function holderOf(
  resource: Holder,
  names: readonly string[],
  attributes: readonly Attribute[],
  makes: boolean,
): Holder | undefined {
  let holder = resource;
  for (const [index, name] of names.slice(0, -1).entries()) {
    const next = holder[name];
    if (isObject(next) && attributes[index]?.multiValued === false) holder = next as Holder;
    else if (!makes) return undefined;
    else {
      const made: Holder = {};
      holder[name] = made;
      holder = made;
    }
  }
  return holder;
}

function changeWhole(holder: Holder, attribute: Attribute, op: Op, value: unknown): void {
  const { name, multiValued } = attribute;
  if (op === "remove") {
    if (multiValued && value !== undefined) removeValues(holder, attribute, value);
    else delete holder[name];
    return;
  }
  const read = readAttribute(attribute, value);
  if (read === undefined) {
    if (op === "replace") delete holder[name];
    return;
  }
  if (op === "add" && multiValued) {
    setList(holder, attribute, [...listOf(holder[name]), ...(read as readonly unknown[])]);
  } else if (multiValued) setList(holder, attribute, read as readonly unknown[]);
  else if (attribute.type === "complex" && isObject(holder[name])) {
    // Of a complex attribute only the given parts change, also by `replace`.
    holder[name] = { ...(holder[name] as Holder), ...(read as Holder) };
  } else holder[name] = read;
}

/** Some providers name the values to remove in the operation, not in its path. */
function removeValues(holder: Holder, attribute: Attribute, value: unknown): void {
  const given = Array.isArray(value) ? value : [value];
  readAttribute(attribute, given);
  const tests = given.map((one) => compileValueFilter(filterFor(attribute, one), attribute));
  const kept = listOf(holder[attribute.name]).filter(
    (one) => !(isObject(one) && tests.some((test) => test(one))),
  );
  setList(holder, attribute, kept);
}

/** The filter that a value to remove passes: its `value`, else all that it has. */
function filterFor(attribute: Attribute, given: unknown): Filter {
  const read = readElement(attribute, given) as Holder | undefined;
  const names = read === undefined || "value" in read ? ["value"] : Object.keys(read);
  const equal = names.map((name): Filter => {
    const value = read?.[name];
    if (typeof value === "string" || typeof value === "boolean") return { op: "eq", path: { name }, value };
    throw new ScimError(
      "invalidValue",
      `${attribute.name}: a value to remove has nothing by which to find it`,
    );
  });
  return equal.reduce((left, right) => ({ op: "and", left, right }));
}

interface Selection {
  readonly holder: Holder;
  readonly attribute: Attribute;
  readonly filter: Filter | undefined;
  readonly sub: string | undefined;
}

function changeSome(
  { holder, attribute, filter, sub }: Selection,
  op: Op,
  value: unknown,
  { replaceWithoutMatch }: Tolerance,
): void {
  const { name } = attribute;
  if (!attribute.multiValued)
    throw new ScimError("invalidPath", `${name} has no list of values to choose from`);
  const part = sub === undefined ? undefined : findAttribute(attribute.subAttributes ?? [], sub);
  if (sub !== undefined && part === undefined)
    throw new ScimError("invalidPath", `${name} has no part ${sub.slice(0, 100)}`);
  const test = filter === undefined ? () => true : compileValueFilter(filter, attribute);
  const list = listOf(holder[name]);
  const chosen = list.filter((one) => isObject(one) && test(one));
  if (op === "remove") {
    const kept = part === undefined ? list.filter((one) => !chosen.includes(one)) : list;
    if (part !== undefined) for (const one of chosen) delete (one as Holder)[part.name];
    setList(holder, attribute, kept);
    return;
  }
  if (chosen.length === 0) {
    const element = filter === undefined ? {} : elementOf(filter);
    if (op === "replace" && filter !== undefined) {
      if (replaceWithoutMatch === "refuse")
        throw new ScimError("noTarget", `no value of ${name} passes the filter`);
      if (element === undefined) return;
    }
    if (element === undefined) {
      throw new ScimError("noTarget", "no value passes the filter, and the filter does not say what to add");
    }
    const described = readElement(attribute, element);
    chosen.push((described ?? {}) as Holder);
    list.push(...chosen);
  }
  for (const one of chosen as Holder[]) {
    if (part !== undefined) changeWhole(one, part, op, value);
    else {
      const read = readElement(attribute, value) as Holder | undefined;
      if (op === "replace") for (const key of Object.keys(one)) delete one[key];
      Object.assign(one, read);
    }
  }
  setList(holder, attribute, list, chosen);
}

/** The value that an addition makes where none passes the filter; undefined where the filter does not describe one. */
function elementOf(filter: Filter): Holder | undefined {
  if (filter.op === "and") {
    const [left, right] = [elementOf(filter.left), elementOf(filter.right)];
    return left && right && { ...left, ...right };
  }
  if (filter.op === "eq" && filter.path.sub === undefined && filter.value !== null) {
    return { [filter.path.name]: filter.value };
  }
  return undefined;
}

/** Sets a list without repeated and empty values, at most one of which is the primary one: the last that was set. */
function setList(holder: Holder, attribute: Attribute, list: readonly unknown[], set = list): void {
  const byText = new Map<string, unknown>();
  let length = 0;
  for (const one of list) {
    if (isObject(one) && Object.keys(one).length === 0) continue;
    const text = textOf(one);
    // Every further operation would go through all of it.
    length += text.length;
    if (length > MOST_TEXT)
      throw new ScimError("invalidValue", `${attribute.name}: more than ${MOST_TEXT} characters`);
    if (!byText.has(text)) byText.set(text, one);
  }
  const distinct = [...byText.values()];
  if (distinct.length > MOST_VALUES) {
    throw new ScimError("invalidValue", `${attribute.name}: more than ${MOST_VALUES} values`);
  }
  const primary = distinct.findLast((one) => isPrimary(one) && set.includes(one));
  const kept = distinct.map((one) => {
    if (!isPrimary(one) || primary === undefined || one === primary) return one;
    return { ...(one as Holder), primary: false };
  });
  if (kept.length === 0) delete holder[attribute.name];
  else holder[attribute.name] = kept;
}

/** The same text for equal values, whatever the order of their members. */
function textOf(value: unknown): string {
  return JSON.stringify(isObject(value) ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)) : value);
}

function isPrimary(value: unknown): boolean {
  return isObject(value) && value["primary"] === true;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? [...value] : [];
}

/** Whether a resource passes a filter (RFC 7644, section 3.4.2.2). */

import type { Attribute, ResourceKind } from "../schema/attribute.ts";
import { findAttribute } from "../schema/attribute.ts";
import { ScimError } from "../scim-error.ts";
import type { AttributePath, Comparison, Filter, FilterValue } from "./filter.ts";
import { resolvePath } from "./resolve.ts";

/** A resource, or a value of a complex attribute. */
type Values = Readonly<Record<string, unknown>>;

/** A compiled filter. */
export type Test = (values: Values) => boolean;

/** Finds an attribute by its path. */
type Find = (path: AttributePath) => readonly Attribute[] | undefined;

/** Compiles a filter on resources; throws {@link ScimError} "invalidFilter" for an attribute that there is not. */
export function compileFilter(filter: Filter, kind: ResourceKind): Test {
  return compiled(filter, (path) => resolvePath(kind, path)?.attributes);
}

/** Compiles a filter on the values of an attribute. */
export function compileValueFilter(filter: Filter, attribute: Attribute): Test {
  return compiled(filter, ({ name, sub }) => {
    const found = sub === undefined ? findAttribute(attribute.subAttributes ?? [], name) : undefined;
    return found && [found];
  });
}

/** True if a filter looks at an attribute of the top. */
export function readsAttribute(filter: Filter, name: string): boolean {
  if ("left" in filter) return readsAttribute(filter.left, name) || readsAttribute(filter.right, name);
  if (filter.op === "not") return readsAttribute(filter.filter, name);
  return filter.path.name.toLowerCase() === name.toLowerCase();
}

function compiled(filter: Filter, find: Find): Test {
  switch (filter.op) {
    case "and":
    case "or": {
      const [left, right] = [compiled(filter.left, find), compiled(filter.right, find)];
      if (filter.op === "and") return (values) => left(values) && right(values);
      return (values) => left(values) || right(values);
    }
    case "not": {
      const inner = compiled(filter.filter, find);
      return (values) => !inner(values);
    }
    case "values": {
      const attributes = found(find, filter.path);
      const test = compileValueFilter(filter.filter, attributes.at(-1) as Attribute);
      return (values) => valuesAt(values, attributes).some((one) => isObject(one) && test(one));
    }
    case "pr": {
      const attributes = found(find, filter.path);
      return (values) => valuesAt(values, attributes).some(isPresent);
    }
    case "ne": {
      const equal = compiled({ ...filter, op: "eq" }, find);
      return (values) => !equal(values);
    }
    default:
      return comparison(filter.op, found(find, filter.path), filter.value);
  }
}

function found(find: Find, path: AttributePath): readonly Attribute[] {
  const attributes = find(path);
  if (attributes !== undefined) return attributes;
  const { urn, name, sub } = path;
  const shown = `${urn === undefined ? "" : `${urn}:`}${name}${sub === undefined ? "" : `.${sub}`}`;
  throw new ScimError("invalidFilter", `there is no attribute ${shown.slice(0, 200)}`);
}

/** The values at the end of a path: of a list, those of all its elements. */
function valuesAt(values: Values, attributes: readonly Attribute[]): readonly unknown[] {
  let at: readonly unknown[] = [values];
  for (const { name } of attributes) {
    at = at.flatMap((one) => (isObject(one) ? (one[name] ?? []) : [])) as readonly unknown[];
  }
  return at;
}

function comparison(
  op: Exclude<Comparison, "ne">,
  attributes: readonly Attribute[],
  wanted: FilterValue,
): Test {
  const last = attributes.at(-1) as Attribute;
  // A comparison with a complex attribute is one with its value.
  const value = last.type === "complex" ? findAttribute(last.subAttributes ?? [], "value") : undefined;
  const path = value === undefined ? attributes : [...attributes, value];
  const { caseExact } = value ?? last;
  if (wanted === null) {
    if (op !== "eq") throw new ScimError("invalidFilter", "null can only be compared by eq and ne");
    return (values) => !valuesAt(values, path).some(isPresent);
  }
  const isTime = last.name === "created";
  const prepared = prepare(comparable(op, value ?? last, wanted), caseExact, isTime);
  if (isTime && typeof prepared !== "number") throw new ScimError("invalidFilter", "created is a time");
  return (values) =>
    valuesAt(values, path).some((one) => compare(op, prepare(one, caseExact, isTime), prepared));
}

/**
 * The value in the type of the attribute. With one of another type nothing would be found, whatever there is. Entra writes flags
 * as texts.
 */
function comparable(op: Comparison, { name, type }: Attribute, wanted: string | number | boolean) {
  if (type === "complex") throw new ScimError("invalidFilter", `${name} has no value to compare with`);
  if (type !== "boolean") {
    if (typeof wanted === "string") return wanted;
    throw new ScimError("invalidFilter", `${name} is a text`);
  }
  const text = String(wanted).toLowerCase();
  if (op === "eq" && (text === "true" || text === "false")) return text === "true";
  throw new ScimError("invalidFilter", `${name} is true or false, compared by eq and ne`);
}

type Comparable = string | number | boolean | undefined;

function prepare(value: unknown, caseExact: boolean, isTime: boolean): Comparable {
  if (typeof value === "string") {
    const time = isTime ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(time)) return time;
    return caseExact ? value : value.toLowerCase();
  }
  return typeof value === "number" || typeof value === "boolean" ? value : undefined;
}

function compare(op: Exclude<Comparison, "ne">, have: Comparable, want: Comparable): boolean {
  if (have === undefined || want === undefined || typeof have !== typeof want) return false;
  switch (op) {
    case "eq":
      return have === want;
    case "gt":
      return have > want;
    case "ge":
      return have >= want;
    case "lt":
      return have < want;
    case "le":
      return have <= want;
    default:
      return typeof have === "string" && typeof want === "string" && inText(op, have, want);
  }
}

function inText(op: "co" | "sw" | "ew", have: string, want: string): boolean {
  if (op === "co") return have.includes(want);
  return op === "sw" ? have.startsWith(want) : have.endsWith(want);
}

function isPresent(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isObject(value) || Object.keys(value).length > 0;
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

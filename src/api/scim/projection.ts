/** The attributes that a client wants to see (RFC 7644, section 3.9): `attributes`, or all but `excludedAttributes`. */

import { attributePath } from "./filter/filter.ts";
import { resolvePath } from "./filter/resolve.ts";
import type { ListQuery } from "./lists.ts";
import type { Attributes } from "./read-values.ts";
import type { ResourceKind } from "./schema/attribute.ts";
import { ScimError } from "./scim-error.ts";

/** A choice of attributes. */
export interface Projection {
  /** True if the attribute of the top, or some part of it, is shown. */
  shows(name: string): boolean;
  apply(resource: Attributes): Attributes;
}

/** Longest list of attributes, in characters. */
const LONGEST_LIST = 16_384;
/** Attributes that every answer has. */
const ALWAYS: ReadonlySet<string> = new Set(["id", "schemas"]);

/** Reads the choice of a request. */
export function projectionOf(kind: ResourceKind, query: ListQuery): Projection {
  const wanted = pathsOf(kind, query.get("attributes"));
  const excluded = pathsOf(kind, query.get("excludedAttributes"));
  if (wanted !== undefined && excluded !== undefined) {
    throw new ScimError("invalidValue", "give attributes or excludedAttributes, not both");
  }
  if (wanted !== undefined) {
    return {
      shows: (name) => wanted.some(([first]) => first === name),
      apply: (resource) => chosen(resource, wanted),
    };
  }
  const hidden = excluded ?? [];
  return {
    shows: (name) => !hidden.some((path) => path.length === 1 && path[0] === name),
    apply: (resource) => without(resource, hidden),
  };
}

type Path = readonly string[];

/** The attributes that a text names; an unknown name is none that could be shown. */
function pathsOf(kind: ResourceKind, text: string | undefined): readonly Path[] | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  if (text.length > LONGEST_LIST)
    throw new ScimError("invalidValue", `the list of attributes is longer than ${LONGEST_LIST} characters`);
  // Each path once, in whatever letter case it is named: every resource goes through all of them.
  const paths = new Map<string, Path>();
  for (const one of text.split(",")) {
    const found = resolvePath(kind, attributePath(one.trim()));
    if (found !== undefined) paths.set(JSON.stringify(found.names), found.names);
  }
  return [...paths.values()];
}

function chosen(resource: Attributes, paths: readonly Path[]): Attributes {
  const shown = Object.entries(resource).flatMap(([name, value]) => {
    if (ALWAYS.has(name)) return [[name, value]];
    const mine = paths.filter(([first]) => first === name);
    if (mine.length === 0) return [];
    if (mine.some((path) => path.length === 1)) return [[name, value]];
    const parts = mine.map((path) => path.slice(1));
    return [[name, each(value, (one) => chosen(one, parts))]];
  });
  return Object.fromEntries(shown);
}

function without(resource: Attributes, paths: readonly Path[]): Attributes {
  const shown = Object.entries(resource).flatMap(([name, value]) => {
    const mine = ALWAYS.has(name) ? [] : paths.filter(([first]) => first === name);
    if (mine.some((path) => path.length === 1)) return [];
    const parts = mine.map((path) => path.slice(1));
    return [[name, parts.length === 0 ? value : each(value, (one) => without(one, parts))]];
  });
  return Object.fromEntries(shown);
}

function each(value: unknown, change: (one: Attributes) => Attributes): unknown {
  if (Array.isArray(value)) return value.map((one) => each(one, change));
  return typeof value === "object" && value !== null ? change(value as Attributes) : value;
}

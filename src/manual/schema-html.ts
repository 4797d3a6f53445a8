/** JSON Schemas as tables for people. */

import { escapeHtml } from "@svc-authorizer/policy/html.ts";
import type { Schema } from "../http/openapi/openapi-types.ts";

/** The way to render parts of schemas. */
export interface SchemaContext {
  /** Renders a text with inline markup. */
  readonly inline: (text: string) => string;
  /** Id of the description of a named schema. */
  readonly idOf: (name: string) => string;
}

/** Levels of objects inside objects that are shown in place. */
const DEEPEST = 4;

/** Returns the type of a value in words. */
export function typeHtml(schema: Schema, context: SchemaContext): string {
  const { $ref, type, items, const: only, enum: choices, oneOf, anyOf } = schema;
  if ($ref !== undefined) {
    const name = $ref.split("/").at(-1) ?? "";
    return `<a href="#${context.idOf(name)}">${escapeHtml(name)}</a>`;
  }
  if (only !== undefined) return valueHtml(only);
  if (choices !== undefined) return choices.map(valueHtml).join(" or ");
  const alternatives = oneOf ?? anyOf;
  if (alternatives !== undefined && type === undefined) {
    return [...new Set(alternatives.map((one) => typeHtml(one, context)))].join(" or ");
  }
  if (items !== undefined) {
    const list = `list of ${typeHtml(items, context)}`;
    return [type].flat().includes("null") ? `${list} or null` : list;
  }
  return type === undefined ? "any value" : [type].flat().join(" or ");
}

/** Returns the members of an object as a table; "" for what has none. */
export function membersHtml(schema: Schema, context: SchemaContext, depth = 0): string {
  const inner = schema.items ?? schema;
  const { properties, required = [], additionalProperties } = inner;
  const alternatives = inner.oneOf ?? inner.anyOf ?? [];
  const parts = alternatives
    .filter(({ properties: members }) => members !== undefined)
    .map((one) => membersHtml(one, context, depth));
  if (properties !== undefined && depth < DEEPEST) {
    const rows = Object.entries(properties).map(([name, member]) => {
      const mark = required.includes(name) ? ' <span class="required">required</span>' : "";
      return `<tr><th scope="row"><code>${escapeHtml(name)}</code>${mark}</th><td>${typeHtml(member, context)}</td><td>${textOf(member, context)}${membersHtml(member, context, depth + 1)}</td></tr>`;
    });
    parts.unshift(
      `<div class="table"><table class="members"><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`,
    );
  }
  if (typeof additionalProperties === "object") {
    parts.push(`<p>Each value: ${typeHtml(additionalProperties, context)}.</p>`);
  }
  return parts.join("");
}

/** Returns the meaning of a value and its bounds. */
export function textOf(schema: Schema, { inline }: SchemaContext): string {
  const { description, default: standard, minimum, maximum, minItems, maxItems, pattern } = schema;
  const facts = [
    ...(standard === undefined || standard === "" ? [] : [`Default ${valueHtml(standard)}.`]),
    ...(minimum === undefined ? [] : [`At least ${minimum}.`]),
    ...(maximum === undefined ? [] : [`At most ${maximum}.`]),
    ...(minItems === undefined ? [] : [`At least ${minItems} elements.`]),
    ...(maxItems === undefined ? [] : [`At most ${maxItems} elements.`]),
    ...(pattern === undefined ? [] : [`Form <code>${escapeHtml(pattern)}</code>.`]),
  ];
  return [...(description === undefined ? [] : [inline(description)]), ...facts].join(" ");
}

function valueHtml(value: unknown): string {
  return `<code>${escapeHtml(JSON.stringify(value))}</code>`;
}

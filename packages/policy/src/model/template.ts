/** ARN templates of resource types: they turn an id into its ARN and back (spec/decision-api §2.8). */

import { parseArn } from "./arn.ts";
import type { ResourceType } from "./resource-type.ts";

/** A text with `{placeholder}`s, split at them: `literals` has one element more than `names`. */
export interface Template {
  readonly literals: readonly string[];
  readonly names: readonly string[];
}

/** The result of filling a template: the ARN, or the problem of the id. */
type ArnOrProblem = string | { readonly problem: string };

/** A compiled resource type. */
export interface CompiledTemplate {
  /**
   * The ARN of an id. Values are inserted raw, and the last placeholder takes the rest. It is a problem if a value is
   * empty, if a value has a `/` in a placeholder that is not the last, or if the id does not have the shape of the
   * type.
   */
  toArn(id: string): ArnOrProblem;
  /** The id of an ARN: `toArn(fromArn(arn))` is `arn`. Undefined if the template cannot produce the ARN. */
  fromArn(arn: string): string | undefined;
}

const PLACEHOLDER = /\{([^{}]*)\}/g;

/** Splits a text at its `{placeholder}`s. Never fails: the validation reports bad placeholders. */
export function parseTemplate(text: string): Template {
  const literals: string[] = [];
  const names: string[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    literals.push(text.slice(end, match.index));
    names.push(match[1] as string);
    end = match.index + match[0].length;
  }
  literals.push(text.slice(end));
  return { literals, names };
}

/**
 * Reads the values of a template from a text: each placeholder but the last ends at the next occurrence of the literal
 * after it, and the last takes the rest. Returns undefined if the text has another shape.
 */
function readValues(template: Template, text: string): readonly string[] | undefined {
  const { literals, names } = template;
  const suffix = literals[names.length] as string;
  if (!text.startsWith(literals[0] as string) || !text.endsWith(suffix)) return undefined;
  const values: string[] = [];
  let start = (literals[0] as string).length;
  for (let index = 1; index < names.length; index++) {
    const literal = literals[index] as string;
    // A value has no slash, so the first slash after it belongs to the literal.
    const end = text.indexOf("/", start) - literal.indexOf("/");
    if (end < start || !text.startsWith(literal, end)) return undefined;
    values.push(text.slice(start, end));
    start = end + literal.length;
  }
  const last = text.length - suffix.length;
  if (last < start) return undefined;
  values.push(text.slice(start, last));
  return values;
}

/** A conversion between two templates with the same placeholders. */
interface Conversion {
  readonly from: Template;
  readonly into: Template;
  /** For each placeholder of `into`, its index in `from`. */
  readonly places: readonly number[];
  /** Indexes in `from` whose values must have no `/`. */
  readonly slashless: readonly number[];
  /** The form of `from`, for people. */
  readonly form: string;
}

function conversion(from: Template, into: Template, form: string): Conversion {
  const places = into.names.map((name) => from.names.indexOf(name));
  const slashless = new Set([...from.names.keys()].slice(0, -1));
  for (const place of places.slice(0, -1)) slashless.add(place);
  return { from, into, places, slashless: [...slashless], form };
}

function convert({ from, into, places, slashless, form }: Conversion, text: string): ArnOrProblem {
  const values = readValues(from, text);
  if (values === undefined) return { problem: `must have the form ${form}` };
  const empty = values.indexOf("");
  if (empty >= 0) return { problem: `must have the form ${form}: {${from.names[empty]}} is empty` };
  for (const place of slashless) {
    if (!(values[place] as string).includes("/")) continue;
    return { problem: `must have the form ${form}: {${from.names[place]}} must not contain "/"` };
  }
  let filled = into.literals[0] as string;
  for (let index = 0; index < places.length; index++) {
    filled += (values[places[index] as number] as string) + (into.literals[index + 1] as string);
  }
  return filled;
}

/** Compiles a resource type. The type must satisfy `resourceTypeProblems`. */
export function compileTemplate(type: ResourceType): CompiledTemplate {
  const id = parseTemplate(type.id);
  const arn = parseTemplate(type.arn);
  const toArn = conversion(id, arn, type.id);
  const toId = conversion(arn, id, type.arn);
  return {
    toArn: (text) => convert(toArn, text),
    fromArn(text) {
      const found = convert(toId, text);
      return typeof found === "string" ? found : undefined;
    },
  };
}

/** The services of a resource type: that of its ARN and those of its actions. */
export function servicesOf(type: ResourceType, partition: string): ReadonlySet<string> {
  const services = new Set<string>();
  const arn = parseArn(type.arn, partition);
  if (arn !== undefined) services.add(arn.service);
  for (const action of Object.values(type.actions)) {
    const colon = action.indexOf(":");
    if (colon > 0) services.add(action.slice(0, colon));
  }
  return services;
}

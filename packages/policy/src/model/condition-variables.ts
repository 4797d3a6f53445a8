/**
 * Variables in condition values (spec/decision-api §4): `${user}`, `${subject.X}`, `${resource.X}`, `${context.X}`, each
 * with a default in IAM's notation (`${subject.team, 'none'}`), and IAM's escapes `${*}`, `${?}`, `${$}`. The text
 * operators read them, except the data server's StringLike and StringNotLike, for which `${…}` is ordinary text.
 */

import { arnParts } from "./condition-values.ts";

/** A piece of a value. */
export type TemplatePart =
  /** Text of the policy. Escaped text is literal: a `*` in it is a star, in patterns too. */
  | { readonly text: string; readonly literal: boolean }
  /** The name of the user, or the text of a field; `fallback` replaces a missing field. */
  | { readonly variable: string; readonly fallback?: string };

/** The parts of a value, or its problem. */
type Template = { readonly parts: readonly TemplatePart[] } | { readonly problem: string };

/** The variable that is the name of the user. */
export const USER_VARIABLE = "user";

const BEGIN = "${";
const ESCAPED: ReadonlySet<string> = new Set(["*", "?", "$"]);
const FIELD = /^(?:subject|resource|context)\../s;

/** True for a variable that exists, whether or not a request has a value for it. */
function isVariable(name: string): boolean {
  return name === USER_VARIABLE || FIELD.test(name);
}

/** Parses the text between the braces. */
function parseVariable(body: string): TemplatePart | string {
  if (ESCAPED.has(body)) return { text: body, literal: true };
  const comma = body.indexOf(",");
  const name = comma < 0 ? body : body.slice(0, comma).trim();
  if (!isVariable(name)) {
    return `has an unknown variable \${${name}}; known are \${user}, \${subject.X}, \${resource.X}, \${context.X}`;
  }
  if (comma < 0) return { variable: name };
  const quoted = body.slice(comma + 1).trim();
  if (quoted.length < 2 || !quoted.startsWith("'") || !quoted.endsWith("'"))
    return `has a default without quotes; write \${${name}, 'default'}`;
  return { variable: name, fallback: quoted.slice(1, -1) };
}

/** Splits a value into its parts. Time is linear in its length. */
export function parseTemplate(value: string): Template {
  const parts: TemplatePart[] = [];
  let at = 0;
  for (;;) {
    const begin = value.indexOf(BEGIN, at);
    if (begin < 0) break;
    const end = value.indexOf("}", begin);
    if (end < 0) return { problem: "has a ${ without }; write ${$}{ for the characters themselves" };
    if (begin > at) parts.push({ text: value.slice(at, begin), literal: false });
    const part = parseVariable(value.slice(begin + BEGIN.length, end));
    if (typeof part === "string") return { problem: part };
    parts.push(part);
    at = end + 1;
  }
  if (at < value.length || parts.length === 0) parts.push({ text: value.slice(at), literal: false });
  return { parts };
}

/** The problem of a value of the ARN operators, or undefined. A variable stands within one of its six parts. */
export function conditionArnProblem(value: string): string | undefined {
  const template = parseTemplate(value);
  if ("problem" in template) return template.problem;
  const text = template.parts.map((part) => ("text" in part && !part.literal ? part.text : "x")).join("");
  return arnParts(text) === undefined ? "is no ARN of six parts, such as arn:aws:s3:::bucket/*" : undefined;
}

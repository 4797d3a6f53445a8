/** Kinds of operations, and short ways to declare their bodies and answers. */

import { parseStrictJson } from "../../http/body/strict-json.ts";
import type { Schema, Schemas } from "../../http/openapi/openapi-types.ts";
import { requireNone, SchemaCheck } from "../../http/schema/schema-check.ts";
import { schemaRef } from "../../http/schema/schema-forms.ts";
import { PAGING, pageOfOne } from "./declared.ts";
import { isPolicySchema, parsePolicyBody, policyBodyProblems } from "./policy-bodies.ts";

/** An operation that reads one thing. */
export const READ = { method: "GET", priority: "bulk", errors: [404] } as const;

/** An operation that reads a page of a list. */
export const LIST = { ...READ, query: PAGING, errors: [400, 404] } as const;

/** An operation that creates something. */
export const CREATE = { method: "POST", priority: "bulk", errors: [409] } as const;

/** An operation that replaces something. */
export const REPLACE = { method: "PUT", priority: "bulk", errors: [404] } as const;

/** An operation that joins two things; a repetition is 409. */
export const JOIN = {
  method: "PUT",
  priority: "bulk",
  answer: { status: 201, description: "Done." },
  errors: [404, 409],
} as const;

/** An operation that removes something, or takes two things apart. */
export const REMOVE = {
  method: "DELETE",
  priority: "bulk",
  answer: { status: 204, description: "Done." },
  errors: [404],
} as const;

/** Returns the answer with one object. */
export function answerWith(status: 200 | 201, schema: string, example: unknown) {
  const description = status === 201 ? "What was created." : "What was asked for.";
  return { status, description, schema: schemaRef(schema), example };
}

/** Returns the answer with a page of a list. */
export function answerWithPage(schema: string, item: unknown) {
  const description = "A page, in UTF-8 byte order of its keys.";
  return { status: 200, description, schema: schemaRef(schema), example: pageOfOne(item) } as const;
}

/**
 * Returns what declares bodies by the names of their schemas: their shape is validated before the handler runs. No member
 * may be there twice, and policies are read as {@link parsePolicyBody} says.
 */
export function bodiesOf(schemas: Schemas) {
  const check = new SchemaCheck(schemas, { shapeOnly: true });
  return (name: string, example: unknown) => {
    const isPolicy = isPolicySchema(schemas[name] as Schema);
    return {
      schema: schemaRef(name),
      example,
      parse: isPolicy ? parsePolicyBody : parseStrictJson,
      validate: (body: unknown) => {
        const problems = check.problems(name, body);
        requireNone(isPolicy ? policyBodyProblems(body, problems) : problems);
      },
    };
  };
}

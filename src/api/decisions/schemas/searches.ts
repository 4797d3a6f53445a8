/** Searches: AuthZEN's, which ignore unknown fields, and those in the terms of policies, which refuse them. */

import type { Schema, Schemas } from "../../../http/openapi/openapi-types.ts";
import { closedObject, listOf, object, schemaRef, text } from "../../../http/schema/schema-forms.ts";
import { DOUBTS } from "./explanation.ts";
import { GROUPS, SUBJECT_TOKEN, UNKNOWN_REASONS } from "./native.ts";

const PROPERTIES: Schema = { type: ["object", "null"], description: "Attributes, as for an evaluation." };
const CIRCUMSTANCES: Schema = {
  type: ["object", "null"],
  description: "Circumstances, such as `SourceIp`.",
};
const LIMIT: Schema = {
  type: ["integer", "null"],
  minimum: 1,
  default: 100,
  description: "Most results; more than 1,000 means 1,000. With a token: as before, or absent.",
};
const TOKEN: Schema = {
  type: ["string", "null"],
  description: "The `next_token` of the page before; the rest of the request must be the same.",
};
const PAGE = { limit: LIMIT, token: TOKEN } as const;
const ACTION: Schema = { ...text("`service:Verb`; at most 256 bytes."), "x-maxBytes": "actionBytes" };
const ARN: Schema = { ...text("An ARN; at most 4 KiB."), "x-maxBytes": "arnBytes" };
const USER = text("Name of the user.");
const CONTEXT = schemaRef("Context");
const NATIVE_PAGE: Schema = { ...closedObject(PAGE, []), type: ["object", "null"] };
const PATTERNS = listOf({ type: "string" });

/** An entity that is searched for: its id is ignored. */
function searched(what: string): Schema {
  return object({ type: text(what), properties: PROPERTIES }, ["type"]);
}

function answerOf(page: Schema, results: Schema): Schema {
  return object({ page, results });
}

/** A body with entities and a page. */
function search(entities: { readonly [name: string]: Schema }): Schema {
  const page: Schema = { ...object(PAGE, []), type: ["object", "null"] };
  return object({ ...entities, context: CIRCUMSTANCES, page }, Object.keys(entities));
}

/** Schemas of searches. */
export const SEARCH_SCHEMAS: Schemas = {
  SearchPage: object(
    {
      next_token: text("Asks for the next page; empty on the last one."),
      count: { type: "integer", minimum: 0, description: "Results on this page." },
      total: { type: "integer", minimum: 0, description: "Results of all pages, where that is known." },
    },
    ["next_token", "count"],
  ),
  SubjectSearch: search({
    subject: searched("`user`; of another type there are none."),
    action: schemaRef("Action"),
    resource: schemaRef("Resource"),
  }),
  ResourceSearch: search({
    subject: schemaRef("Subject"),
    action: schemaRef("Action"),
    resource: searched("A resource type: its registered resources are searched."),
  }),
  ActionSearch: search({ subject: schemaRef("Subject"), resource: schemaRef("Resource") }),
  EntitySearchAnswer: answerOf(
    schemaRef("SearchPage"),
    listOf(object({ type: { type: "string" }, id: { type: "string" } }), "In UTF-8 byte order of their ids."),
  ),
  ActionSearchAnswer: answerOf(
    schemaRef("SearchPage"),
    listOf(object({ name: { type: "string" } }), "In UTF-8 byte order of their names."),
  ),
  WhoCanRequest: closedObject(
    {
      action: ACTION,
      resource: ARN,
      context: CONTEXT,
      explain: { type: ["boolean", "null"], description: "True: judge the question as well." },
      page: NATIVE_PAGE,
    },
    ["action", "resource"],
  ),
  WhoCanAnswer: object(
    {
      page: schemaRef("SearchPage"),
      results: listOf(
        object(
          {
            user: USER,
            via: listOf(schemaRef("Via"), "How the policy reaches the user."),
            policy: text("Name of the policy."),
            statement: { type: "integer", minimum: 0, description: "Index of the statement that allows." },
            sid: text("Name of the statement that allows, where it has one."),
          },
          ["user", "via", "policy", "statement"],
        ),
        "In UTF-8 byte order of the users' names.",
      ),
      doubts: DOUBTS,
    },
    ["page", "results"],
  ),
  WhatCanRequest: closedObject(
    { user: USER, groups: GROUPS, token: SUBJECT_TOKEN, resource: ARN, context: CONTEXT, page: NATIVE_PAGE },
    ["user", "resource"],
  ),
  WhatCanAnswer: object(
    {
      page: schemaRef("SearchPage"),
      results: listOf({ type: "string" }, "Actions, `service:Verb`, in UTF-8 byte order."),
      reason: UNKNOWN_REASONS,
    },
    ["page", "results"],
  ),
  PlanRequest: closedObject(
    {
      user: USER,
      groups: GROUPS,
      token: SUBJECT_TOKEN,
      action: {
        ...text("`service:Verb`, or with `type` a name that the type knows; at most 256 bytes."),
        "x-maxBytes": "actionBytes",
      },
      type: text("Only resources of this type."),
      context: CONTEXT,
    },
    ["user", "action"],
  ),
  Plan: object(
    {
      kind: {
        enum: ["always", "never", "conditional"],
        description:
          "Whether all resources (of the type) are allowed, none, or those that the rest describes.",
      },
      allow: { ...PATTERNS, description: "Resource patterns that allow." },
      deny: { ...PATTERNS, description: "Resource patterns that deny; a deny wins." },
      conditional: listOf(
        object({
          effect: { enum: ["allow", "deny"] },
          resource: text("Resource pattern."),
          condition: {
            type: "object",
            description: "What is left of the condition: operator → field → values.",
            additionalProperties: { type: "object", additionalProperties: PATTERNS },
          },
        }),
        "Patterns that apply where their condition holds. If a condition cannot be evaluated, an allow is ignored and a deny applies.",
      ),
      reason: UNKNOWN_REASONS,
    },
    ["kind", "allow", "deny", "conditional"],
  ),
};

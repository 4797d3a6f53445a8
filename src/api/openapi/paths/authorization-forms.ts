/** The forms that operations of the data-server API come in. */

import type { Scope } from "../../service-caller.ts";
import type { ErrorStatus } from "../errors.ts";
import type { Header, Operation, Parameter, Reference } from "../openapi-types.ts";
import { emptyAnswer, jsonAnswer, jsonContent, operation, parameterRef } from "../operation.ts";

/** Answers with secrets are not kept by caches. */
export const NO_STORE: { readonly [name: string]: Header } = {
  "Cache-Control": { description: "`no-store`.", required: true, schema: { const: "no-store" } },
};

/** As {@link NO_STORE}, on answers that need not have a secret. */
export const MAYBE_NO_STORE: { readonly [name: string]: Header } = {
  "Cache-Control": { description: "`no-store` where there is a password.", schema: { const: "no-store" } },
};

/** Of writes that are done all the same. */
export const WARNING: { readonly [name: string]: Header } = {
  Warning: {
    description:
      "What is valid but almost certainly a mistake, such as a condition that list filtering ignores.",
    schema: { type: "string" },
  },
};

const PAGING = ["Prefix", "After", "Amount"];

interface Common {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Names of shared parameters. */
  readonly parameters?: readonly string[];
}

function refs(names: readonly string[] = []): readonly Reference[] {
  return names.map(parameterRef);
}

/** What one operation has beside the forms. */
export interface Further {
  readonly scope?: Scope;
  readonly further?: readonly Parameter[];
  readonly headers?: { readonly [name: string]: Header };
  readonly errors?: readonly ErrorStatus[];
}

/** Gives one thing. */
export function getOne(
  common: Common,
  schema: string,
  { scope = "read", headers = {}, errors = [404] }: Further = {},
): Operation {
  const answer = jsonAnswer("What was asked for.", schema, { headers });
  return operation({ ...common, parameters: refs(common.parameters), scope, status: 200, answer, errors });
}

/** Gives a page of a list. */
export function getPage(
  common: Common,
  schema: string,
  { further = [], headers = {}, errors = [400, 404] }: Further = {},
): Operation {
  const parameters = [...refs(common.parameters), ...refs(PAGING), ...further];
  const answer = jsonAnswer("A page, in UTF-8 byte order of its keys.", schema, { headers });
  return operation({ ...common, parameters, scope: "read", status: 200, answer, errors });
}

/** Creates something from a body and answers with it. */
export function create(
  common: Common,
  written: string,
  schema: string,
  headers: { readonly [name: string]: Header } = {},
): Operation {
  return operation({
    ...common,
    parameters: refs(common.parameters),
    scope: "write",
    body: jsonContent(written),
    status: 201,
    answer: jsonAnswer("What was created.", schema, { headers }),
    errors: [409],
  });
}

/** Replaces something by a body and answers with it. */
export function replace(common: Common, written: string, schema: string): Operation {
  return operation({
    ...common,
    parameters: refs(common.parameters),
    scope: "write",
    body: jsonContent(written),
    status: 200,
    answer: jsonAnswer("What there is now.", schema, { headers: WARNING }),
    errors: [404],
  });
}

/** Takes a body and answers without one. */
export function take(
  common: Common,
  written: string,
  status: 200 | 201 | 204,
  errors: readonly ErrorStatus[],
): Operation {
  const answer = emptyAnswer("Done.");
  const body = jsonContent(written);
  return operation({
    ...common,
    parameters: refs(common.parameters),
    scope: "write",
    body,
    status,
    answer,
    errors,
  });
}

/** Joins two things that exist; a repetition is 409. */
export function join(common: Common, errors: readonly ErrorStatus[] = [404, 409]): Operation {
  return withoutBody(common, 201, errors);
}

/** Removes something, or takes two things apart. */
export function remove(common: Common, errors: readonly ErrorStatus[] = [404]): Operation {
  return withoutBody(common, 204, errors);
}

function withoutBody(common: Common, status: 201 | 204, errors: readonly ErrorStatus[]): Operation {
  const parameters = refs(common.parameters);
  return operation({ ...common, parameters, scope: "write", status, answer: emptyAnswer("Done."), errors });
}

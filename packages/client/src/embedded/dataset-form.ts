/**
 * The form of a data set (spec/decision-api §6): its members, their types, and names that are given once. What is not understood is
 * refused, as by the service: it may have been meant to restrict.
 */

import { groupNameProblem, resourceIdProblem, userNameProblem } from "@svc-authorizer/policy/model/names.ts";

/** A place in a data set, and what is wrong there. */
export interface FormProblem {
  readonly pointer: string;
  readonly message: string;
}

/** The type of a member. */
type Kind = "text" | "boolean" | "number" | "texts" | "list" | "object" | "any";

/** Members by name. */
export interface Form {
  readonly members: Readonly<Record<string, Kind>>;
  readonly needs: readonly string[];
  /** The members that name an entity, so that no two may have the same. */
  readonly names: readonly string[];
  readonly problemOf?: (name: string) => string | undefined;
  /** True where others judge members that are not known. */
  readonly isOpen?: boolean;
}

/** Members of the document that are no lists of entities. */
export const DOCUMENT_MEMBERS: Readonly<Record<string, Kind>> = {
  $schema: "text",
  format: "any",
  preconfigured: "boolean",
};

/** The lists of entities. What else policies say is judged by the rules for policies. */
export const ENTITIES: Readonly<Record<string, Form>> = {
  users: {
    members: {
      username: "text",
      friendly_name: "text",
      email: "text",
      source: "text",
      external_id: "text",
      inactive: "boolean",
      properties: "object",
      groups: "texts",
      policies: "texts",
      credentials: "list",
      external_principals: "texts",
      creation_date: "number",
      encryptedPassword: "text",
    },
    needs: ["username"],
    names: ["username"],
    problemOf: (name) => userNameProblem(name, "strict"),
  },
  groups: {
    members: { name: "text", description: "any", policies: "texts", creation_date: "number" },
    needs: ["name"],
    names: ["name"],
    problemOf: (name) => groupNameProblem(name, "strict"),
  },
  policies: {
    members: { name: "text", statement: "list", accept: "any", creation_date: "number", acl: "any" },
    needs: ["name", "statement"],
    names: ["name"],
    isOpen: true,
  },
  resource_types: {
    members: { type: "text", arn: "text", id: "text", actions: "object" },
    needs: ["type", "arn", "id", "actions"],
    names: ["type"],
  },
  resources: {
    members: { type: "text", id: "text", properties: "object" },
    needs: ["type", "id"],
    names: ["type", "id"],
    problemOf: resourceIdProblem,
  },
};

const MUST_BE: Readonly<Record<Exclude<Kind, "any">, string>> = {
  text: "a text that is not empty",
  boolean: "true or false",
  number: "a number",
  texts: "a list of different texts",
  list: "a list",
  object: "an object",
};

type Members = Readonly<Record<string, unknown>>;

/** The problems of the form of a data set. Without any, its members have the types that they should have. */
export function formProblems(document: unknown): readonly FormProblem[] {
  if (!isObject(document)) return [{ pointer: "", message: "must be an object" }];
  const lists = Object.keys(ENTITIES).map((name) => [name, "list"] as const);
  const members = { ...DOCUMENT_MEMBERS, ...Object.fromEntries(lists) };
  const problems = [...memberProblems(document, { members, needs: [] }, "")];
  for (const [list, form] of Object.entries(ENTITIES)) {
    const entities = document[list];
    if (Array.isArray(entities)) problems.push(...entitiesProblems(entities, form, `/${list}`));
  }
  return problems;
}

function* entitiesProblems(entities: readonly unknown[], form: Form, list: string): Generator<FormProblem> {
  const { names, problemOf } = form;
  const places = new Map<string, string>();
  for (const [index, entity] of entities.entries()) {
    const pointer = `${list}/${index}`;
    if (!isObject(entity)) {
      yield { pointer, message: "must be an object" };
      continue;
    }
    const wrong = [...memberProblems(entity, form, pointer)];
    yield* wrong;
    if (wrong.length > 0) continue;
    const at = `${pointer}/${names.at(-1)}`;
    const message = problemOf?.(entity[names.at(-1) as string] as string);
    if (message !== undefined) yield { pointer: at, message };
    const name = JSON.stringify(names.map((one) => entity[one]));
    const before = places.get(name);
    if (before === undefined) places.set(name, pointer);
    else yield { pointer: at, message: `the same is also defined at ${before}` };
  }
}

function* memberProblems(
  object: Members,
  { members: known, needs, isOpen = false }: Pick<Form, "members" | "needs" | "isOpen">,
  at: string,
): Generator<FormProblem> {
  for (const name of needs) {
    if (object[name] === undefined) yield { pointer: at, message: `needs ${JSON.stringify(name)}` };
  }
  for (const [name, value] of Object.entries(object)) {
    const pointer = `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const kind = Object.hasOwn(known, name) ? known[name] : undefined;
    if (kind === undefined) {
      const message = `is an unknown field; known are ${Object.keys(known).join(", ")}`;
      if (!isOpen) yield { pointer, message };
    } else if (value !== undefined && kind !== "any" && !isOf(kind, value)) {
      yield { pointer, message: `must be ${MUST_BE[kind]}` };
    }
  }
}

function isOf(kind: Exclude<Kind, "any">, value: unknown): boolean {
  switch (kind) {
    case "text":
      return typeof value === "string" && value !== "";
    case "boolean":
    case "number":
      return typeof value === kind;
    case "texts":
      return Array.isArray(value) && value.every((one) => isOf("text", one)) && isDistinct(value);
    case "list":
      return Array.isArray(value);
    case "object":
      return isObject(value);
  }
}

function isDistinct(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

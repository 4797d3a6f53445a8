/** Checks of what callers hand to the directory, and the errors it answers with. */

import { AuthorizerError, type Problem } from "@svc-authorizer/policy/errors.ts";
import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import {
  emailProblem,
  externalIdProblem,
  type Guards,
  groupNameProblem,
  isPossibleName,
  userNameProblem,
} from "@svc-authorizer/policy/model/names.ts";
import type { NewGroup, NewUser } from "./new-entities.ts";

/** Most bytes of a free text, such as a friendly name or a description. */
const MAX_TEXT_BYTES = 4_096;
/** Most bytes of properties as JSON: an item of every backend can hold them. */
const MAX_PROPERTIES_BYTES = 64 * 1_024;
const MAX_PROPERTIES_DEPTH = 32;

/** "not_found" for a thing, e.g. `user "alice" does not exist`. */
export function notFound(what: string, name: string): AuthorizerError {
  return new AuthorizerError("not_found", `${what} ${quoted(name)} does not exist`);
}

/** "already_exists" for a thing. */
export function alreadyExists(what: string, name: string): AuthorizerError {
  return new AuthorizerError("already_exists", `${what} ${quoted(name)} already exists`);
}

/** Throws "not_found" for a look-up with a text that can be no name. */
export function assertPossible(what: string, name: string): void {
  if (!isPossibleName(name)) throw notFound(what, name);
}

/** Throws "invalid_request" when there are problems. */
export function assertNoProblems(problems: readonly Problem[]): void {
  const first = problems[0];
  if (first === undefined) return;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  throw new AuthorizerError("invalid_request", `${first.pointer || "document"}: ${first.message}${more}`, {
    problems,
  });
}

/** As {@link assertNoProblems} for one field. */
export function assertField(pointer: string, message: string | undefined): void {
  if (message !== undefined) assertNoProblems([{ pointer, message }]);
}

/** A problem list that fields are added to. */
export class Problems {
  readonly list: Problem[] = [];

  /** Adds a message, if there is one. */
  add(pointer: string, message: string | undefined): void {
    if (message !== undefined) this.list.push({ pointer, message });
  }
}

/** The problem of Unix seconds, or undefined. */
export function dateProblem(date: number | undefined): string | undefined {
  if (date === undefined || (Number.isSafeInteger(date) && date >= 0)) return undefined;
  return "must be a whole number of Unix seconds, 0 or later";
}

/** The problem of a free text, or undefined. */
export function textProblem(text: string | null | undefined): string | undefined {
  if (typeof text !== "string") return undefined;
  if (!text.isWellFormed()) return "must be well-formed Unicode: it has half of a surrogate pair";
  return Buffer.byteLength(text) > MAX_TEXT_BYTES ? `must have at most ${MAX_TEXT_BYTES} bytes` : undefined;
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}

/** The problem of properties, or undefined. */
export function propertiesProblem(properties: Properties | null | undefined): string | undefined {
  if (properties === undefined || properties === null) return undefined;
  if (typeof properties !== "object" || Array.isArray(properties)) return "must be an object";
  if (isDeeper(properties, MAX_PROPERTIES_DEPTH))
    return `must be nested at most ${MAX_PROPERTIES_DEPTH} deep`;
  const bytes = Buffer.byteLength(JSON.stringify(properties));
  return bytes > MAX_PROPERTIES_BYTES ? `must have at most ${MAX_PROPERTIES_BYTES} bytes as JSON` : undefined;
}

/** The problems of the changeable fields of a user. */
export function userFieldProblems(fields: {
  readonly friendly_name?: string | null;
  readonly email?: string | null;
  readonly source?: string | null;
  readonly encryptedPassword?: string | null;
  readonly properties?: Properties | null;
}): Problem[] {
  const problems = new Problems();
  problems.add("/friendly_name", textProblem(fields.friendly_name));
  if (fields.email) problems.add("/email", emailProblem(fields.email));
  problems.add("/source", textProblem(fields.source));
  problems.add("/encryptedPassword", textProblem(fields.encryptedPassword));
  problems.add("/properties", propertiesProblem(fields.properties));
  return problems.list;
}

/** The problems of a new user. */
export function userProblems(user: NewUser, guards: Guards): Problem[] {
  const problems = new Problems();
  problems.add("/username", userNameProblem(user.username, guards));
  problems.add("/creation_date", dateProblem(user.creation_date));
  if (user.external_id) problems.add("/external_id", externalIdProblem(user.external_id));
  return [...problems.list, ...userFieldProblems(user)];
}

/** The problems of a new group. */
export function groupProblems(group: NewGroup, guards: Guards): Problem[] {
  const problems = new Problems();
  problems.add("/name", groupNameProblem(group.name, guards));
  problems.add("/description", textProblem(group.description));
  problems.add("/creation_date", dateProblem(group.creation_date));
  return problems.list;
}

/** A caller's text inside a message, cut to a readable length. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

/** Validates the answers of a data-server API and converts them into entities of the directory. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Condition, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { canonicalPolicy, policyMemberProblems } from "@svc-authorizer/policy/model/policy-members.ts";
import type { NewGroup, NewPolicy, NewUser } from "../../directory/new-entities.ts";

/** Members of one policy that a refusal names. */
const MOST_SHOWN = 5;

type Fields = Readonly<Record<string, unknown>>;

function refuse(what: string, field: string): AuthorizerError {
  return new AuthorizerError("unavailable", `the API sent a ${what} without a usable ${field}`);
}

/** The text of a field that must be there. */
export function textOf(item: object, field: string, what: string): string {
  const value = (item as Fields)[field];
  if (typeof value !== "string") throw refuse(what, field);
  return value;
}

function optionalText(item: Fields, field: string): Readonly<Record<string, string>> {
  const value = item[field];
  return typeof value === "string" && value !== "" ? { [field]: value } : {};
}

/** Unix seconds; absent where the API has none (0 stands for none). */
export function dateOf(item: object): { creation_date?: number } {
  const value = (item as Fields)["creation_date"];
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0
    ? { creation_date: value }
    : {};
}

/** A user. */
export function remoteUser(item: object): NewUser {
  const fields = item as Fields;
  return {
    username: textOf(item, "username", "user"),
    ...dateOf(item),
    ...optionalText(fields, "friendly_name"),
    ...optionalText(fields, "email"),
    ...optionalText(fields, "source"),
    ...optionalText(fields, "external_id"),
    ...optionalText(fields, "encryptedPassword"),
    ...(fields["inactive"] === true ? { inactive: true } : {}),
  };
}

/** Returns whether an access key expires: such a one is not copied, as the copy would not. */
export function isExpiring(item: object): boolean {
  return "expires_at" in item;
}

/** A group. */
export function remoteGroup(item: object): NewGroup {
  return {
    name: textOf(item, "name", "group"),
    ...dateOf(item),
    ...optionalText(item as Fields, "description"),
  };
}

/**
 * A policy with its statements as they are.
 * @throws AuthorizerError "invalid_request" for one that says more than this service would keep
 */
export function remotePolicy(given: object): NewPolicy {
  const item = canonicalPolicy(given) as object;
  const name = textOf(item, "name", "policy");
  const strange = policyMemberProblems(item, "");
  if (strange.length > 0) {
    const shown = strange.slice(0, MOST_SHOWN).map(({ pointer, message }) => `${pointer} ${message}`);
    const text = `the API has a policy ${JSON.stringify(name)} that says more than would be kept: ${shown.join("; ")}`;
    throw new AuthorizerError("invalid_request", text);
  }
  const { statement, acl } = item as Fields;
  if (!Array.isArray(statement)) throw refuse(`policy ${JSON.stringify(name)}`, "statement");
  return {
    name,
    ...dateOf(item),
    statement: statement.map((each) => remoteStatement(each, name)),
    ...(typeof acl === "string" ? { acl } : {}),
  };
}

function remoteStatement(item: unknown, policy: string): Statement {
  const { sid, effect, action, resource, condition } = (item ?? {}) as Fields;
  const isWhole =
    typeof effect === "string" &&
    typeof resource === "string" &&
    Array.isArray(action) &&
    action.every((one) => typeof one === "string");
  if (!isWhole) throw refuse(`policy ${JSON.stringify(policy)}`, "statement");
  return {
    ...(typeof sid === "string" && sid !== "" ? { sid } : {}),
    effect,
    action,
    resource,
    ...(condition === undefined || condition === null ? {} : { condition: condition as Condition }),
  };
}

/** AuthZEN entities as they come over the wire (spec/decision-api §2). Unknown fields are ignored. */

import { type Problem, pointTo } from "@svc-authorizer/policy/errors.ts";
import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import type { AuthzenAction, AuthzenResource, AuthzenSubject } from "../../../decisions/authzen-entities.ts";
import type { EvaluationRequest } from "../../../decisions/decisions.ts";
import { isObject } from "../../../http/body/json-body.ts";
import { fits } from "../../../http/body/text-bytes.ts";
import type { DecisionLimits } from "../limits.ts";

/** The parts of an evaluation, some of which may be missing. */
export type EvaluationParts = Pick<EvaluationRequest, "subject" | "action" | "resource" | "context">;

/** Names of the parts, in the order in which problems are reported. */
const PARTS = ["subject", "action", "resource", "context"] as const;

/** Fields that each entity must have, all of them texts. */
const REQUIRED = {
  subject: ["type", "id"],
  action: ["name"],
  resource: ["type", "id"],
} as const;

/** Longest text of a field of an entity in bytes, where one is set. */
function longestText(part: string, field: string, limits: DecisionLimits): number {
  if (part === "action") return limits.actionBytes;
  return part === "resource" && field === "id" ? limits.arnBytes : Number.POSITIVE_INFINITY;
}

/**
 * The parts of an evaluation, or undefined when something is wrong with them: {@link partProblems} then says what.
 * The objects of the body are used as they are.
 */
export function readParts(
  body: Record<string, unknown>,
  limits: DecisionLimits,
): EvaluationParts | undefined {
  const { subject, action, resource, context } = body;
  const sound =
    isSubject(subject) &&
    isAction(action, limits) &&
    isResource(resource, limits) &&
    isOptionalObject(context);
  if (!sound) return undefined;
  const parts = {
    subject: withoutNullProperties(subject),
    action: withoutNullProperties(action),
    resource: withoutNullProperties(resource),
  };
  return context === undefined || context === null ? parts : { ...parts, context: context as Properties };
}

/** True for a subject as it has to be. */
export function isSubject(subject: unknown): subject is AuthzenSubject {
  return (
    isObject(subject) &&
    isName(subject["type"]) &&
    isName(subject["id"]) &&
    isOptionalObject(subject["properties"])
  );
}

/** True for an action as it has to be. */
export function isAction(action: unknown, limits: DecisionLimits): action is AuthzenAction {
  if (!isObject(action) || !isOptionalObject(action["properties"])) return false;
  return isName(action["name"]) && fits(action["name"], limits.actionBytes);
}

/** True for a resource as it has to be. */
export function isResource(resource: unknown, limits: DecisionLimits): resource is AuthzenResource {
  if (!isObject(resource) || !isOptionalObject(resource["properties"])) return false;
  return isName(resource["type"]) && isName(resource["id"]) && fits(resource["id"], limits.arnBytes);
}

/** True for a text of well-formed Unicode. */
export function isName(value: unknown): value is string {
  return typeof value === "string" && value.isWellFormed();
}

/** True for an optional object; null counts as absent. */
export function isOptionalObject(value: unknown): boolean {
  return value === undefined || value === null || isObject(value);
}

function withoutNullProperties<E extends { readonly properties?: Properties }>(entity: E): E {
  if ((entity.properties as unknown) !== null) return entity;
  const { properties: _null, ...rest } = entity;
  return rest as E;
}

/**
 * Everything that is wrong with the parts of an evaluation.
 * @param pointer where the parts are.
 * @param optional parts that may be missing: the defaults of `/evaluations`.
 */
export function partProblems(
  body: Record<string, unknown>,
  pointer: string,
  limits: DecisionLimits,
  optional = false,
): Problem[] {
  return PARTS.flatMap((part) => {
    const value = body[part];
    const at = pointTo(pointer, part);
    if (part === "context") return optionalObjectProblems(value, at);
    if (value === undefined) return optional ? [] : [{ pointer: at, message: "required" }];
    if (!isObject(value)) return [{ pointer: at, message: "expected an object" }];
    return [
      ...REQUIRED[part].flatMap((field) =>
        textProblems(value[field], pointTo(at, field), longestText(part, field, limits)),
      ),
      ...optionalObjectProblems(value["properties"], pointTo(at, "properties")),
    ];
  });
}

/** Returns the problems of an optional object. */
function optionalObjectProblems(value: unknown, pointer: string): Problem[] {
  return isOptionalObject(value) ? [] : [{ pointer, message: "expected an object" }];
}

/** Returns the problems of a required text. */
export function textProblems(value: unknown, pointer: string, bytes: number): Problem[] {
  if (value === undefined) return [{ pointer, message: "required" }];
  if (typeof value !== "string") return [{ pointer, message: "expected a string" }];
  if (!value.isWellFormed()) return [{ pointer, message: "not well-formed Unicode" }];
  return fits(value, bytes) ? [] : [{ pointer, message: `longer than ${bytes} bytes` }];
}

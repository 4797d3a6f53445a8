/** Bodies with policies: their members in any letter case, each once, and none that would be lost (spec/evaluation §11). */

import type { Problem } from "@svc-authorizer/policy/errors.ts";
import { canonicalPolicy, policyMemberProblems } from "@svc-authorizer/policy/model/policy-members.ts";
import type { BodyBounds } from "../../http/body/json-body.ts";
import { parseStrictJson } from "../../http/body/strict-json.ts";
import type { Schema } from "../../http/openapi/openapi-types.ts";
import { STATEMENTS } from "./statement-schemas.ts";

/** True for the schema of a body that is a policy. */
export function isPolicySchema({ properties }: Schema): boolean {
  return properties?.["statement"] === STATEMENTS;
}

/** Reads a body that is a policy. */
export function parsePolicyBody(bytes: Buffer, bounds: BodyBounds): unknown | Promise<unknown> {
  const value = parseStrictJson(bytes, bounds);
  return value instanceof Promise ? value.then(canonicalPolicy) : canonicalPolicy(value);
}

/** The problems of a body that is a policy: those of its members' names, then those of its schema elsewhere. */
export function policyBodyProblems(body: unknown, bySchema: readonly Problem[]): readonly Problem[] {
  const named = policyMemberProblems(body, "");
  const pointers = new Set(named.map(({ pointer }) => pointer));
  return [...named, ...bySchema.filter(({ pointer }) => !pointers.has(pointer))];
}

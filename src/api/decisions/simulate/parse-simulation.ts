/** Reads the body of `/simulate`: its policies have the names of their members that stored ones have (spec/evaluation §11). */

import { canonicalPolicy } from "@svc-authorizer/policy/model/policy-members.ts";
import { type BodyBounds, isObject } from "../../../http/body/json-body.ts";
import { parseStrictJson } from "../../../http/body/strict-json.ts";
import { scheduler } from "../../../schedule/scheduler.ts";

/** The value of a body; throws or rejects as {@link parseStrictJson} does. */
export function parseSimulation(bytes: Buffer, bounds: BodyBounds): unknown | Promise<unknown> {
  const value = parseStrictJson(bytes, bounds);
  return value instanceof Promise
    ? value.then((large) => scheduler.run(canonicalInSteps(large)))
    : finished(canonicalInSteps(value));
}

function finished(steps: Generator<undefined, unknown>): unknown {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

function* canonicalInSteps(body: unknown): Generator<undefined, unknown> {
  if (!isObject(body)) return body;
  if (!Array.isArray(body["cases"])) return yield* canonicalCase(body);
  const cases: unknown[] = [];
  for (const one of body["cases"]) cases.push(isObject(one) ? yield* canonicalCase(one) : one);
  return { ...body, cases };
}

function* canonicalCase(given: Record<string, unknown>): Generator<undefined, unknown> {
  const { candidate } = given;
  const own = yield* withPolicies(given);
  return isObject(candidate) ? { ...own, candidate: yield* withPolicies(candidate) } : own;
}

function* withPolicies(given: Record<string, unknown>): Generator<undefined, Record<string, unknown>> {
  const read = { ...given };
  for (const name of ["policies", "replace"]) {
    const list = given[name];
    if (!Array.isArray(list)) continue;
    const policies: unknown[] = [];
    for (const policy of list) {
      policies.push(canonicalPolicy(policy));
      yield;
    }
    read[name] = policies;
  }
  return read;
}

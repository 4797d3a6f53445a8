/** Rules for written policies: the known services, and the validation of the model. */

import type { Problem } from "@svc-authorizer/policy/errors.ts";
import { policyProblems } from "@svc-authorizer/policy/model/policy-validation.ts";
import { MIRROR_RULE } from "@svc-authorizer/policy/model/reserved-policies.ts";
import type { ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import { dateProblem, Problems, textProblem } from "../checks.ts";
import type { WriteRules } from "../context.ts";
import type { NewPolicy } from "../new-entities.ts";
import type { Reader } from "../read/reader.ts";
import type { Transaction } from "./transaction.ts";

/** Services of the actions that a resource type declares. */
export function servicesOf(type: ResourceType): readonly string[] {
  return Object.values(type.actions).map((action) => action.slice(0, action.indexOf(":")));
}

/** Built-in services and those that stored resource types declare. */
export async function readServices(from: Reader | Transaction, rules: WriteRules): Promise<Set<string>> {
  const services = new Set(rules.services);
  for await (const page of from.scanAll("resource_type")) {
    for (const { record } of page) for (const service of servicesOf(record)) services.add(service);
  }
  return services;
}

/** The problems of a new policy. */
export function newPolicyProblems(
  policy: Omit<NewPolicy, "accept">,
  rules: WriteRules,
  services: ReadonlySet<string>,
): Problem[] {
  const { partition, guards, limits } = rules;
  const problems = new Problems();
  problems.add("/creation_date", dateProblem(policy.creation_date));
  problems.add("/acl", textProblem(policy.acl));
  if (policy.name === MIRROR_RULE) problems.add("/name", "is the name of a policy that the service makes");
  return [...problems.list, ...policyProblems(policy, { partition, services, guards, limits })];
}

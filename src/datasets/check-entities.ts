/** Checks names, policies, resource types and resources against the rules for every write. */

import type { DatasetPolicy, DatasetUser } from "@svc-authorizer/policy/model/dataset.ts";
import { accessKeyProblem, principalProblem, resourceIdProblem } from "@svc-authorizer/policy/model/names.ts";
import type { ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import { resourceTypeProblems } from "@svc-authorizer/policy/model/resource-type-validation.ts";
import { type CompiledTemplate, compileTemplate } from "@svc-authorizer/policy/model/template.ts";
import type { DirectoryState } from "../directory/batch.ts";
import { groupProblems, propertiesProblem, userProblems } from "../directory/checks.ts";
import { newPolicyProblems, servicesOf } from "../directory/write/policy-rules.ts";
import { bulkPause } from "../schedule/bulk-pause.ts";
import type { Defined, MergedDataset } from "./merge.ts";
import type { DatasetMode } from "./plan.ts";
import type { ProblemList } from "./problem-list.ts";
import { type DatasetRules, isKept } from "./world.ts";

/** The rules for entities, and the list for problems. */
interface EntityChecks {
  readonly merged: MergedDataset;
  readonly rules: DatasetRules;
  readonly state: Pick<DirectoryState, "resourceTypes">;
  readonly mode: DatasetMode;
  readonly problems: ProblemList;
}

function checkUser(
  { value, source, pointer }: Defined<DatasetUser>,
  checks: Pick<EntityChecks, "rules" | "problems">,
): void {
  const add = (at: string, message: string | undefined) => {
    if (message !== undefined) checks.problems.add(source, pointer + at, message);
  };
  for (const problem of userProblems(value, checks.rules.guards)) add(problem.pointer, problem.message);
  for (const [index, { access_key_id }] of (value.credentials ?? []).entries()) {
    add(`/credentials/${index}/access_key_id`, accessKeyProblem(access_key_id));
  }
  for (const [index, principal] of (value.external_principals ?? []).entries()) {
    add(`/external_principals/${index}`, principalProblem(principal));
  }
}

/** Names and texts of users and groups. */
export async function checkNames(checks: Pick<EntityChecks, "merged" | "rules" | "problems">): Promise<void> {
  const { merged, rules, problems } = checks;
  const pause = bulkPause();
  for (const user of merged.users.entries.values()) {
    checkUser(user, checks);
    await pause();
  }
  for (const { value, source, pointer } of merged.groups.entries.values()) {
    for (const problem of groupProblems(value, rules.guards)) {
      problems.add(source, pointer + problem.pointer, problem.message);
    }
  }
}

/** Resource types that the files declare, and those of the directory that stay. */
function declaredTypes({ merged, state, mode }: EntityChecks): ReadonlyMap<string, ResourceType> {
  const types = new Map<string, ResourceType>();
  for (const [name, { value, managed }] of state.resourceTypes)
    if (isKept(managed, mode)) types.set(name, value);
  for (const [name, { value }] of merged.resourceTypes.entries) types.set(name, value);
  return types;
}

function partitionHint(policy: DatasetPolicy, pointer: string, partition: string): string {
  const index = /^\/statement\/(\d+)\/resource$/.exec(pointer)?.[1];
  const resource = index === undefined ? "" : (policy.statement[Number(index)]?.resource ?? "");
  if (partition === "svc" || !resource.includes("arn:svc:")) return "";
  return ` (data sets are written in the configured partition, "${partition}" here, not "svc")`;
}

/** Policies, with the same rules as any other write. */
export async function checkPolicies(checks: EntityChecks): Promise<void> {
  const { merged, rules, problems } = checks;
  const services = new Set(rules.builtInServices);
  for (const type of declaredTypes(checks).values()) {
    for (const service of servicesOf(type)) services.add(service);
  }
  const resourceTypes = new Set(rules.builtInTypes.keys());
  const pause = bulkPause();
  const writeRules = { ...rules, services: rules.builtInServices, resourceTypes };
  for (const { value, source, pointer } of merged.policies.entries.values()) {
    for (const problem of newPolicyProblems(value, writeRules, services)) {
      const hint = partitionHint(value, problem.pointer, rules.partition);
      problems.add(source, pointer + problem.pointer, problem.message + hint);
    }
    await pause();
  }
}

/** Templates of resource types by name, and the names of those that are invalid. */
export interface Templates {
  readonly byType: ReadonlyMap<string, Pick<CompiledTemplate, "toArn">>;
  readonly broken: ReadonlySet<string>;
}

/** Resource types. */
export function checkTypes(checks: EntityChecks): Templates {
  const { merged, rules, problems } = checks;
  const { partition, builtInServices } = rules;
  const typeRules = { partition, builtInServices };
  const broken = new Set(merged.resourceTypes.brokenNames);
  for (const { value, source, pointer } of merged.resourceTypes.entries.values()) {
    for (const problem of resourceTypeProblems(value, typeRules)) {
      broken.add(value.type);
      problems.add(source, pointer + problem.pointer, problem.message);
    }
  }
  const byType = new Map<string, Pick<CompiledTemplate, "toArn">>(rules.builtInTypes);
  for (const [name, type] of declaredTypes(checks)) {
    if (!broken.has(name)) byType.set(name, compileTemplate(type));
  }
  return { byType, broken };
}

/** Resources against their type's template. */
export function checkResources(
  { merged, problems }: Pick<EntityChecks, "merged" | "problems">,
  { byType, broken }: Templates,
): void {
  for (const { value, source, pointer } of merged.resources.entries.values()) {
    const properties = propertiesProblem(value.properties);
    if (properties !== undefined) problems.add(source, `${pointer}/properties`, properties);
    if (broken.has(value.type)) continue;
    const template = byType.get(value.type);
    if (template === undefined) {
      problems.add(source, `${pointer}/type`, "there is no resource type of this name");
      continue;
    }
    const arn = template.toArn(value.id);
    const message = resourceIdProblem(value.id) ?? (typeof arn === "string" ? undefined : arn.problem);
    if (message !== undefined) problems.add(source, `${pointer}/id`, message);
  }
}

/** Converts validated policy files into the typed values of a catalog, and validates references between them. */

import type { Problem } from "../errors.ts";
import { policyProblems } from "../model/policy-validation.ts";
import { resourceTypeProblems } from "../model/resource-type-validation.ts";
import type {
  ActionDefinition,
  PolicyTemplate,
  PreconfiguredGroup,
  PreconfiguredPolicy,
  ShippedResourceType,
} from "./catalog.ts";
import { endpointProblems } from "./endpoint-problems.ts";
import type { EndpointTable, Provenance } from "./endpoint-table.ts";
import { FILE_PARTITION } from "./partition.ts";
import type { PolicyFile, PolicyFiles } from "./policy-files.ts";
import { parametersOf } from "./policy-template.ts";
import { readEndpoints } from "./read-endpoints.ts";

/** The policy data as values, in the partition of the files. */
export interface PolicyData {
  readonly services: ReadonlySet<string>;
  readonly actions: ReadonlyMap<string, ActionDefinition>;
  readonly resourceTypes: ReadonlyMap<string, ShippedResourceType>;
  readonly policies: readonly PreconfiguredPolicy[];
  readonly groups: readonly PreconfiguredGroup[];
  readonly templates: ReadonlyMap<string, PolicyTemplate>;
  readonly endpoints: readonly EndpointTable[];
}

/** Actions as they are on disk, in the spelling of JSON. */
interface ActionsFile {
  readonly services: readonly { readonly name: string }[];
  readonly actions: readonly (Provenance & {
    readonly name: string;
    readonly service: string;
    readonly meaning: string;
    readonly resources: readonly string[];
    readonly required_by_an_endpoint: boolean;
  })[];
}

function contents<T>(files: readonly PolicyFile[], field: string): T[] {
  return files.flatMap(({ document }) => (document as Record<string, T[]>)[field] as T[]);
}

function readActions(files: PolicyFiles): Pick<PolicyData, "services" | "actions"> {
  const documents = files.documents("actions").map(({ document }) => document as ActionsFile);
  const services = new Set(documents.flatMap((file) => file.services.map(({ name }) => name)));
  const actions = new Map<string, ActionDefinition>();
  for (const { required_by_an_endpoint: requiredByAnEndpoint, ...action } of documents.flatMap(
    (it) => it.actions,
  )) {
    actions.set(action.name, { ...action, requiredByAnEndpoint });
  }
  return { services, actions };
}

/** The values of checked files. */
export function readPolicyData(files: PolicyFiles): PolicyData {
  const types = contents<ShippedResourceType>(files.documents("resource-types"), "resource_types");
  const templates = files.documents("policy-template").map(({ document }) => document as PolicyTemplate);
  return {
    ...readActions(files),
    resourceTypes: new Map(types.map((type) => [type.type, type])),
    policies: contents<PreconfiguredPolicy>(files.documents("preconfigured-policies"), "policies"),
    groups: contents<PreconfiguredGroup>(files.documents("preconfigured-groups"), "groups"),
    templates: new Map(templates.map((template) => [template.id, template])),
    endpoints: readEndpoints(files),
  };
}

function problemsOfTypes({ resourceTypes, actions }: PolicyData, file: string): Problem[] {
  const rules = {
    partition: FILE_PARTITION,
    builtInServices: new Set<string>(),
  };
  const problems: Problem[] = [];
  for (const type of resourceTypes.values()) {
    const pointer = `/${type.type}`;
    problems.push(...resourceTypeProblems(type, rules, pointer));
    for (const [name, action] of Object.entries(type.actions)) {
      if (actions.has(action)) continue;
      problems.push({ pointer: `${pointer}/actions/${name}`, message: `names the unknown action ${action}` });
    }
  }
  return problems.map((problem) => ({ ...problem, file }));
}

function problemsOfPolicies({ policies, templates, services }: PolicyData): Problem[] {
  const rules = { partition: FILE_PARTITION, services, guards: "strict" } as const;
  const problems: Problem[] = [];
  for (const policy of policies) {
    for (const { pointer, message } of policyProblems(policy, rules)) {
      problems.push({ pointer: `/${policy.name}${pointer}`, message, file: "preconfigured policies" });
    }
  }
  for (const { id, policy, parameters } of templates.values()) {
    const file = `policy template ${id}`;
    problems.push(...policyProblems(policy, rules).map((problem) => ({ ...problem, file })));
    const undeclared = parametersOf(policy).difference(new Set(parameters.map(({ name }) => name)));
    for (const name of undeclared) problems.push({ pointer: "/parameters", message: `lacks ${name}`, file });
  }
  return problems;
}

function problemsOfGroups({ policies, groups }: PolicyData): Problem[] {
  const known = new Set(policies.map(({ name }) => name));
  return groups.flatMap((group) =>
    group.policies
      .filter((name) => !known.has(name))
      .map((name) => ({
        pointer: `/${group.name}`,
        message: `names the unknown policy ${name}`,
        file: "preconfigured groups",
      })),
  );
}

function repeated(names: readonly string[], file: string): Problem[] {
  const seen = new Set<string>();
  return names
    .filter((name) => seen.size === seen.add(name).size)
    .map((name) => ({ pointer: `/${name}`, message: "is there twice", file }));
}

/** Problems between files that are each valid for their schema. */
export function policyDataProblems(files: PolicyFiles, data: PolicyData): Problem[] {
  const actions = files.documents("actions").flatMap(({ document }) => (document as ActionsFile).actions);
  const types = contents<ShippedResourceType>(files.documents("resource-types"), "resource_types");
  const foreign = [...data.actions.values()].filter(
    ({ name, service }) => !data.services.has(service) || !name.startsWith(`${service}:`),
  );
  return [
    ...foreign.map(({ name }) => ({ pointer: `/${name}`, message: "has another service", file: "actions" })),
    ...repeated(
      actions.map(({ name }) => name),
      "actions",
    ),
    ...repeated(
      types.map(({ type }) => type),
      "resource types",
    ),
    ...repeated(
      data.policies.map(({ name }) => name),
      "preconfigured policies",
    ),
    ...repeated(
      data.groups.map(({ name }) => name),
      "preconfigured groups",
    ),
    ...problemsOfTypes(data, "resource types"),
    ...problemsOfPolicies(data),
    ...problemsOfGroups(data),
    ...endpointProblems(data.endpoints, data.actions),
  ];
}

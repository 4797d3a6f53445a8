/** A state from a data set alone (spec/decision-api §6), without a service. */

import { policyInPartition, typeInPartition } from "@svc-authorizer/policy/catalog/partition.ts";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import { canonicalDocument, policyMemberProblems } from "@svc-authorizer/policy/model/policy-members.ts";
import { policyProblems } from "@svc-authorizer/policy/model/policy-validation.ts";
import type { ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import { resourceTypeProblems } from "@svc-authorizer/policy/model/resource-type-validation.ts";
import { compileTemplate } from "@svc-authorizer/policy/model/template.ts";
import { DatasetError } from "./dataset-error.ts";
import { formProblems } from "./dataset-form.ts";
import { ReplicaState } from "./replica-state.ts";
import { PRECONFIGURED_GROUPS, PRECONFIGURED_POLICIES, RESOURCE_TYPES } from "./shipped.gen.ts";

/** Entities by name, with a new id each. */
class Ids {
  readonly #ids = new Map<string, string>();

  constructor(names: readonly string[]) {
    for (const name of names) this.#ids.set(name, `${this.#ids.size}`);
  }

  of(name: string): string | undefined {
    return this.#ids.get(name);
  }
}

/**
 * Reads a data set: users, groups, policies, attachments, resource types and resources. Secrets in it are ignored.
 * @throws DatasetError with all problems
 */
export function stateFromDataset(document: DatasetDocument, partition: string): ReplicaState {
  const canonical = canonicalDocument(document) as DatasetDocument;
  const wrong = formProblems(canonical);
  if (wrong.length > 0) throw new DatasetError(wrong);
  const reader = new DatasetReader(canonical, partition);
  reader.read();
  if (reader.problems.length > 0) throw new DatasetError(reader.problems);
  return reader.state;
}

class DatasetReader {
  readonly state = new ReplicaState();
  readonly problems: { readonly pointer: string; readonly message: string }[] = [];
  readonly #document: DatasetDocument;
  readonly #partition: string;
  #groups: Ids = new Ids([]);
  #policies: Ids = new Ids([]);

  constructor(document: DatasetDocument, partition: string) {
    this.#document = document;
    this.#partition = partition;
  }

  read(): void {
    const { format, preconfigured, users = [], groups = [], policies = [] } = this.#document;
    if (format !== 1) this.#problem("/format", "expected 1");
    const shipped = preconfigured === true;
    const allGroups = shipped ? [...PRECONFIGURED_GROUPS, ...groups] : groups;
    const allPolicies: readonly NamedStatements[] = shipped
      ? [...PRECONFIGURED_POLICIES.map((one) => policyInPartition(one, this.#partition)), ...policies]
      : policies;
    this.#groups = new Ids(allGroups.map(({ name }) => name));
    this.#policies = new Ids(allPolicies.map(({ name }) => name));
    this.#readPolicies(allPolicies, allPolicies.length - policies.length);
    for (const [index, group] of allGroups.entries()) {
      const id = this.#groups.of(group.name) as string;
      this.state.apply(["group", group.name, { id }]);
      const at = `/groups/${index - (allGroups.length - groups.length)}`;
      this.#attach("group_policy", id, group.policies, this.#policies, `${at}/policies`);
    }
    for (const [index, user] of users.entries()) {
      const id = `${index}`;
      const { username, inactive, properties } = user;
      this.state.apply(["user", username, { id, ...(properties && { properties }) }]);
      if (inactive === true) continue;
      this.#attach("user_group", id, user.groups, this.#groups, `/users/${index}/groups`);
      this.#attach("user_policy", id, user.policies, this.#policies, `/users/${index}/policies`);
    }
    this.#readResources();
  }

  #readPolicies(all: readonly NamedStatements[], shipped: number): void {
    const { resource_types = [] } = this.#document;
    const named = all.flatMap(({ statement }) => statement.flatMap(({ action }) => action));
    const services = new Set([...named.map(serviceOf), ...servicesOf(resource_types)]);
    const rules = { partition: this.#partition, services, guards: "strict" } as const;
    for (const [index, policy] of all.entries()) {
      const { name, statement } = policy;
      const beside = policyMemberProblems({ ...policy, statement: [] }, `/policies/${index - shipped}`);
      for (const { pointer, message } of beside) this.#problem(pointer, message);
      for (const { pointer, message } of policyProblems({ name, statement }, rules)) {
        this.#problem(`/policies/${index - shipped}${pointer}`, message);
      }
      this.state.apply(["policy", name, { id: this.#policies.of(name), rev: "1", statement }]);
    }
  }

  #readResources(): void {
    const { resource_types = [], resources = [] } = this.#document;
    const templates = new Map(
      RESOURCE_TYPES.map((type) => [type.type, compileTemplate(typeInPartition(type, this.#partition))]),
    );
    const rules = { partition: this.#partition, builtInServices: servicesOf(RESOURCE_TYPES) };
    for (const [index, type] of resource_types.entries()) {
      const wrong = resourceTypeProblems(type, rules, `/resource_types/${index}`);
      this.problems.push(...wrong);
      if (wrong.length > 0) continue;
      templates.set(type.type, compileTemplate(type));
      this.state.apply(["resource_type", type.type, type]);
    }
    // Keys only have to differ; the service makes them from a digest of the type.
    const types = new Ids(resources.map(({ type }) => type));
    for (const [index, { type, id, properties }] of resources.entries()) {
      const arn = templates.get(type)?.toArn(id) ?? { problem: "there is no resource type of this name" };
      if (typeof arn !== "string") this.#problem(`/resources/${index}`, arn.problem);
      this.state.apply(["resource", `${types.of(type)}/${id}`, { type, ...(properties && { properties }) }]);
    }
  }

  #attach(
    partition: string,
    owner: string,
    names: readonly string[] | undefined,
    ids: Ids,
    pointer: string,
  ): void {
    for (const [index, name] of (names ?? []).entries()) {
      const id = ids.of(name);
      if (id === undefined)
        this.#problem(`${pointer}/${index}`, `nothing has the name ${JSON.stringify(name)}`);
      else this.state.apply([partition, `${owner}/${name}`, { id }]);
    }
  }

  #problem(pointer: string, message: string): void {
    this.problems.push({ pointer, message });
  }
}

function serviceOf(action: string): string {
  return action.split(":")[0] ?? "";
}

function servicesOf(types: readonly ResourceType[]): ReadonlySet<string> {
  return new Set(types.flatMap(({ actions }) => Object.values(actions)).map(serviceOf));
}

/** Reads data sets again, and compares each piece with the directory: problems, and the plan where there are none. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { DatasetGroup, DatasetPolicy, DatasetUser } from "@svc-authorizer/policy/model/dataset.ts";
import type { RegisteredResource, ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import type { Overflow } from "../compact/overflow.ts";
import type { Managed, StateView } from "../directory/batch.ts";
import { bulkPause } from "../schedule/bulk-pause.ts";
import { checkNames, checkPolicies, checkResources, checkTypes, type Templates } from "./check-entities.ts";
import { checkOwners } from "./check-owners.ts";
import { checkReferences } from "./check-references.ts";
import type { DatasetIndex, DefinedEntry } from "./dataset-index.ts";
import { type Definitions, type MergedDataset, none, resourceKey } from "./merge.ts";
import type { Piece, PieceSource } from "./pieces/piece.ts";
import { type DatasetMode, Plan } from "./plan.ts";
import { planPuts } from "./plan-puts.ts";
import { Removals } from "./plan-removals.ts";
import type { ProblemList } from "./problem-list.ts";
import type { ReadDatasets } from "./read-datasets.ts";
import { removedOf, removeOthers, type WantedNames } from "./remove-others.ts";
import { type Environment, resolveSecrets } from "./secrets.ts";
import { namedState, stateOf } from "./state-of-piece.ts";
import { type PreconfiguredSet, type Wanted, wantedFrom } from "./wanted.ts";
import type { DatasetRules } from "./world.ts";

/** The state, the rules and the list for problems. */
interface CompareOptions {
  readonly view: StateView;
  readonly rules: DatasetRules;
  readonly mode: DatasetMode;
  readonly env: Environment;
  readonly problems: ProblemList;
  /** Keeps what is long of the plan. */
  readonly overflow: Overflow;
  /** True for the number of a piece that the state has as it is, so that it needs no comparison. Default: for none. */
  readonly isInForce?: ((number: number) => boolean) | undefined;
  /** Breaks the comparison off, with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A plan, and the share of managed things that it removes. */
export interface Compared {
  readonly plan: Plan;
  readonly share: { readonly removed: number; readonly managed: number };
  /** Revision of the state. */
  readonly revision: number;
}

/** Compares all data sets with one state. Throws "invalid_request" with all problems, if there are any. */
export async function compareDatasets(read: ReadDatasets, options: CompareOptions): Promise<Compared> {
  const comparison = new Comparison(read, options, await options.view.resourceTypes());
  await comparison.shared();
  read.index.restart();
  for (const source of read.sources) await comparison.source(source);
  await options.problems.throwIfAny();
  await comparison.others();
  return comparison;
}

class Comparison implements Compared {
  readonly plan: Plan;
  readonly revision: number;
  readonly #read: ReadDatasets;
  readonly #options: CompareOptions;
  readonly #types: ReadonlyMap<string, Managed<ResourceType>>;
  readonly #removals: Removals;
  readonly #pause = bulkPause();
  /** Pieces that were gone through. */
  #pieces = 0;
  #templates: Templates = { byType: new Map(), broken: new Set() };

  /** @param types the resource types of the directory */
  constructor(
    read: ReadDatasets,
    options: CompareOptions,
    types: ReadonlyMap<string, Managed<ResourceType>>,
  ) {
    this.#read = read;
    this.#options = options;
    this.revision = options.view.revision;
    this.#types = types;
    this.plan = new Plan(options.overflow);
    this.#removals = new Removals(this.plan);
  }

  get share() {
    return this.#removals.share;
  }

  /** Plans what the pieces depend on: resource types and preconfigured entities. */
  async shared(): Promise<void> {
    const { index } = this.#read;
    const { rules, problems } = this.#options;
    const merged = mergedOf([], index);
    this.#templates = checkTypes(this.#checks(merged));
    if (problems.count > 0) return;
    const wanted = wantedFrom(
      { ...merged, preconfigured: index.preconfigured },
      new Map(),
      preconfiguredBeside(rules.preconfigured, index),
    );
    await this.#add(wanted);
  }

  async source(source: PieceSource): Promise<void> {
    const { digest } = source;
    this.#read.index.begin(source);
    const first = this.#pieces;
    const isPassed = (number: number): boolean => this.#options.isInForce?.(first + number) === true;
    const pieces = source.pieces({ isPassed });
    let next = await pieces.next();
    for (; next.done !== true; next = await pieces.next()) {
      this.#options.signal?.throwIfAborted();
      const { section, entries, passed = entries.length } = next.value;
      if (isPassed(this.#pieces++ - first)) this.#read.index.pass(section, passed);
      else await this.#piece(next.value, source);
      await this.#pause();
    }
    if ("problems" in next.value || source.digest !== digest) {
      const message = `${source.file} was changed while it was read; nothing was loaded`;
      throw new AuthorizerError("conflict", message);
    }
  }

  /** Plans the removals of what the data sets do not name. */
  async others(): Promise<void> {
    const { view, mode } = this.#options;
    if (mode === "sync")
      await removeOthers(this.#removals, { view, names: this.#wantedNames(), types: this.#types });
  }

  async #piece(piece: Piece, source: PieceSource): Promise<void> {
    const { index } = this.#read;
    const { rules, mode, env, problems, view } = this.#options;
    const merged = mergedOf(index.definitionsIn(piece), index, { piece, source });
    const checks = this.#checks(merged);
    await checkNames(checks);
    const state = await namedState(view, merged);
    await checkReferences(merged, index, { rules, state, mode, problems });
    await checkOwners(merged, { view, index, mode, problems });
    await checkPolicies(checks);
    checkResources(checks, this.#templates);
    const secrets = resolveSecrets(merged, env, problems);
    if (problems.count > 0) return;
    await this.#add(wantedFrom({ ...merged, resourceTypes: none() }, secrets, NO_SET));
  }

  async #add(wanted: Wanted): Promise<void> {
    const { index } = this.#read;
    const { view, mode } = this.#options;
    const state = { ...(await stateOf(view, wanted)), resourceTypes: this.#types };
    const isTakenByOther = (externalId: string, username: string): boolean => {
      const owner = index.texts.external_id.ownerOf(externalId);
      return owner !== undefined && owner !== index.users.numberOf(username);
    };
    planPuts({ plan: this.plan, state, mode, isTakenByOther }, wanted);
    if (mode !== "sync") return;
    const gone = await removedOf(view, this.#wantedNames(), state);
    for (const [name, user] of state.users) this.#removals.user(name, user, wanted.users.get(name), gone);
    for (const [name, group] of state.groups)
      this.#removals.group(name, group, wanted.groups.get(name)?.policies, gone);
  }

  #wantedNames(): WantedNames {
    const { index } = this.#read;
    const { policies, groups } = this.#options.rules.preconfigured;
    const set = index.preconfigured ? { policies, groups } : NO_SET;
    const names = { policies: new Set(set.policies.map(nameOf)), groups: new Set(set.groups.map(nameOf)) };
    return {
      user: (name) => index.users.entries.has(name),
      group: (name) => index.groups.entries.has(name) || names.groups.has(name),
      policy: (name) => index.policies.entries.has(name) || names.policies.has(name),
      resourceType: (name) => index.types.entries.has(name),
      resource: (resource) => index.resources.entries.has(resourceKey(resource)),
    };
  }

  #checks(merged: MergedDataset) {
    const { rules, mode, problems } = this.#options;
    return { merged, rules, mode, problems, state: { resourceTypes: this.#types } };
  }
}

const NO_SET: PreconfiguredSet = { policies: [], groups: [] };

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

/** The preconfigured entities that no data set defines itself. */
function preconfiguredBeside({ policies, groups }: PreconfiguredSet, index: DatasetIndex): PreconfiguredSet {
  return {
    policies: policies.filter(({ name }) => !index.policies.entries.has(name)),
    groups: groups.filter(({ name }) => !index.groups.entries.has(name)),
  };
}

/** Definitions of a piece as a data set, with the resource types of all. */
function mergedOf(
  definitions: readonly DefinedEntry[],
  index: DatasetIndex,
  of?: { readonly piece: Piece; readonly source: PieceSource },
): MergedDataset {
  const merged = {
    users: none<DatasetUser>(),
    groups: none<DatasetGroup>(),
    policies: none<DatasetPolicy>(),
    resourceTypes: index.types,
    resources: none<RegisteredResource>(),
    preconfigured: false,
  };
  if (of === undefined || of.piece.section === "resource_types") return merged;
  const { entries } = merged[of.piece.section] as Definitions<unknown>;
  for (const { name, value, pointer } of definitions)
    entries.set(name, { value, pointer, source: of.source });
  return merged;
}

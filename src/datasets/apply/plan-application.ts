/** Plans an application of documents: the difference, and the operations of one batch (spec/management-cli §10). */

import {
  type Applied,
  type BatchOperation,
  type DirectoryState,
  type EntityName,
  entityKey,
  type Said,
} from "../../directory/batch.ts";
import type { NewPolicy, NewUser } from "../../directory/directory.ts";
import { bulkPause } from "../../schedule/bulk-pause.ts";
import { sameJson } from "../same-json.ts";
import type { AppliedChange, AppliedPlan, Claim, Members, PoliciesAfter } from "./applied-plan.ts";
import { policiesAfter } from "./policies-after.ts";
import { compareNames, compareThreeWays, type NamesResult, setOf } from "./three-way.ts";
import type { WantedEntity } from "./wanted-entities.ts";

/** The source of users whom people create, as the management API writes it. */
const SOURCE = "internal";
/** The label of a policy that is no access list. */
const NO_LABEL = "";

/** The input of a plan. */
interface Application {
  readonly manager: string;
  /** Also remove entities that the documents said last time and no longer say. */
  readonly prune: boolean;
  readonly wanted: readonly WantedEntity[];
  readonly state: DirectoryState;
}

/** Plans an application. The documents must have passed all checks for the operations to pass. */
export async function planApplication(application: Application): Promise<AppliedPlan> {
  const planner = new Planner(application);
  await planner.run();
  const { changes, operations, claims, said, removed } = planner;
  const after = await policiesAfter(application.state, operations);
  return {
    changes: await withPolicies(changes, after),
    operations,
    claims,
    after,
    removesMost: removed * 2 > said,
  };
}

/** Characters of the policies that are named with memberships: a group of many users and many policies has them all for each user. */
const MOST_CHARACTERS = 8 << 20;

/** New memberships with the policies that they give: whoever reviews them sees more than the name of a group. */
async function withPolicies(
  changes: readonly AppliedChange[],
  after: PoliciesAfter,
): Promise<readonly AppliedChange[]> {
  const ofGroups = new Map<string, ReturnType<typeof namesOf>>();
  const pause = bulkPause();
  const all: AppliedChange[] = [];
  let left = MOST_CHARACTERS;
  for (const change of changes) {
    await pause();
    const { operation } = change;
    if (operation?.op !== "add_member") {
      all.push(change);
      continue;
    }
    const { group } = operation;
    const found = ofGroups.get(group) ?? namesOf(after.ofGroup(group));
    ofGroups.set(group, found);
    const { policies, characters } = found;
    left -= characters;
    all.push({ ...change, ...(left >= 0 ? { policies } : { policyCount: policies.length }) });
  }
  return all;
}

function namesOf(held: readonly { readonly name: string }[]) {
  const policies = held.map(({ name }) => name);
  return { policies, characters: policies.reduce((sum, { length }) => sum + length, 0) };
}

/** The place of an entity in the documents. */
function placeOfEntity({ from }: Pick<WantedEntity, "from">): string {
  return `/documents/${from.source.file}${from.pointer}`;
}

type Names = { has(name: string): boolean };

class Planner {
  readonly changes: AppliedChange[] = [];
  readonly operations: BatchOperation[] = [];
  readonly claims: Claim[] = [];
  /** Number of things that the manager's documents said last time, and of those that are removed. */
  said = 0;
  removed = 0;
  readonly #manager: string;
  readonly #prune: boolean;
  readonly #state: DirectoryState;
  readonly #entities: readonly WantedEntity[];
  /** The same by {@link entityKey}. */
  readonly #wanted = new Map<string, WantedEntity>();
  /** Operations that keep what was said now. */
  readonly #kept: BatchOperation[] = [];
  readonly #pause = bulkPause();

  constructor({ manager, prune, wanted, state }: Application) {
    this.#manager = manager;
    this.#prune = prune;
    this.#state = state;
    this.#entities = wanted;
  }

  async run(): Promise<void> {
    const wanted = this.#entities;
    await this.#each(wanted, (entity) => {
      this.#wanted.set(entityKey(entity), entity);
    });
    await this.#each(this.#state.applied.values(), (last) => {
      if (last.manager === this.#manager) this.#former(last);
    });
    // What is given up first makes room for what takes its place.
    await this.#each(wanted, (entity) => this.#removedNames(entity));
    await this.#releaseExternalIds();
    await this.#each(wanted, (entity) => this.#entity(entity));
    await this.#each(wanted, (entity) => this.#addedNames(entity));
    for (const operation of this.#kept) this.operations.push(operation);
  }

  /** Lets other work run in between. */
  async #each<T>(items: Iterable<T>, work: (item: T) => void | Promise<void>): Promise<void> {
    for (const item of items) {
      await work(item);
      await this.#pause();
    }
  }

  #last(entity: EntityName): Said | undefined {
    const last = this.#state.applied.get(entityKey(entity));
    return last?.manager === this.#manager && last.entity !== "other" ? last.said : undefined;
  }

  /** Counts what was said last time, and gives up what is no longer said. */
  #former(last: Applied): void {
    const { kind, name, said, dropped, entity } = last;
    const size = 1 + (said.groups?.length ?? 0) + (said.policies?.length ?? 0);
    if (entity === "same") this.said += size;
    if (this.#wanted.has(entityKey(last))) return;
    if (entity !== "same") {
      this.#kept.push({ op: "delete_applied", kind, name });
    } else if (this.#prune) {
      this.removed += size;
      this.#add({ action: "remove", kind, name, drifted: false, at: undefined, operation: deletion(last) });
      this.#kept.push({ op: "delete_applied", kind, name });
    } else {
      this.changes.push({ action: "keep", kind, name, drifted: false, at: undefined, operation: undefined });
      if (dropped) return;
      this.#kept.push({ op: "put_applied", ...nameOf(last), said, ...this.#mark(true) });
      this.claims.push({ ...nameOf(last), groups: [], policies: [], at: undefined });
    }
  }

  async #entity(entity: WantedEntity): Promise<void> {
    const { said } = entity;
    const there = this.#comparedWith(entity);
    const at = placeOfEntity(entity);
    this.#kept.push({ op: "put_applied", ...nameOf(entity), said, ...this.#mark(false) });
    const last = this.#last(entity);
    const common = { ...nameOf(entity), at };
    if (there === undefined) {
      const operation = creation(entity);
      this.#add({ ...common, action: "add", after: said.fields, drifted: last !== undefined, operation });
      return;
    }
    await this.#claim(entity);
    const { changed, fields, drifted } = compareThreeWays(last?.fields, said.fields, there);
    if (changed.length === 0) return;
    const operation = replacement(entity, fields, changed);
    const [before, after] = [picked(there, changed), picked(fields, changed)];
    this.#add({ ...common, action: "change", fields: changed, before, after, drifted, operation });
  }

  /** Notes what is said of an entity that is there, where it is not what was said last time. */
  async #claim(entity: WantedEntity): Promise<void> {
    const { kind, name, said } = entity;
    const last = this.#last(entity);
    const isMarked = this.#state.applied.get(entityKey(entity))?.dropped === true;
    if (!isMarked && sameJson(last, said)) return;
    const { groups, policies } = this.#held(entity);
    const anew = async (now: readonly string[] = [], before: readonly string[] = [], there?: Names) => {
      const known = await setOf(before, this.#pause);
      const found: string[] = [];
      for (const one of now) {
        await this.#pause();
        if (there?.has(one) === true && !known.has(one)) found.push(one);
      }
      return found;
    };
    this.claims.push({
      kind,
      name,
      groups: await anew(said.groups, last?.groups, groups),
      policies: await anew(said.policies, last?.policies, policies),
      at: placeOfEntity(entity),
    });
  }

  /** The lists that an entity has now. */
  #held({ kind, name }: EntityName): { readonly groups?: Names; readonly policies?: Names } {
    const { users, groups } = this.#state;
    return (kind === "user" ? users.get(name) : kind === "group" ? groups.get(name) : undefined) ?? {};
  }

  /** The lists of an entity, compared. */
  async #names(
    entity: WantedEntity,
  ): Promise<{ readonly groups: NamesResult; readonly policies: NamesResult }> {
    const { said } = entity;
    const last = this.#last(entity);
    const held = this.#held(entity);
    return {
      groups: await compareNames(last?.groups, said.groups, held.groups, this.#pause),
      policies: await compareNames(last?.policies, said.policies, held.policies, this.#pause),
    };
  }

  async #removedNames(entity: WantedEntity): Promise<void> {
    const { groups, policies } = await this.#names(entity);
    const at = placeOfEntity(entity);
    const common = { action: "remove", drifted: false, at } as const;
    this.removed += groups.remove.length + policies.remove.length;
    await this.#each(groups.remove, (group) =>
      this.#add({ ...common, ...membership("remove", entity.name, group) }),
    );
    await this.#each(policies.remove, (policy) =>
      this.#add({ ...common, ...attachment("remove", entity, policy) }),
    );
  }

  async #addedNames(entity: WantedEntity): Promise<void> {
    const { groups, policies } = await this.#names(entity);
    const { said } = entity;
    const common = { action: "add" } as const;
    const at = placeOfEntity(entity);
    const [groupAt, policyAt] = [await this.#indexesOf(said.groups), await this.#indexesOf(said.policies)];
    await this.#each(groups.add, ({ name, drifted }) => {
      const place = `${at}/groups/${groupAt.get(name) ?? 0}`;
      this.#add({ ...common, drifted, at: place, ...membership("add", entity.name, name) });
    });
    await this.#each(policies.add, ({ name, drifted }) => {
      const place = `${at}/policies/${policyAt.get(name) ?? 0}`;
      this.#add({ ...common, drifted, at: place, ...attachment("add", entity, name) });
    });
  }

  /** Places in a list, which may be long: each is looked up once for every name. */
  async #indexesOf(names: readonly string[] = []): Promise<ReadonlyMap<string, number>> {
    const indexes = new Map<string, number>();
    for (const [index, name] of names.entries()) {
      await this.#pause();
      indexes.set(name, index);
    }
    return indexes;
  }

  /** External ids that move between two users are released first, which no order of the puts could do. */
  async #releaseExternalIds(): Promise<void> {
    const takers = new Map<unknown, string>();
    await this.#each(this.#entities, ({ kind, name, said }) => {
      const id = said.fields["external_id"];
      if (kind === "user" && id !== undefined) takers.set(id, name);
    });
    if (takers.size > 0)
      await this.#each(this.#entities, (entity) => this.#releaseExternalId(entity, takers));
  }

  #releaseExternalId(entity: WantedEntity, takers: ReadonlyMap<unknown, string>): void {
    if (entity.kind !== "user") return;
    const there = this.#there(entity);
    const taker = takers.get(there?.["external_id"]);
    if (there?.["external_id"] === undefined || taker === undefined || taker === entity.name) return;
    const { changed } = compareThreeWays(this.#last(entity)?.fields, entity.said.fields, there);
    if (!changed.includes("external_id")) return;
    const { external_id: _, ...rest } = there;
    this.operations.push({ op: "put_user", user: { ...rest, username: entity.name } as NewUser });
  }

  /** The fields of what is there. */
  #there({ kind, name }: EntityName): Members | undefined {
    const { users, groups, policies } = this.#state;
    if (kind === "user") {
      const user = users.get(name)?.user.value;
      return user && withoutName({ ...user, inactive: user.inactive === true }, "username");
    }
    if (kind === "group") return withoutName(groups.get(name)?.group.value, "name");
    return withoutName(policies.get(name)?.value, "name");
  }

  /** The fields of what is there; no accepted findings are an empty list where the documents speak of them. */
  #comparedWith(entity: WantedEntity): Members | undefined {
    const there = this.#there(entity);
    return there === undefined || entity.said.fields["accept"] === undefined
      ? there
      : { accept: [], ...there };
  }

  #mark(dropped: boolean) {
    return { manager: this.#manager, dropped };
  }

  #add(change: AppliedChange): void {
    this.changes.push(change);
    if (change.operation !== undefined) this.operations.push(change.operation);
  }
}

function nameOf({ kind, name }: EntityName): EntityName {
  return { kind, name };
}

function withoutName(value: object | undefined, key: string): Members | undefined {
  if (value === undefined) return undefined;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

function picked(from: Members, names: readonly string[]): Members {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
}

function deletion({ kind, name }: EntityName): BatchOperation {
  if (kind === "user") return { op: "delete_user", username: name };
  return { op: kind === "group" ? "delete_group" : "delete_policy", name };
}

function put({ kind, name }: EntityName, fields: Members): BatchOperation {
  if (kind === "user") return { op: "put_user", user: { ...fields, username: name } as NewUser };
  if (kind === "group") return { op: "put_group", ...fields, name };
  return { op: "put_policy", policy: { accept: [], ...(fields as Omit<NewPolicy, "name">), name } };
}

/** New entities have what the management API gives them. */
function creation(entity: WantedEntity): BatchOperation {
  const { kind, said } = entity;
  if (kind === "user") return put(entity, { source: SOURCE, ...said.fields });
  return put(entity, kind === "policy" ? { acl: NO_LABEL, ...said.fields } : said.fields);
}

/** A policy whose statements are replaced is no longer the access list that it was. */
function replacement(entity: WantedEntity, fields: Members, changed: readonly string[]): BatchOperation {
  const isRewritten = entity.kind === "policy" && changed.includes("statement");
  const keepsLabel = entity.said.fields["acl"] !== undefined;
  return put(entity, isRewritten && !keepsLabel ? { ...fields, acl: NO_LABEL } : fields);
}

function membership(way: "add" | "remove", username: string, group: string) {
  const op = way === "add" ? "add_member" : "remove_member";
  return { kind: "membership", name: `${username} in ${group}`, operation: { op, group, username } } as const;
}

function attachment(way: "add" | "remove", { kind, name }: EntityName, policy: string) {
  const text = { kind: "attachment", name: `${policy} to ${kind} ${name}` } as const;
  if (kind === "group") {
    const op = way === "add" ? "attach_to_group" : "detach_from_group";
    return { ...text, operation: { op, group: name, policy } } as const;
  }
  const op = way === "add" ? "attach_to_user" : "detach_from_user";
  return { ...text, operation: { op, username: name, policy } } as const;
}

/** The wanted state of a load, with which plans compare the directory. */

import type { DatasetGroup, DatasetPolicy, DatasetUser } from "@svc-authorizer/policy/model/dataset.ts";
import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import type { RegisteredResource, ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import type { NewGroup, NewPolicy, NewUser } from "../directory/directory.ts";
import type { MergedDataset } from "./merge.ts";

/** A credential with its secret, from the file or the environment. */
export interface WantedCredential {
  readonly secret_access_key: string;
  readonly creation_date?: number;
}

/** A user with memberships, attachments and credentials. */
export interface WantedUser {
  readonly user: NewUser;
  readonly groups: ReadonlySet<string>;
  readonly policies: ReadonlySet<string>;
  /** By access key id. */
  readonly credentials: ReadonlyMap<string, WantedCredential>;
  readonly externalPrincipals: ReadonlySet<string>;
}

/** A group and its policies. */
export interface WantedGroup {
  readonly group: NewGroup;
  readonly policies: ReadonlySet<string>;
  /** True if it comes from the catalog. Changes by administrators are then kept. */
  readonly preconfigured: boolean;
}

/** A policy. */
export interface WantedPolicy {
  readonly policy: NewPolicy;
  /** True if it comes from the catalog. Changes by administrators are then kept. */
  readonly preconfigured: boolean;
}

/** The wanted entities by name; resources by type and id (`resourceKey`). */
export interface Wanted {
  readonly users: ReadonlyMap<string, WantedUser>;
  readonly groups: ReadonlyMap<string, WantedGroup>;
  readonly policies: ReadonlyMap<string, WantedPolicy>;
  readonly resourceTypes: ReadonlyMap<string, ResourceType>;
  readonly resources: ReadonlyMap<string, RegisteredResource>;
}

/** The preconfigured policies and groups of the catalog. */
export interface PreconfiguredSet {
  readonly policies: readonly NewPolicy[];
  readonly groups: readonly DatasetGroup[];
}

/** Turns empty properties into absent ones, which mean the same. */
function withoutEmptyProperties<T extends { readonly properties?: Properties }>(from: T): T {
  const { properties, ...rest } = from;
  return properties !== undefined && Object.keys(properties).length === 0 ? (rest as T) : from;
}

function newUser(from: DatasetUser): NewUser {
  const { groups, policies, credentials, external_principals, ...user } = from;
  return withoutEmptyProperties(user);
}

// One shared empty set: a set for each of 100,000 users takes more memory than the users.
const NO_NAMES: ReadonlySet<string> = new Set();
const NO_CREDENTIALS: ReadonlyMap<string, WantedCredential> = new Map();

function namesIn(list: readonly string[] | undefined): ReadonlySet<string> {
  return list === undefined || list.length === 0 ? NO_NAMES : new Set(list);
}

function wantedCredentials(
  from: DatasetUser,
  secrets: ReadonlyMap<string, string>,
): ReadonlyMap<string, WantedCredential> {
  if ((from.credentials ?? []).length === 0) return NO_CREDENTIALS;
  const credentials = new Map<string, WantedCredential>();
  for (const { access_key_id, creation_date } of from.credentials ?? []) {
    const secret_access_key = secrets.get(access_key_id) ?? "";
    credentials.set(access_key_id, {
      secret_access_key,
      ...(creation_date === undefined ? {} : { creation_date }),
    });
  }
  return credentials;
}

function wantedUser(from: DatasetUser, secrets: ReadonlyMap<string, string>): WantedUser {
  return {
    user: newUser(from),
    groups: namesIn(from.groups),
    policies: namesIn(from.policies),
    credentials: wantedCredentials(from, secrets),
    externalPrincipals: namesIn(from.external_principals),
  };
}

function wantedGroup(from: DatasetGroup, preconfigured: boolean): WantedGroup {
  const { policies, description, ...rest } = from;
  const group = description === undefined || description === "" ? rest : { ...rest, description };
  return { group, policies: namesIn(policies), preconfigured };
}

function wantedPolicy(from: DatasetPolicy, preconfigured: boolean): WantedPolicy {
  const { accept, ...policy } = from;
  // The catalog's own are of its files: every store without them would seem changed.
  return { policy: preconfigured || accept === undefined ? policy : { ...policy, accept }, preconfigured };
}

/**
 * Builds the wanted state from merged and checked data sets.
 * @param secrets secret of every credential by access key id
 * @param preconfigured added if a data set asks for it; a definition of the same name in a file replaces it
 */
export function wantedFrom(
  merged: MergedDataset,
  secrets: ReadonlyMap<string, string>,
  preconfigured: PreconfiguredSet,
): Wanted {
  const users = new Map<string, WantedUser>();
  const groups = new Map<string, WantedGroup>();
  const policies = new Map<string, WantedPolicy>();
  if (merged.preconfigured) {
    for (const policy of preconfigured.policies) policies.set(policy.name, wantedPolicy(policy, true));
    for (const group of preconfigured.groups) groups.set(group.name, wantedGroup(group, true));
  }
  for (const [name, { value }] of merged.policies.entries) policies.set(name, wantedPolicy(value, false));
  for (const [name, { value }] of merged.groups.entries) groups.set(name, wantedGroup(value, false));
  for (const [name, { value }] of merged.users.entries) users.set(name, wantedUser(value, secrets));
  const resourceTypes = new Map<string, ResourceType>();
  const resources = new Map<string, RegisteredResource>();
  for (const [name, { value }] of merged.resourceTypes.entries) resourceTypes.set(name, value);
  for (const [key, { value }] of merged.resources.entries) resources.set(key, withoutEmptyProperties(value));
  return { users, groups, policies, resourceTypes, resources };
}

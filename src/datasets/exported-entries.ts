/** The entries of an exported data set, read in pieces from one state. */

import type { DatasetCredential, DatasetGroup, DatasetUser } from "@svc-authorizer/policy/model/dataset.ts";
import type { GroupState, StateView, UserState } from "../directory/batch.ts";
import type { Section } from "./pieces/piece.ts";

/** Counts of things that an export left out. */
export interface Omitted {
  /** Credentials that were left out. */
  omittedCredentials: number;
  /** Memberships that were left out, because claims of an identity provider made them and may take them back. */
  omittedMemberships: number;
}

/** Removes members that are undefined, an empty list or an empty object. */
function compact<T extends object>(value: T): T {
  const kept = Object.entries(value).filter(
    ([, member]) => member !== undefined && (typeof member !== "object" || Object.keys(member).length > 0),
  );
  return Object.fromEntries(kept) as T;
}

/** Reads entries, and counts what they leave out. */
export class ExportedEntries {
  readonly omitted: Omitted = { omittedCredentials: 0, omittedMemberships: 0 };
  readonly #view: StateView;
  readonly #secrets: boolean;

  /** @param secrets true: with credentials that have secrets */
  constructor(view: StateView, secrets: boolean) {
    this.#view = view;
    this.#secrets = secrets;
  }

  /** The entries of a section, in UTF-8 byte order of their names. */
  of(section: Section): AsyncGenerator<object> {
    switch (section) {
      case "users":
        return this.#users();
      case "groups":
        return this.#groups();
      case "policies":
        return this.#policies();
      case "resource_types":
        return this.#resourceTypes();
      case "resources":
        return this.#resources();
    }
  }

  async *#users(): AsyncGenerator<DatasetUser> {
    for await (const state of this.#view.everyUser()) yield this.#user(state);
  }

  async *#groups(): AsyncGenerator<DatasetGroup> {
    for await (const state of this.#view.everyGroup()) yield exportedGroup(state);
  }

  async *#policies(): AsyncGenerator<object> {
    for await (const { value } of this.#view.everyPolicy()) yield value;
  }

  async *#resourceTypes(): AsyncGenerator<object> {
    for (const { value } of (await this.#view.resourceTypes()).values()) yield value;
  }

  async *#resources(): AsyncGenerator<object> {
    for await (const { value } of this.#view.everyResource()) yield compact(value);
  }

  #user(state: UserState): DatasetUser {
    const groups = [...state.groups].flatMap(([name, { by }]) => (by === undefined ? [name] : []));
    const credentials = this.#secrets ? credentialsOf(state) : [];
    this.omitted.omittedMemberships += state.groups.size - groups.length;
    this.omitted.omittedCredentials += state.credentials.size - credentials.length;
    return compact({
      ...state.user.value,
      groups,
      policies: [...state.policies.keys()],
      credentials,
      external_principals: [...state.externalPrincipals.keys()],
    }) as DatasetUser;
  }
}

function credentialsOf({ credentials }: UserState): DatasetCredential[] {
  const written: DatasetCredential[] = [];
  for (const [access_key_id, { value }] of credentials) {
    const { secret_access_key, creation_date } = value;
    if (secret_access_key !== undefined) written.push({ access_key_id, secret_access_key, creation_date });
  }
  return written;
}

function exportedGroup({ group, policies }: GroupState): DatasetGroup {
  return compact({ ...group.value, policies: [...policies.keys()] }) as DatasetGroup;
}

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
  /** Users that were left out with the policies of their names, because they work for the service itself. */
  omittedServiceUsers: number;
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
  readonly omitted: Omitted = { omittedCredentials: 0, omittedMemberships: 0, omittedServiceUsers: 0 };
  readonly #view: StateView;
  readonly #secrets: boolean;
  /** By the name of a policy. */
  readonly #ofService = new Map<string, boolean>();

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
    for await (const state of this.#view.everyUser()) {
      if (state.isOfService === true) this.omitted.omittedServiceUsers += 1;
      else yield await this.#user(state);
    }
  }

  async *#groups(): AsyncGenerator<DatasetGroup> {
    for await (const state of this.#view.everyGroup()) yield await this.#group(state);
  }

  async *#policies(): AsyncGenerator<object> {
    for await (const { value } of this.#view.everyPolicy())
      if (!(await this.#isOfService(value.name))) yield value;
  }

  async *#resourceTypes(): AsyncGenerator<object> {
    for (const { value } of (await this.#view.resourceTypes()).values()) yield value;
  }

  async *#resources(): AsyncGenerator<object> {
    for await (const { value } of this.#view.everyResource()) yield compact(value);
  }

  async #user(state: UserState): Promise<DatasetUser> {
    const groups = [...state.groups].flatMap(([name, { by }]) => (by === undefined ? [name] : []));
    const credentials = this.#secrets ? credentialsOf(state) : [];
    this.omitted.omittedMemberships += state.groups.size - groups.length;
    this.omitted.omittedCredentials += state.credentials.size - credentials.length;
    return compact({
      ...state.user.value,
      groups,
      policies: await this.#policiesOf(state),
      credentials,
      external_principals: [...state.externalPrincipals.keys()],
    }) as DatasetUser;
  }

  async #group(state: GroupState): Promise<DatasetGroup> {
    return compact({ ...state.group.value, policies: await this.#policiesOf(state) }) as DatasetGroup;
  }

  /** Names of attached policies that the data set has. */
  async #policiesOf({ policies }: Pick<GroupState, "policies">): Promise<readonly string[]> {
    const names: string[] = [];
    for (const name of policies.keys()) if (!(await this.#isOfService(name))) names.push(name);
    return names;
  }

  async #isOfService(name: string): Promise<boolean> {
    const known = this.#ofService.get(name) ?? (await this.#view.isOfService(name));
    this.#ofService.set(name, known);
    return known;
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

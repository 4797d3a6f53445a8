/** Reads everything that a data-server API has into operations of one batch. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { joinedLists, type LongList } from "../../compact/long-list.ts";
import { PackedList } from "../../compact/packed-list.ts";
import type { BatchOperation } from "../../directory/batch.ts";
import type { NewGroup, NewPolicy, NewUser } from "../../directory/new-entities.ts";
import type { RemoteApi } from "./remote-api.ts";
import { dateOf, isExpiring, remoteGroup, remotePolicy, remoteUser, textOf } from "./remote-items.ts";

/** Requests under way at once. */
const WIDTH = 16;

/** Options of {@link readRemote}. */
export interface ReadOptions {
  /** Read access keys with their secrets; else they are only counted. */
  readonly secrets: boolean;
  readonly onProgress: (what: string, done: number, total: number) => void;
}

/** The content of a remote API. */
export interface RemoteContent {
  readonly users: LongList<NewUser>;
  readonly groups: LongList<NewGroup>;
  readonly policies: readonly NewPolicy[];
  /** Memberships, attachments, access keys, principals. */
  readonly links: LongList<BatchOperation>;
  /** Names of the policies of groups, by the group. */
  readonly attached: ReadonlyMap<string, readonly string[]>;
  readonly counts: RemoteCounts;
  /** Lists that the API does not have. */
  readonly missing: readonly string[];
}

/** Number of entities of each kind. */
export interface RemoteCounts {
  readonly users: number;
  readonly groups: number;
  readonly policies: number;
  readonly memberships: number;
  readonly attachments: number;
  readonly credentials: number;
  /** Access keys that are not copied as their secrets were not asked for. */
  readonly left_out_credentials: number;
  /** Access keys that are not copied as they expire. */
  readonly left_out_expiring_credentials: number;
  /** Access keys that are not copied as no API shows their secrets. */
  readonly left_out_credentials_of_inactive_users: number;
  readonly external_principals: number;
}

class RemoteReader {
  readonly links = new PackedList<BatchOperation>();
  readonly attached = new Map<string, readonly string[]>();
  readonly policies = new Map<string, NewPolicy>();
  readonly missing = new Set<string>();
  memberships = 0;
  attachments = 0;
  credentials = 0;
  leftOut = 0;
  leftOutExpiring = 0;
  leftOutInactive = 0;
  principals = 0;
  readonly #api: RemoteApi;
  readonly #options: ReadOptions;

  constructor(api: RemoteApi, options: ReadOptions) {
    this.#api = api;
    this.#options = options;
  }

  async all<T>(what: string, read: (item: object) => T): Promise<LongList<T>> {
    const items = new PackedList<T>();
    const isServed = await this.#api.each(["auth", what], (item) => {
      items.push(read(item));
      this.#options.onProgress(what, items.length, items.length);
    });
    // Some services for access lists list no policies; those in use are found through groups and users.
    if (isServed || what === "policies") return items;
    throw new AuthorizerError(
      "unavailable",
      `the API has no list of ${what}: is --from the base of a data-server API (it often ends in /api/v1)?`,
    );
  }

  async group(group: string): Promise<void> {
    const members = await this.#below(["auth", "groups", group, "members"], `group ${JSON.stringify(group)}`);
    for (const member of members) {
      this.memberships += 1;
      this.links.push({ op: "add_member", group, username: textOf(member, "username", "member") });
    }
    const policies = await this.#attached("groups", group);
    if (policies.length > 0) this.attached.set(group, policies);
    for (const policy of policies) this.links.push({ op: "attach_to_group", group, policy });
  }

  async user({ username, inactive = false }: NewUser): Promise<void> {
    for (const policy of await this.#attached("users", username)) {
      this.links.push({ op: "attach_to_user", username, policy });
    }
    await this.#credentialsOf(username, inactive);
    const principals = await this.#api.list(["auth", "users", username, "external", "principals", "ls"]);
    if (principals === undefined) this.missing.add("external principals");
    for (const item of principals ?? []) {
      this.principals += 1;
      this.links.push({ op: "put_principal", username, principal: textOf(item, "id", "principal") });
    }
  }

  async #attached(kind: "users" | "groups", name: string): Promise<readonly string[]> {
    const what = `${kind === "users" ? "user" : "group"} ${JSON.stringify(name)}`;
    const query: Record<string, string> = kind === "users" ? { effective: "false" } : {};
    const found = (await this.#below(["auth", kind, name, "policies"], what, query)).map(remotePolicy);
    for (const policy of found) if (!this.policies.has(policy.name)) this.policies.set(policy.name, policy);
    this.attachments += found.length;
    return found.map((policy) => policy.name);
  }

  async #credentialsOf(username: string, inactive: boolean): Promise<void> {
    const what = `user ${JSON.stringify(username)}`;
    for (const item of await this.#below(["auth", "users", username, "credentials"], what)) {
      const access_key_id = textOf(item, "access_key_id", "access key");
      if (!this.#options.secrets) {
        this.leftOut += 1;
        continue;
      }
      if (isExpiring(item) || inactive) {
        if (isExpiring(item)) this.leftOutExpiring += 1;
        else this.leftOutInactive += 1;
        continue;
      }
      const whole = await this.#api.get(["auth", "credentials", access_key_id]);
      if (whole === undefined) throw changed(`access key ${JSON.stringify(access_key_id)}`);
      const secret_access_key = textOf(whole, "secret_access_key", "access key");
      this.credentials += 1;
      this.links.push({ op: "put_credential", username, access_key_id, secret_access_key, ...dateOf(item) });
    }
  }

  async #below(path: readonly string[], what: string, query?: Record<string, string>): Promise<object[]> {
    const found = await this.#api.list(path, query);
    if (found === undefined) throw changed(what);
    return found;
  }
}

function changed(what: string): AuthorizerError {
  const message = `${what} is listed, but cannot be read: it was deleted meanwhile, its user is inactive, or the API does not serve it; try again`;
  return new AuthorizerError("unavailable", message);
}

async function eachOf<T>(
  what: string,
  entities: LongList<T>,
  options: ReadOptions,
  read: (entity: T) => Promise<void>,
): Promise<void> {
  const left = entities[Symbol.iterator]();
  let done = 0;
  const lane = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) {
      await read(next.value);
      done += 1;
      options.onProgress(what, done, entities.length);
    }
  };
  try {
    await Promise.all(Array.from({ length: WIDTH }, lane));
  } catch (error) {
    // The other lanes have nothing left to do.
    left.return?.();
    throw error;
  }
}

/** Reads all of an API. Throws AuthorizerError "unavailable" when a part cannot be read: nothing is left out silently. */
export async function readRemote(api: RemoteApi, options: ReadOptions): Promise<RemoteContent> {
  const reader = new RemoteReader(api, options);
  for (const policy of await reader.all("policies", remotePolicy)) reader.policies.set(policy.name, policy);
  const groups = await reader.all("groups", remoteGroup);
  const users = await reader.all("users", remoteUser);
  await eachOf("groups with members", groups, options, ({ name }) => reader.group(name));
  await eachOf("users with keys", users, options, (user) => reader.user(user));
  return {
    users,
    groups,
    policies: [...reader.policies.values()],
    links: reader.links,
    attached: reader.attached,
    counts: {
      users: users.length,
      groups: groups.length,
      policies: reader.policies.size,
      memberships: reader.memberships,
      attachments: reader.attachments,
      credentials: reader.credentials,
      left_out_credentials: reader.leftOut,
      left_out_expiring_credentials: reader.leftOutExpiring,
      left_out_credentials_of_inactive_users: reader.leftOutInactive,
      external_principals: reader.principals,
    },
    missing: [...reader.missing],
  };
}

/** The whole content as operations, in an order in which everything exists before it is referred to. */
export function operationsOf({ users, groups, policies, links }: RemoteContent): LongList<BatchOperation> {
  return joinedLists<BatchOperation>([
    mapped(policies, (policy) => ({ op: "put_policy", policy })),
    mapped(groups, (group) => ({ op: "put_group", ...group })),
    mapped(users, (user) => ({ op: "put_user", user })),
    links,
  ]);
}

function mapped<T>(list: LongList<T>, toOperation: (value: T) => BatchOperation): LongList<BatchOperation> {
  return {
    length: list.length,
    *[Symbol.iterator]() {
      for (const value of list) yield toOperation(value);
    },
  };
}

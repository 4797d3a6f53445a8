/** A naive directory in plain maps: what the real one is compared with. */

import type { BatchOperation } from "../../src/directory/batch.ts";

interface OracleUser {
  external_id: string | undefined;
  email: string | undefined;
  groups: Set<string>;
  policies: Set<string>;
  keys: Map<string, string>;
  principals: Set<string>;
}

/** One random write. */
export type Step =
  | { kind: "create_user"; user: string; external: string | undefined; email: string | undefined }
  | {
      kind: "delete_user" | "create_key" | "delete_key" | "put_principal" | "delete_principal";
      user: string;
      key: string;
    }
  | { kind: "create_group" | "delete_group"; group: string }
  | { kind: "create_policy" | "update_policy" | "delete_policy"; policy: string; resource: string }
  | { kind: "add_member" | "remove_member"; user: string; group: string }
  | { kind: "attach_user" | "detach_user"; user: string; policy: string }
  | { kind: "attach_group" | "detach_group"; group: string; policy: string }
  | { kind: "batch"; operations: readonly BatchOperation[] }
  | { kind: "reopen" };

type Code = "ok" | "not_found" | "already_exists" | "invalid_request";

/** The maps, and what each write answers. */
export class Oracle {
  users = new Map<string, OracleUser>();
  groups = new Map<string, Set<string>>();
  policies = new Map<string, string>();

  apply(step: Step): Code {
    switch (step.kind) {
      case "create_user":
        if (this.users.has(step.user)) return "already_exists";
        if (step.external !== undefined && this.#all((user) => user.external_id === step.external)) {
          return "already_exists";
        }
        this.users.set(step.user, this.#newUser(step.external, step.email));
        return "ok";
      case "delete_user":
        return this.users.delete(step.user) ? "ok" : "not_found";
      case "create_group":
        if (this.groups.has(step.group)) return "already_exists";
        this.groups.set(step.group, new Set());
        return "ok";
      case "delete_group":
        for (const user of this.users.values()) user.groups.delete(step.group);
        return this.groups.delete(step.group) ? "ok" : "not_found";
      case "create_policy":
        if (this.policies.has(step.policy)) return "already_exists";
        this.policies.set(step.policy, step.resource);
        return "ok";
      case "update_policy":
        if (!this.policies.has(step.policy)) return "not_found";
        this.policies.set(step.policy, step.resource);
        return "ok";
      case "delete_policy":
        for (const holder of this.#holders()) holder.delete(step.policy);
        return this.policies.delete(step.policy) ? "ok" : "not_found";
      case "batch":
        return this.#batch(step.operations);
      case "reopen":
        return "ok";
      default:
        return this.#relation(step);
    }
  }

  /** Effective policies of a user: name and resource. */
  effective(username: string): [string, string][] {
    const user = this.users.get(username)!;
    const names = new Set(user.policies);
    for (const group of user.groups) for (const name of this.groups.get(group)!) names.add(name);
    return [...names].sort().map((name) => [name, this.policies.get(name)!]);
  }

  #newUser(external_id: string | undefined, email: string | undefined): OracleUser {
    const empty = { groups: new Set<string>(), policies: new Set<string>(), principals: new Set<string>() };
    return { external_id, email, ...empty, keys: new Map() };
  }

  #all(test: (user: OracleUser) => boolean): boolean {
    return [...this.users.values()].some(test);
  }

  #holders(): Set<string>[] {
    return [...this.groups.values(), ...[...this.users.values()].map((user) => user.policies)];
  }

  #relation(step: Extract<Step, { user: string } | { group: string; policy: string }>): Code {
    const user = "user" in step ? this.users.get(step.user) : undefined;
    const group = "group" in step ? this.groups.get(step.group) : undefined;
    if ("user" in step && user === undefined) return "not_found";
    if ("group" in step && group === undefined) return "not_found";
    if ("policy" in step && !this.policies.has(step.policy)) return "not_found";
    const add = (set: Set<string>, name: string): Code => {
      if (set.has(name)) return "already_exists";
      set.add(name);
      return "ok";
    };
    switch (step.kind) {
      case "add_member":
        return add(user!.groups, step.group);
      case "remove_member":
        user!.groups.delete(step.group);
        return "ok";
      case "attach_user":
        return add(user!.policies, step.policy);
      case "detach_user":
        user!.policies.delete(step.policy);
        return "ok";
      case "attach_group":
        return add(group!, step.policy);
      case "detach_group":
        group!.delete(step.policy);
        return "ok";
      case "create_key":
        if (this.#all(({ keys }) => keys.has(step.key))) return "already_exists";
        user!.keys.set(step.key, "secret");
        return "ok";
      case "delete_key":
        return user!.keys.delete(step.key) ? "ok" : "not_found";
      case "put_principal":
        if (this.#all(({ principals }) => principals.has(step.key))) return "already_exists";
        user!.principals.add(step.key);
        return "ok";
      default:
        return step.kind === "delete_principal" && user!.principals.delete(step.key) ? "ok" : "not_found";
    }
  }

  #batch(operations: readonly BatchOperation[]): Code {
    const before = structuredClone({ users: this.users, groups: this.groups, policies: this.policies });
    if (operations.map((operation) => this.#operation(operation)).every((fine) => fine)) return "ok";
    Object.assign(this, before);
    return "invalid_request";
  }

  /** Applies what the property test puts into batches; false where it must not happen. */
  #operation(operation: BatchOperation): boolean {
    switch (operation.op) {
      case "put_user": {
        const { username, external_id } = operation.user;
        for (const [name, user] of this.users) {
          if (name !== username && external_id !== undefined && user.external_id === external_id)
            return false;
        }
        const user = this.users.get(username) ?? this.#newUser(undefined, undefined);
        user.external_id = external_id;
        user.email = undefined;
        this.users.set(username, user);
        return true;
      }
      case "delete_user":
        this.users.delete(operation.username);
        return true;
      case "put_group":
        if (!this.groups.has(operation.name)) this.groups.set(operation.name, new Set());
        return true;
      case "delete_group":
        this.apply({ kind: "delete_group", group: operation.name });
        return true;
      case "add_member":
        return (
          this.apply({ kind: "add_member", user: operation.username, group: operation.group }) !== "not_found"
        );
      case "attach_to_group": {
        const { group, policy } = operation;
        return this.apply({ kind: "attach_group", group, policy }) !== "not_found";
      }
      case "delete_policy":
        this.apply({ kind: "delete_policy", policy: operation.name, resource: "" });
        return true;
      default:
        throw new Error(`the oracle knows no ${operation.op}`);
    }
  }
}

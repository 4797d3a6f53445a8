/** The policies of users and groups as they will be after the operations of a plan. */

import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import type { BatchOperation, DirectoryState } from "../../directory/batch.ts";
import { bulkPause } from "../../schedule/bulk-pause.ts";
import type { PoliciesAfter } from "./applied-plan.ts";

/** Returns the policies of a state after operations. Users and groups without operations cost nothing. */
export async function policiesAfter(
  state: DirectoryState,
  operations: readonly BatchOperation[],
): Promise<PoliciesAfter> {
  const policies = new Map<string, NamedStatements | undefined>();
  const links = new Links();
  const gone = new Set<string>();
  const pause = bulkPause();
  for (const operation of operations) {
    await pause();
    if (operation.op === "put_policy") policies.set(operation.policy.name, operation.policy);
    if (operation.op === "delete_policy") policies.set(operation.name, undefined);
    if (operation.op === "delete_user") gone.add(`user/${operation.username}`);
    if (operation.op === "delete_group") gone.add(`group/${operation.name}`);
    links.note(operation);
  }
  const policy = (name: string): NamedStatements | undefined =>
    policies.has(name) ? policies.get(name) : state.policies.get(name)?.value;
  const all = (names: Iterable<string>): readonly NamedStatements[] =>
    [...new Set(names)].flatMap((name) => policy(name) ?? []);
  const namesOfGroup = (name: string): readonly string[] =>
    links.after(`group/${name}/policies`, state.groups.get(name)?.policies.keys() ?? []);
  const groupsOf = (username: string): readonly string[] =>
    links
      .after(`user/${username}/groups`, state.users.get(username)?.groups.keys() ?? [])
      .filter((group) => !gone.has(`group/${group}`));
  return {
    policy,
    ofGroup: (name) => all(namesOfGroup(name)),
    ofUser: (username) => {
      const own = links.after(`user/${username}/policies`, state.users.get(username)?.policies.keys() ?? []);
      return all([...own, ...groupsOf(username).flatMap(namesOfGroup)]);
    },
    members: async (group) => {
      const members = new Set<string>();
      const addMembers = async (known: Iterable<string>): Promise<void> => {
        for (const username of known) {
          await pause();
          if (!gone.has(`user/${username}`) && groupsOf(username).includes(group)) members.add(username);
        }
      };
      await addMembers(state.users.keys());
      await addMembers(links.members(group));
      return members;
    },
  };
}

/** Names that operations add to lists and take from them. */
class Links {
  readonly #added = new Map<string, Set<string>>();
  readonly #removed = new Map<string, Set<string>>();
  readonly #members = new Map<string, Set<string>>();

  note(operation: BatchOperation): void {
    switch (operation.op) {
      case "add_member":
        add(this.#members, operation.group, operation.username);
        add(this.#added, `user/${operation.username}/groups`, operation.group);
        break;
      case "remove_member":
        add(this.#removed, `user/${operation.username}/groups`, operation.group);
        break;
      case "attach_to_user":
      case "detach_from_user":
        add(this.#names(operation.op), `user/${operation.username}/policies`, operation.policy);
        break;
      case "attach_to_group":
      case "detach_from_group":
        add(this.#names(operation.op), `group/${operation.group}/policies`, operation.policy);
        break;
      default:
    }
  }

  #names(op: string): Map<string, Set<string>> {
    return op.startsWith("attach") ? this.#added : this.#removed;
  }

  /** Users whom operations add to a group. */
  members(group: string): Iterable<string> {
    return this.#members.get(group) ?? [];
  }

  after(list: string, before: Iterable<string>): readonly string[] {
    const removed = this.#removed.get(list);
    return [...before, ...(this.#added.get(list) ?? [])].filter((name) => removed?.has(name) !== true);
  }
}

function add(to: Map<string, Set<string>>, key: string, name: string): void {
  const names = to.get(key);
  if (names === undefined) to.set(key, new Set([name]));
  else names.add(name);
}

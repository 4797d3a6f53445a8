/** The permissions of an application: those of the single calls that would read and make the same (spec/management-cli §10). */

import { AuthorizerError, isErrorCode, type Problem } from "@svc-authorizer/policy/errors.ts";
import type { AppliedChange, Claim } from "../../../datasets/apply/applied-plan.ts";
import type { WantedEntity } from "../../../datasets/apply/wanted-entities.ts";
import type { BatchOperation } from "../../../directory/batch.ts";
import { Turns } from "../../../schedule/turns.ts";
import type { UserCall } from "../call.ts";
import type { PermissionParts } from "../permissions/permissions.ts";
import { type Asked, requirePermission } from "../permissions/permissions.ts";

/** The call of the API that makes a change alone. */
interface SingleCall {
  /** Name of the operation, as the audit log has it. */
  readonly operation: string;
  readonly asked: Asked;
}

type Kind = "user" | "group" | "policy";

/** Rows of the permission table that read an entity. */
const READS: Readonly<Record<Kind, string>> = { user: "getUser", group: "getGroup", policy: "getPolicy" };

/** Returns the call that makes a change alone; undefined for what has none. */
export function singleCallOf({ action, operation }: AppliedChange): SingleCall | undefined {
  if (operation === undefined) return undefined;
  const named = callOf(operation, action === "add");
  if (named === undefined) throw new AuthorizerError("internal", `no call makes ${operation.op}`);
  return named;
}

function callOf(operation: BatchOperation, isNew: boolean): SingleCall | undefined {
  switch (operation.op) {
    case "put_user":
      // No action is about the fields of users and groups: who may create one decides them.
      return {
        operation: isNew ? "createUser" : "updateUser",
        asked: created("user", operation.user.username),
      };
    case "put_group":
      return { operation: isNew ? "createGroup" : "updateGroup", asked: created("group", operation.name) };
    case "put_policy": {
      const { name } = operation.policy;
      if (isNew) return { operation: "createPolicy", asked: created("policy", name) };
      return pathCall("updatePolicy", { policy: name });
    }
    case "delete_user":
      return pathCall("deleteUser", { user: operation.username });
    case "delete_group":
      return pathCall("deleteGroup", { group: operation.name });
    case "delete_policy":
      return pathCall("deletePolicy", { policy: operation.name });
    case "add_member":
      return pathCall("addGroupMembership", { group: operation.group, user: operation.username });
    case "remove_member":
      return pathCall("deleteGroupMembership", { group: operation.group, user: operation.username });
    case "attach_to_user":
      return pathCall("attachPolicyToUser", { user: operation.username, policy: operation.policy });
    case "detach_from_user":
      return pathCall("detachPolicyFromUser", { user: operation.username, policy: operation.policy });
    case "attach_to_group":
      return pathCall("attachPolicyToGroup", { group: operation.group, policy: operation.policy });
    case "detach_from_group":
      return pathCall("detachPolicyFromGroup", { group: operation.group, policy: operation.policy });
    default:
      return undefined;
  }
}

const CREATES: Readonly<Record<Kind, string>> = {
  user: "createUser",
  group: "createGroup",
  policy: "createPolicy",
};

function created(kind: Kind, name: string): Asked {
  return {
    id: CREATES[kind],
    values: new Map([["body.id", name]]),
    fields: new Map([[`action.${kind}`, name]]),
  };
}

function pathCall(id: string, names: Readonly<Partial<Record<Kind, string>>>): SingleCall {
  const entries = Object.entries(names);
  return {
    operation: id,
    asked: {
      id,
      values: new Map(entries.map(([kind, name]) => [`${kind}Id`, name])),
      fields: new Map(entries.map(([kind, name]) => [`action.${kind}`, name])),
    },
  };
}

/** Asks for permissions on behalf of one call; each of them once. */
export class AskedPermissions {
  readonly #parts: PermissionParts;
  readonly #call: UserCall;
  readonly #known = new Map<string, string | undefined>();
  readonly #turns = new Turns();

  constructor(parts: PermissionParts, call: UserCall) {
    this.#parts = parts;
    this.#call = call;
  }

  /** Returns why the caller may not read an entity; undefined where the caller may. */
  reading(kind: Kind, name: string): Promise<string | undefined> {
    return this.refusal(pathCall(READS[kind], { [kind]: name }).asked);
  }

  /** Returns why the caller may not make a call; undefined where the caller may. */
  async refusal(asked: Asked): Promise<string | undefined> {
    // What is known already is asked for as well, once for each name of a long list.
    if (this.#turns.spent) {
      await this.#turns.yield();
      this.#call.signal?.throwIfAborted();
    }
    const key = JSON.stringify([asked.id, ...asked.values]);
    if (!this.#known.has(key)) this.#known.set(key, await this.#ask(asked));
    return this.#known.get(key);
  }

  async #ask(asked: Asked): Promise<string | undefined> {
    try {
      await requirePermission(this.#parts, asked, this.#call);
      return undefined;
    } catch (error) {
      if (isErrorCode(error, "not_allowed")) return error.message;
      throw error;
    }
  }
}

/** Refusals of an answer. Whoever has more of them asks for nothing further. */
export const MOST_REFUSALS = 100;

/**
 * The refusals to read what documents name, in lists too: the answer tells whether it exists and what it is. Where there are
 * more than an answer has, not all.
 */
export async function refusedReads(
  permissions: AskedPermissions,
  entities: readonly WantedEntity[],
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const ask = async (kind: Kind, name: string, pointer: string): Promise<void> => {
    if (problems.length > MOST_REFUSALS) return;
    const message = await permissions.reading(kind, name);
    if (message !== undefined) problems.push({ pointer, message });
  };
  for (const { kind, name, said, from } of entities) {
    const at = `/documents/${from.source.file}${from.pointer}`;
    await ask(kind, name, at);
    for (const [index, group] of (said.groups ?? []).entries())
      await ask("group", group, `${at}/groups/${index}`);
    for (const [index, policy] of (said.policies ?? []).entries())
      await ask("policy", policy, `${at}/policies/${index}`);
    if (problems.length > MOST_REFUSALS) break;
  }
  return problems;
}

/**
 * The refusals to make changes.
 * @param most after more of them, no further ones are looked for
 */
export async function refusedChanges(
  permissions: AskedPermissions,
  changes: readonly AppliedChange[],
  most: number,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const change of changes) {
    if (problems.length > most) break;
    const single = singleCallOf(change);
    const message = single && (await permissions.refusal(single.asked));
    if (message !== undefined) {
      problems.push({ pointer: change.at ?? "", message: `${describe(change)}: ${message}` });
    }
  }
  return problems;
}

/**
 * The refusals to say something else of entities than was said last time: that needs the rights to their fields, and to
 * make the relations that were not said so far. Who may only read could else decide what the next application removes.
 */
export async function refusedClaims(
  permissions: AskedPermissions,
  claims: readonly Claim[],
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const { kind, name, groups, policies, at } of claims) {
    const holder = { [kind]: name };
    const attach = kind === "group" ? "attachPolicyToGroup" : "attachPolicyToUser";
    const asked = [
      kind === "policy" ? pathCall("updatePolicy", holder).asked : created(kind, name),
      ...groups.map((group) => pathCall("addGroupMembership", { group, user: name }).asked),
      ...policies.map((policy) => pathCall(attach, { ...holder, policy }).asked),
    ];
    for (const one of asked) {
      const message = await permissions.refusal(one);
      if (message === undefined) continue;
      // What the documents do not name, the caller may perhaps not know.
      problems.push(
        at === undefined
          ? { pointer: "", message: "no right to what was applied before and is no longer named" }
          : { pointer: at, message: `manage ${kind} ${name}: ${message}` },
      );
      break;
    }
  }
  return problems;
}

/** Describes a change: `add user alice`. */
function describe({ action, kind, name }: AppliedChange): string {
  return `${action} ${kind} ${name}`;
}

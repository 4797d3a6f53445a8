/** The writes of the management API that can give their caller more rights, as steps from one state to the next. */

import { bindUser } from "../../engine/patterns/resource-pattern.ts";
import { compileWildcard } from "../../engine/patterns/wildcard.ts";
import type { Statement } from "../../model/policy.ts";
import { parseResourceText } from "../../model/resource-text.ts";
import {
  type AccessWorld,
  attachToGroup,
  attachToUser,
  deletePolicy,
  detachFromGroup,
  detachFromUser,
  heldBy,
  joinGroup,
  leaveGroup,
  namesHeldBy,
  putPolicy,
  setGroupPolicies,
  userOf,
} from "./access-world.ts";
import { newNames } from "./new-names.ts";

/** A world, and the user whose rights can be used in it. */
export interface EscalationState {
  readonly world: AccessWorld;
  readonly user: string;
}

/** One call of the management API. */
export interface EscalationStep {
  /** Name of the operation in the permission table, such as `attachPolicyToUser`. */
  readonly operation: string;
  /** The user as whom the call is made. */
  readonly as: string;
  /** Values for the placeholders of the operation's row: `userId`, `groupId`, `policyId`, `body.id`. */
  readonly values: Readonly<Record<string, string>>;
}

/** A step that can be tried. */
export interface TriedStep extends EscalationStep {
  /** The state behind it. Making it copies parts of the world, so ask for it only if the step is allowed. */
  readonly next: () => EscalationState;
}

/** Settings of the steps. */
export interface StepOptions {
  /** Name of the policy that holds a group's access list. */
  readonly aclPolicyName: (group: string) => string;
  /** Statements of the widest access list. */
  readonly aclStatements: readonly Statement[];
  /** Names for a policy and a group that do not exist yet. */
  readonly newPolicy: string;
  readonly newGroup: string;
  /** True for statements that can allow a further step: only such policies, groups and users are tried. */
  readonly isUseful: (statements: readonly Statement[]) => boolean;
}

/** Statements that allow everything. */
export const EVERYTHING: readonly Statement[] = [{ effect: "allow", action: ["*"], resource: "*" }];

function denies(statements: readonly Statement[] | undefined): boolean {
  return statements?.some(({ effect }) => effect === "deny") ?? false;
}

/** Every step that may lead on from a state, whether or not it is allowed. */
export function* stepsFrom(state: EscalationState, options: StepOptions): Generator<TriedStep> {
  yield* policySteps(state, options);
  yield* groupSteps(state, options);
  yield* identitySteps(state, options);
  yield* removalSteps(state);
}

/** A step that the user of a state takes. */
export function step(
  { user }: EscalationState,
  operation: string,
  values: Readonly<Record<string, string>>,
  world: () => AccessWorld,
  as = user,
): TriedStep {
  return { operation, as: user, values, next: () => ({ world: world(), user: as }) };
}

/** Writing policies, and attaching them to oneself or to a group of one's own. */
function* policySteps(state: EscalationState, options: StepOptions): Generator<TriedStep> {
  const { world, user } = state;
  const { isUseful } = options;
  const held = new Set(namesHeldBy(world, user));
  for (const policyId of held) {
    if (world.policies.get(policyId) === EVERYTHING) continue;
    yield step(state, "updatePolicy", { policyId }, () => putPolicy(world, policyId, EVERYTHING));
  }
  const created = { action: "auth:CreatePolicy", kind: "policy", unused: options.newPolicy } as const;
  for (const name of newNames(heldBy(world, user), user, created)) {
    if (world.policies.has(name)) continue;
    yield step(state, "createPolicy", { "body.id": name }, () => putPolicy(world, name, EVERYTHING));
  }
  for (const [policyId, statements] of world.policies) {
    if (held.has(policyId) || !isUseful(statements)) continue;
    const values = { userId: user, policyId };
    yield step(state, "attachPolicyToUser", values, () => attachToUser(world, user, policyId));
    for (const groupId of userOf(world, user).groups) {
      const next = () => attachToGroup(world, groupId, policyId);
      yield step(state, "attachPolicyToGroup", { groupId, policyId }, next);
    }
  }
}

/** Joining groups, and giving groups the widest access list. */
function* groupSteps(state: EscalationState, options: StepOptions): Generator<TriedStep> {
  const { world, user } = state;
  const { newGroup, aclPolicyName, aclStatements, isUseful } = options;
  const own = new Set(userOf(world, user).groups);
  const created = { action: "auth:CreateGroup", kind: "group", unused: newGroup } as const;
  for (const name of newNames(heldBy(world, user), user, created)) {
    if (world.groups.has(name)) continue;
    yield step(state, "createGroup", { "body.id": name }, () => setGroupPolicies(world, name, []));
  }
  for (const [groupId, policies] of world.groups) {
    const useful = policies.some((name) => isUseful(world.policies.get(name) ?? []));
    if (useful && !own.has(groupId)) {
      const values = { groupId, userId: user };
      yield step(state, "addGroupMembership", values, () => joinGroup(world, groupId, user));
    }
    const acl = aclPolicyName(groupId);
    if ((own.has(groupId) || groupId === newGroup) && !policies.includes(acl)) {
      const next = () => setGroupPolicies(putPolicy(world, acl, aclStatements), groupId, [acl]);
      yield step(state, "setGroupACL", { groupId }, next);
    }
  }
}

/** Acting as another user, with an access key or an external principal of that user. */
function* identitySteps(state: EscalationState, { isUseful }: StepOptions): Generator<TriedStep> {
  const { world, user } = state;
  for (const [operation, action] of ACTING_AS) {
    const named = usersThatMayBeMeant(state, action);
    const candidates = named === undefined ? usefulUsers(world, isUseful) : [...named];
    for (const userId of candidates) {
      if (userId === user || (named !== undefined && !isUsefulUser(world, userId, isUseful))) continue;
      yield step(state, operation, { userId }, () => world, userId);
    }
  }
}

/** Operations with which one can act as another user, and the action that each needs on that user. */
const ACTING_AS = [
  ["createCredentials", "auth:CreateCredentials"],
  ["createUserExternalPrincipal", "auth:CreateUserExternalPrincipal"],
] as const;
const WILDCARD = /[*?]/;
const USER_RESOURCE = ":user/";

function isUsefulUser(world: AccessWorld, userId: string, isUseful: StepOptions["isUseful"]): boolean {
  return (
    world.users.has(userId) &&
    namesHeldBy(world, userId).some((name) => isUseful(world.policies.get(name) ?? []))
  );
}

/** The useful users of worlds. */
const USEFUL = new WeakMap<
  AccessWorld["users"],
  { readonly world: AccessWorld; readonly users: readonly string[] }
>();

/** Users whose policies lead on: first one of each set of policies, so that a search with a limit sees all sets. */
function usefulUsers(world: AccessWorld, isUseful: StepOptions["isUseful"]): readonly string[] {
  const known = USEFUL.get(world.users);
  if (known?.world === world) return known.users;
  const [first, others]: [string[], string[]] = [[], []];
  const seen = new Set<string>();
  for (const userId of world.users.keys()) {
    if (!isUsefulUser(world, userId, isUseful)) continue;
    const key = JSON.stringify(namesHeldBy(world, userId));
    if (seen.has(key)) others.push(userId);
    else first.push(userId);
    seen.add(key);
  }
  const users = [...first, ...others];
  USEFUL.set(world.users, { world, users });
  return users;
}

/**
 * Users on whom policies may allow an action, of which not one is missing; undefined: any. Most people may do this with
 * themselves alone.
 */
function usersThatMayBeMeant(
  { world, user }: EscalationState,
  action: string,
): ReadonlySet<string> | undefined {
  const named = new Set<string>();
  for (const { statement } of heldBy(world, user)) {
    for (const { effect, action: patterns, resource } of statement) {
      if (effect === "deny" || !patterns.some((pattern) => compileWildcard(pattern).match(action))) continue;
      for (const written of parseResourceText(resource) ?? []) {
        const bound = bindUser(written, user);
        if (WILDCARD.test(bound)) return undefined;
        named.add(bound.slice(bound.indexOf(USER_RESOURCE) + USER_RESOURCE.length));
      }
    }
  }
  return named;
}

/** Losing policies that deny something. */
function* removalSteps(state: EscalationState): Generator<TriedStep> {
  const { world, user } = state;
  const { groups, policies } = userOf(world, user);
  const barring = (names: readonly string[]): readonly string[] =>
    names.filter((name) => denies(world.policies.get(name)));
  for (const policyId of barring(policies)) {
    const values = { userId: user, policyId };
    yield step(state, "detachPolicyFromUser", values, () => detachFromUser(world, user, policyId));
  }
  for (const groupId of groups) {
    const found = barring(world.groups.get(groupId) ?? []);
    if (found.length === 0) continue;
    const values = { groupId, userId: user };
    yield step(state, "deleteGroupMembership", values, () => leaveGroup(world, groupId, user));
    for (const policyId of found) {
      const next = () => detachFromGroup(world, groupId, policyId);
      yield step(state, "detachPolicyFromGroup", { groupId, policyId }, next);
    }
  }
  for (const policyId of barring(namesHeldBy(world, user)))
    yield step(state, "deletePolicy", { policyId }, () => deletePolicy(world, policyId));
}

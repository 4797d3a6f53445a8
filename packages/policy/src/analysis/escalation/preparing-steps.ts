/**
 * Steps that give no rights by themselves, and that a later step uses: attaching a policy that the user may write, joining
 * a group that the user may give policies to, and giving rights to somebody as whom the user may act.
 */

import {
  type AccessWorld,
  attachToGroup,
  attachToUser,
  joinGroup,
  namesHeldBy,
  putPolicy,
  userOf,
} from "./access-world.ts";
import {
  type EscalationState,
  EVERYTHING,
  type StepOptions,
  step,
  type TriedStep,
} from "./escalation-steps.ts";

/** The rights of a user in a state, as the engine decides them. */
export interface Rights {
  /** True if the call of an operation is allowed. */
  may(operation: string, values: Readonly<Record<string, string>>): boolean;
  /** False if no policy of the user allows an action anywhere. */
  mentions(action: string): boolean;
}

/** Steps that are tried of each kind: the next policy or group would serve as the one before did. */
const MOST_ALIKE = 2;
/** Users that are looked at, of whom policies allow any. */
const MOST_USERS = 500;

/** Every preparing step from a state. */
export function* preparingSteps(
  state: EscalationState,
  options: StepOptions,
  rights: Rights,
): Generator<TriedStep> {
  if (rights.mentions("auth:AttachPolicy") && rights.mentions("auth:UpdatePolicy")) {
    yield* attachingWritable(state, options, rights);
  }
  if (rights.mentions("auth:AddGroupMember")) yield* joiningFillable(state, options, rights);
  if (rights.mentions("auth:CreateCredentials") || rights.mentions("auth:CreateUserExternalPrincipal")) {
    yield* helpingOthers(state, options, rights);
  }
}

/** Attaching policies that lead nowhere as they are, to write them then. */
function* attachingWritable(
  state: EscalationState,
  { isUseful }: StepOptions,
  { may }: Rights,
): Generator<TriedStep> {
  const { world, user } = state;
  const held = new Set(namesHeldBy(world, user));
  let tried = 0;
  for (const [policyId, statements] of world.policies) {
    if (held.has(policyId) || isUseful(statements) || !may("updatePolicy", { policyId })) continue;
    const values = { userId: user, policyId };
    if (may("attachPolicyToUser", values)) {
      yield step(state, "attachPolicyToUser", values, () => attachToUser(world, user, policyId));
      if (++tried >= MOST_ALIKE) return;
    }
    for (const groupId of userOf(world, user).groups) {
      if (!may("attachPolicyToGroup", { groupId, policyId })) continue;
      const next = () => attachToGroup(world, groupId, policyId);
      yield step(state, "attachPolicyToGroup", { groupId, policyId }, next);
      if (++tried >= MOST_ALIKE) return;
    }
  }
}

/** Joining groups that lead nowhere as they are, to give them policies then, or to write those that they have. */
function* joiningFillable(
  state: EscalationState,
  { isUseful }: StepOptions,
  { may, mentions }: Rights,
): Generator<TriedStep> {
  if (!mentions("auth:AttachPolicy") && !mentions("auth:UpdatePolicy")) return;
  const { world, user } = state;
  const own = new Set(userOf(world, user).groups);
  const useful = usefulPolicies(world, isUseful);
  let tried = 0;
  for (const [groupId, policies] of world.groups) {
    const leadsOn = policies.some((name) => isUseful(world.policies.get(name) ?? []));
    const values = { groupId, userId: user };
    if (leadsOn || own.has(groupId) || !may("addGroupMembership", values)) continue;
    const isFillable =
      useful.some((policyId) => may("attachPolicyToGroup", { groupId, policyId })) ||
      policies.some((policyId) => world.policies.has(policyId) && may("updatePolicy", { policyId })) ||
      may("setGroupACL", { groupId });
    if (!isFillable) continue;
    yield step(state, "addGroupMembership", values, () => joinGroup(world, groupId, user));
    if (++tried >= MOST_ALIKE) return;
  }
}

/** Giving rights to users who have none that lead on, to act as them then. */
function* helpingOthers(
  state: EscalationState,
  { isUseful }: StepOptions,
  { may, mentions }: Rights,
): Generator<TriedStep> {
  const ways = ["auth:AttachPolicy", "auth:UpdatePolicy", "auth:AddGroupMember"];
  if (!ways.some(mentions)) return;
  const { world, user } = state;
  const useful = usefulPolicies(world, isUseful);
  let looked = 0;
  let tried = 0;
  for (const userId of world.users.keys()) {
    const held = namesHeldBy(world, userId);
    if (userId === user || held.some((name) => isUseful(world.policies.get(name) ?? []))) continue;
    if (++looked > MOST_USERS) return;
    if (!may("createCredentials", { userId }) && !may("createUserExternalPrincipal", { userId })) continue;
    let helps = false;
    for (const one of helping(state, userId, held, useful)) {
      if (!may(one.operation, one.values)) continue;
      helps = true;
      yield one;
    }
    if (helps && ++tried >= MOST_ALIKE) return;
  }
}

/** The ways to give a user rights that lead on. */
function* helping(
  state: EscalationState,
  userId: string,
  held: readonly string[],
  useful: readonly string[],
): Generator<TriedStep> {
  const { world } = state;
  const isUseful = new Set(useful);
  for (const policyId of useful) {
    yield step(state, "attachPolicyToUser", { userId, policyId }, () =>
      attachToUser(world, userId, policyId),
    );
  }
  for (const policyId of held) {
    yield step(state, "updatePolicy", { policyId }, () => putPolicy(world, policyId, EVERYTHING));
  }
  for (const groupId of userOf(world, userId).groups) {
    for (const policyId of useful) {
      const next = () => attachToGroup(world, groupId, policyId);
      yield step(state, "attachPolicyToGroup", { groupId, policyId }, next);
    }
  }
  for (const [groupId, policies] of world.groups) {
    if (!policies.some((name) => isUseful.has(name))) continue;
    const next = () => joinGroup(world, groupId, userId);
    yield step(state, "addGroupMembership", { groupId, userId }, next);
  }
}

/** The useful policies of worlds. */
const USEFUL = new WeakMap<AccessWorld["policies"], readonly string[]>();

function usefulPolicies({ policies }: AccessWorld, isUseful: StepOptions["isUseful"]): readonly string[] {
  let names = USEFUL.get(policies);
  if (names === undefined) {
    names = [...policies].filter(([, statements]) => isUseful(statements)).map(([name]) => name);
    USEFUL.set(policies, names);
  }
  return names;
}

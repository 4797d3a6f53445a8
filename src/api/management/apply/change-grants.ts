/** Compares each change of an application with what its caller holds, as if it were made alone (spec/security §3.5). */

import type { NamedStatements, Via } from "@svc-authorizer/policy/model/policy.ts";
import type { AppliedChange, AppliedPlan, PoliciesAfter } from "../../../datasets/apply/applied-plan.ts";
import type { BatchOperation, DirectoryState } from "../../../directory/batch.ts";
import type { JudgedState } from "../../../directory/directory.ts";
import { Turns } from "../../../schedule/turns.ts";
import type { Removal } from "../../rest/grants.ts";
import type { UserCall } from "../call.ts";
import { type Escalation, givenByReplacing, type Widens, widens } from "../permissions/escalation.ts";
import type { ExcessRight } from "../ports.ts";

/** Fields by which other systems find a user: who sets them could act as the user. */
const IDENTIFYING: ReadonlySet<string> = new Set(["email", "external_id", "source"]);
/** Time in milliseconds for the comparisons of one application; what is left then counts as giving more. */
const PATIENCE_MS = 20_000;
const UNKNOWN: ExcessRight = { what: "comparing all changes takes too long", certain: false };

/** Parts of the comparison. */
interface ComparedApplication {
  readonly call: UserCall;
  readonly escalation: Escalation;
  readonly plan: AppliedPlan;
  readonly state: DirectoryState;
  readonly judged: JudgedState;
}

/** A change that widens rights. */
export interface WideningChange extends Widens {
  readonly at: string | undefined;
}

/** A change that gives policies. */
interface Given {
  readonly what: string;
  readonly policies: readonly NamedStatements[];
  readonly actsAs?: string;
  /** Changes with the same key give the same, and are compared once. */
  readonly key: string;
}

/** Returns the changes that give somebody more than the caller holds, or take a deny from the caller. */
export async function wideningChanges(compared: ComparedApplication): Promise<readonly WideningChange[]> {
  const { call, escalation, plan, judged } = compared;
  if (escalation.mode === "off") return [];
  const end = performance.now() + PATIENCE_MS;
  const known = new Map<string, ExcessRight | undefined>();
  const found: WideningChange[] = [];
  const within = async (key: string, compare: () => Promise<ExcessRight | undefined>) => {
    if (!known.has(key)) known.set(key, performance.now() > end ? UNKNOWN : await compare());
    return known.get(key);
  };
  const keys = new Set<string>();
  const turns = new Turns();
  for (const change of plan.changes) {
    if (turns.spent) await turns.yield();
    for (const { key, what, ...given } of givenBy(change, compared)) {
      const grant = { ...given, policies: async () => given.policies };
      const excess = await within(key, () => escalation.excessOfGrant(call, grant, judged));
      if (excess !== undefined) found.push({ ...widens(call, "grants", what, excess), at: change.at });
    }
    const taken = takenBy(change, call.caller.name);
    if (taken?.key === undefined) continue;
    const { what, key } = taken;
    keys.add(key);
    const removal = removalOf(what, new Set([key]));
    const excess = await within(what, () => escalation.excessOfRemoval(call, removal, judged));
    if (excess !== undefined) found.push({ ...widens(call, "lifts", what, excess), at: change.at });
  }
  if (keys.size < 2 || found.length > 0) return found;
  // Each removal alone may count on a deny that another one takes away.
  const all = removalOf("removing all of these", keys);
  const excess = await within("all", () => escalation.excessOfRemoval(call, all, judged));
  return excess === undefined ? [] : [{ ...widens(call, "lifts", all.what, excess), at: undefined }];
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function givenBy(change: AppliedChange, { plan, state, call }: ComparedApplication): readonly Given[] {
  const { operation } = change;
  const { after } = plan;
  switch (operation?.op) {
    case "attach_to_user":
      return attached(operation.policy, `user ${quoted(operation.username)}`, after);
    case "attach_to_group":
      return attached(operation.policy, `group ${quoted(operation.group)}`, after);
    case "add_member": {
      const { group, username } = operation;
      const what = `adding ${quoted(username)} to group ${quoted(group)}`;
      return [{ what, policies: after.ofGroup(group), key: `group ${group}` }];
    }
    case "put_policy": {
      const before = state.policies.get(operation.policy.name)?.value;
      if (before === undefined) return [];
      const what = `updating policy ${quoted(before.name)}`;
      return [{ what, policies: givenByReplacing([before], operation.policy), key: what }];
    }
    case "put_user":
      return givenByFields(change, operation, plan, call.caller.name);
    default:
      return [];
  }
}

function attached(policy: string, holder: string, after: PoliciesAfter): readonly Given[] {
  const policies = [after.policy(policy)].filter((found) => found !== undefined);
  return [{ what: `attaching policy ${quoted(policy)} to ${holder}`, policies, key: `policy ${policy}` }];
}

/** Fields of a user: those that identify it let others act as the user, and conditions may ask for its properties. */
function givenByFields(
  { action, fields = [], after: set = {} }: AppliedChange,
  { user }: Extract<BatchOperation, { readonly op: "put_user" }>,
  { after }: AppliedPlan,
  actor: string,
): readonly Given[] {
  const { username } = user;
  const given: Given[] = [];
  const names = action === "add" ? Object.keys(set) : fields;
  if (action === "change" && username !== actor && names.some((name) => IDENTIFYING.has(name))) {
    const what = `changing who is ${quoted(username)}`;
    given.push({ what, policies: after.ofUser(username), actsAs: username, key: what });
  }
  if (action === "change" && names.includes("inactive") && user.inactive !== true) {
    const what = `activating ${quoted(username)}`;
    given.push({ what, policies: after.ofUser(username), key: what });
  }
  if (names.includes("properties")) {
    const what = `setting properties of ${quoted(username)}`;
    given.push({ what, policies: after.ofUser(username).map(atBest), actsAs: username, key: what });
  }
  return given;
}

/** Returns what a policy gives at best: with properties as its conditions want them. */
function atBest({ name, statement }: NamedStatements): NamedStatements {
  const isPlain = (condition: unknown): boolean => condition === undefined || condition === null;
  return {
    name,
    statement: statement
      .filter(({ effect, condition }) => effect === "allow" || isPlain(condition))
      .map(({ condition: _, ...rest }) => rest),
  };
}

/** A removal by one change: of a policy, a group, or a policy of a user or group. */
interface Taken {
  readonly what: string;
  /** Undefined where it is nothing of the actor. */
  readonly key: string | undefined;
}

function takenBy({ operation, action }: AppliedChange, actor: string): Taken | undefined {
  if (action !== "remove") return undefined;
  switch (operation?.op) {
    case "delete_policy": {
      const { name } = operation;
      return { what: `deleting policy ${quoted(name)}`, key: keyOf("policy", name) };
    }
    case "delete_group": {
      const { name } = operation;
      return { what: `deleting group ${quoted(name)}`, key: keyOf("group", name) };
    }
    case "remove_member": {
      const { group, username } = operation;
      const what = `removing ${quoted(username)} from group ${quoted(group)}`;
      return { what, key: username === actor ? keyOf("group", group) : undefined };
    }
    case "detach_from_user": {
      const { policy, username } = operation;
      const what = `detaching policy ${quoted(policy)} from user ${quoted(username)}`;
      return { what, key: keyOf("of user", policy, username) };
    }
    case "detach_from_group": {
      const { policy, group } = operation;
      const what = `detaching policy ${quoted(policy)} from group ${quoted(group)}`;
      return { what, key: keyOf("of group", policy, group) };
    }
    default:
      return undefined;
  }
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

/** The removal of everything that has one of the keys, of which there may be many. */
function removalOf(what: string, keys: ReadonlySet<string>): Removal {
  const takesWay = (policy: string, via: Via): boolean =>
    "group" in via
      ? keys.has(keyOf("group", via.group)) || keys.has(keyOf("of group", policy, via.group))
      : keys.has(keyOf("of user", policy, via.user));
  return { what, takes: (policy, via) => keys.has(keyOf("policy", policy)) || takesWay(policy, via) };
}

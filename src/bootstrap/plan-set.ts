/**
 * Plans the installation of the policies and groups of a set. Entities that are new in the set are created, entities
 * that are unchanged since the last set are updated, and entities that somebody changed or deleted stay as they are.
 */

import type { BatchOperation, MarkedState } from "../directory/batch.ts";
import type { BootstrapMark } from "./bootstrap-mark.ts";
import {
  groupDigest,
  policyDigest,
  type ShippedGroup,
  type ShippedPolicy,
  type ShippedSet,
} from "./shipped-set.ts";

/** The change of a policy or group. `kept`: it was not ours, or somebody changed or deleted it. */
export interface SetChange {
  readonly kind: "policy" | "group";
  readonly name: string;
  readonly what: "created" | "completed" | "updated" | "kept";
}

/** The operations and their result. */
interface SetPlan {
  readonly operations: BatchOperation[];
  readonly changes: SetChange[];
  readonly policies: Map<string, string | null>;
  readonly groups: Map<string, string | null>;
}

/** The verdict on one policy or group of the set. */
type Verdict = "create" | "same" | "update" | "keep" | "leave deleted";

/**
 * @param known digest that the former set installed; null if the name was not ours; undefined if it is new in this set
 * @param current digest of the stored entity, or undefined
 */
function verdictOn(known: string | null | undefined, current: string | undefined, wanted: string): Verdict {
  if (current === undefined) return known === undefined ? "create" : "leave deleted";
  if (current === wanted) return "same";
  return current === known ? "update" : "keep";
}

/**
 * Plans a set over a state.
 * @param mark of the former bootstrap, or undefined
 */
export async function planSet(
  set: ShippedSet,
  mark: BootstrapMark | undefined,
  state: MarkedState,
): Promise<SetPlan> {
  const plan: SetPlan = {
    operations: [],
    changes: [],
    // Names that the new set lacks stay known: if a later set has them again, a deletion in between counts.
    policies: new Map(mark?.policies),
    groups: new Map(mark?.groups),
  };
  const present = new Set<string>();
  for (const policy of set.policies) await planPolicy(plan, policy, mark, state, present);
  for (const group of set.groups) await planGroup(plan, group, mark, state, present);
  return plan;
}

async function planPolicy(
  plan: SetPlan,
  policy: ShippedPolicy,
  mark: BootstrapMark | undefined,
  state: MarkedState,
  present: Set<string>,
): Promise<void> {
  const { name } = policy;
  const wanted = policyDigest(policy);
  const known = mark?.policies.get(name);
  const current = await state.policy(name);
  const verdict = verdictOn(known, current && policyDigest(current), wanted);
  if (verdict !== "leave deleted") present.add(name);
  if (verdict === "create" || verdict === "update") plan.operations.push({ op: "put_policy", policy });
  plan.policies.set(name, installedDigest(verdict, known, wanted));
  report(plan, { kind: "policy", name }, verdict, known !== wanted);
}

async function planGroup(
  plan: SetPlan,
  group: ShippedGroup,
  mark: BootstrapMark | undefined,
  state: MarkedState,
  present: ReadonlySet<string>,
): Promise<void> {
  const { name } = group;
  const attachable = { ...group, policies: group.policies.filter((policy) => present.has(policy)) };
  const wanted = groupDigest(attachable);
  const known = mark?.groups.get(name);
  const found = await state.group(name);
  const attached = found === undefined ? [] : await state.groupPolicies(name);
  const current = found && groupDigest({ ...found, policies: attached });
  const verdict = verdictOn(known, current, wanted);
  // A remainder of an interrupted set-up: it has some of its attachments and no others.
  if (verdict === "keep" && known === undefined && isPart(attached, attachable.policies)) {
    const completed = { ...attachable, ...found };
    putGroup(plan, completed, attached);
    plan.groups.set(name, groupDigest(completed));
    if (attached.length < attachable.policies.length)
      plan.changes.push({ kind: "group", name, what: "completed" });
    return;
  }
  if (verdict === "create" || verdict === "update") putGroup(plan, attachable, attached);
  plan.groups.set(name, installedDigest(verdict, known, wanted));
  report(plan, { kind: "group", name }, verdict, known !== wanted);
}

function isPart(attached: readonly string[], wanted: readonly string[]): boolean {
  return attached.every((name) => wanted.includes(name));
}

function putGroup(plan: SetPlan, group: ShippedGroup, attached: readonly string[]): void {
  const { name, description, policies } = group;
  plan.operations.push({ op: "put_group", name, ...(description ? { description } : {}) });
  for (const policy of attached) {
    if (!policies.includes(policy)) plan.operations.push({ op: "detach_from_group", group: name, policy });
  }
  for (const policy of policies) {
    if (!attached.includes(policy)) plan.operations.push({ op: "attach_to_group", group: name, policy });
  }
}

function installedDigest(verdict: Verdict, known: string | null | undefined, wanted: string): string | null {
  return verdict === "keep" || verdict === "leave deleted" ? (known ?? null) : wanted;
}

function report(
  plan: SetPlan,
  thing: Pick<SetChange, "kind" | "name">,
  verdict: Verdict,
  isNews: boolean,
): void {
  if (verdict === "create") plan.changes.push({ ...thing, what: "created" });
  else if (verdict === "update") plan.changes.push({ ...thing, what: "updated" });
  else if (verdict !== "same" && isNews) plan.changes.push({ ...thing, what: "kept" });
}

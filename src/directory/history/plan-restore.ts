/** The changes that make the present directory what it was (spec/journal §4). */

import { isDeepStrictEqual } from "node:util";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import { TextHashes } from "../../compact/text-hashes.ts";
import { type BatchOperation, entityKey, type StateView } from "../batch.ts";
import { inStep } from "./in-step.ts";
import { RestorePlan, type RestoreScope } from "./restore-plan.ts";
import { planAttachments } from "./restored-attachments.ts";
import { UserPlanner } from "./restored-users.ts";

/** A plan, and who was and is an active administrator: true where there is anybody. */
export interface PlannedRestore {
  readonly plan: RestorePlan;
  readonly administrators: UserPlanner["administrators"];
}

/** Returns the plan that leads from one state to another: both are gone through side by side. */
export async function planRestore(
  past: StateView,
  present: StateView,
  options: RestoreScope["options"],
): Promise<PlannedRestore> {
  const plan = new RestorePlan();
  const pastNames = { group: new TextHashes(), policy: new TextHashes() };
  const scope: RestoreScope = { past, present, options, plan, pastNames };
  await planResources(scope);
  await planPolicies(scope);
  await planGroups(scope);
  const users = new UserPlanner(scope);
  for await (const pair of inStep(past.everyUser(), present.everyUser(), (a, b) =>
    compareUtf8(a.user.value.username, b.user.value.username),
  ))
    await users.add(pair.past, pair.present);
  await planApplied(scope);
  return { plan, administrators: users.administrators };
}

async function planPolicies({ past, present, plan, pastNames }: RestoreScope): Promise<void> {
  const pairs = inStep(past.everyPolicy(), present.everyPolicy(), (a, b) =>
    compareUtf8(a.value.name, b.value.name),
  );
  for await (const { past: then, present: now } of pairs) {
    const { name } = (then ?? now)!.value;
    // The service's own is as its work needs it now, and over with that.
    if (now !== undefined && (await present.isOfService(name))) continue;
    if (then === undefined || (await past.isOfService(name))) {
      if (now !== undefined)
        plan.part("removed policies").remove("policy", name, { op: "delete_policy", name });
      continue;
    }
    const { value, managed, partial } = then;
    pastNames.policy.add(value.name);
    if (isDeepStrictEqual(now?.value, value)) continue;
    const put: BatchOperation = { op: "put_policy", policy: { accept: [], ...value }, partial };
    plan.part("policies").put("policy", value.name, now, put, managed);
  }
}

async function planGroups(scope: RestoreScope): Promise<void> {
  const { past, present, plan, pastNames } = scope;
  const pairs = inStep(past.everyGroup(), present.everyGroup(), (a, b) =>
    compareUtf8(a.group.value.name, b.group.value.name),
  );
  for await (const { past: then, present: now } of pairs) {
    if (then === undefined) {
      const { name } = now!.group.value;
      plan.part("removed groups").remove("group", name, { op: "delete_group", name });
      continue;
    }
    const { value, managed } = then.group;
    pastNames.group.add(value.name);
    if (!isDeepStrictEqual(now?.group.value, value))
      plan.part("groups").put("group", value.name, now, { op: "put_group", ...value }, managed);
    planAttachments(scope, plan.part("attachments of groups"), ["group", value.name], then, now);
  }
}

async function planResources({ past, present, plan }: RestoreScope): Promise<void> {
  const then = await past.resourceTypes();
  const now = await present.resourceTypes();
  for (const type of now.keys())
    if (!then.has(type))
      plan.part("removed resource types").remove("resource type", type, { op: "delete_resource_type", type });
  for (const [type, { value, managed }] of then) {
    const before = now.get(type)?.value;
    if (isDeepStrictEqual(before, value)) continue;
    const put: BatchOperation = { op: "put_resource_type", resourceType: value };
    plan.part("resource types").put("resource type", type, before, put, managed);
  }
  const pairs = inStep(
    past.everyResource(),
    present.everyResource(),
    ({ value: a }, { value: b }) => compareUtf8(a.type, b.type) || compareUtf8(a.id, b.id),
  );
  for await (const { past: resource, present: before } of pairs) {
    const { type, id } = (resource ?? before)!.value;
    const name = `${type}/${id}`;
    if (resource === undefined)
      plan.part("removed resources").remove("resource", name, { op: "delete_resource", type, id });
    else if (!isDeepStrictEqual(before?.value, resource.value)) {
      const put: BatchOperation = { op: "put_resource", resource: resource.value };
      plan.part("resources").put("resource", name, before, put, resource.managed);
    }
  }
}

/** The last state that documents gave goes with the entities: the next application compares with it. */
async function planApplied({ past, present, plan }: RestoreScope): Promise<void> {
  const pairs = inStep(past.everyApplied(), present.everyApplied(), (a, b) =>
    compareUtf8(entityKey(a), entityKey(b)),
  );
  for await (const { past: then, present: now } of pairs) {
    if (then === undefined) {
      const { kind, name } = now!;
      plan.part("forgotten documents").prepare({ op: "delete_applied", kind, name });
      continue;
    }
    const { entity, ...applied } = then;
    if (entity === "same") plan.part("documents").prepare({ op: "put_applied", ...applied });
  }
}

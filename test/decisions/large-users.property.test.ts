/**
 * A user with so many groups and policies that lists are remembered and compiled in pieces: after random changes each answer is
 * that of a naive look at all policies. Names come again under other ids, and separators stand in names.
 */

import fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import type { BatchOperation } from "../../src/directory/batch.ts";
import { sized } from "../proofs/size.ts";
import { openWorld, type World } from "./world.ts";

const OWN = 2_100;
const GROUPS = 70;
/** Resources that are asked about; most policies are about others. */
const KEYS = 12;
const ROUNDS = sized(150, 1_500);

const ownName = (index: number): string => `own ${index % 2 === 0 ? "," : "\\"}${index}`;
const groupPolicy = (index: number): string => `of-group-${index}`;

/** A policy: what it says of one resource. */
interface Said {
  /** Grows with each policy that is created: under another one it is another policy. */
  readonly made: number;
  readonly effect: string;
  readonly key: number;
}

/** The naive directory. */
class Model {
  made = 100_000;
  readonly policies = new Map<string, Said>();
  /** Attachments of the user, by name of the policy, to what was made then. */
  readonly own = new Map<string, number>();
  readonly groups = new Map<string, { readonly policies: Map<string, number>; isMember: boolean }>();

  allows(key: number): boolean {
    const all = [
      this.own,
      ...[...this.groups.values()].filter(({ isMember }) => isMember).map((one) => one.policies),
    ];
    const effects = all.flatMap((attached) =>
      [...attached].flatMap(([name, made]) => {
        const said = this.policies.get(name);
        return said?.made === made && said.key === key ? [said.effect] : [];
      }),
    );
    return effects.includes("allow") && !effects.includes("deny");
  }
}

const statementOf = ({ effect, key }: Pick<Said, "effect" | "key">) => [
  { effect, action: ["fs:ReadObject"], resource: `arn:svc:fs:::repository/r/object/${key}` },
];

let world: World;
afterEach(() => world.close());

/** A directory with the user, and its model. */
async function filled(): Promise<Model> {
  world = await openWorld({ policiesPerUser: 10_000 });
  const model = new Model();
  const operations: BatchOperation[] = [{ op: "put_user", user: { username: "big" } }];
  const put = (name: string, index: number): void => {
    const said = { made: model.policies.size, effect: "allow", key: index };
    model.policies.set(name, said);
    operations.push({ op: "put_policy", policy: { name, statement: statementOf(said) } });
  };
  for (let index = 0; index < OWN; index++) {
    put(ownName(index), index);
    operations.push({ op: "attach_to_user", username: "big", policy: ownName(index) });
    model.own.set(ownName(index), model.policies.get(ownName(index))!.made);
  }
  for (let index = 0; index < GROUPS; index++) {
    put(groupPolicy(index), index);
    operations.push(
      { op: "put_group", name: `g${index}` },
      { op: "add_member", group: `g${index}`, username: "big" },
      { op: "attach_to_group", group: `g${index}`, policy: groupPolicy(index) },
    );
    const { made } = model.policies.get(groupPolicy(index))!;
    model.groups.set(`g${index}`, { policies: new Map([[groupPolicy(index), made]]), isMember: true });
  }
  await world.directory.batches.apply(operations, { managed: false });
  return model;
}

/** A change: of a policy of the user or of a group, at a place, to an effect for a key. */
interface Change {
  readonly kind: string;
  readonly isOwn: boolean;
  readonly at: number;
  readonly key: number;
  readonly effect: string;
}

/** Makes one change in both. */
async function change(model: Model, { kind, isOwn, at, key, effect }: Change): Promise<void> {
  const { policies, users, groups } = world.directory;
  const name = isOwn ? ownName(at % OWN) : groupPolicy(at % GROUPS);
  const said = model.policies.get(name);
  const groupName = [...model.groups.keys()][at % GROUPS]!;
  const group = model.groups.get(groupName)!;
  if (kind === "put" && said !== undefined) {
    await policies.update({ name, statement: statementOf({ effect, key }) });
    model.policies.set(name, { ...said, effect, key });
  } else if (kind === "recreate" && said !== undefined) {
    await policies.delete(name);
    await policies.create({ name, statement: statementOf({ effect, key }) });
    model.policies.set(name, { made: model.made++, effect, key });
  } else if (kind === "attach" && said !== undefined) {
    if ((isOwn ? model.own : group.policies).get(name) === said.made) return;
    if (isOwn) {
      await users.attachPolicy("big", name);
      model.own.set(name, said.made);
    } else {
      await groups.attachPolicy(groupName, name);
      group.policies.set(name, said.made);
    }
  } else if (kind === "detach") {
    const attached = isOwn ? model.own : group.policies;
    if (said === undefined || attached.get(name) !== said.made) return;
    await (isOwn ? users.detachPolicy("big", name) : groups.detachPolicy(groupName, name));
    attached.delete(name);
  } else if (kind === "member") {
    await (group.isMember ? groups.removeMember(groupName, "big") : groups.addMember(groupName, "big"));
    group.isMember = !group.isMember;
  } else if (kind === "regroup") {
    await groups.delete(groupName);
    await groups.create({ name: groupName });
    model.groups.set(groupName, { policies: new Map(), isMember: false });
  }
}

const step: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("put", "put", "put", "recreate", "attach", "detach", "member", "regroup"),
  isOwn: fc.boolean(),
  at: fc.nat(OWN - 1),
  key: fc.nat(KEYS - 1),
  effect: fc.constantFrom("allow", "deny"),
});

async function allows(key: number): Promise<boolean> {
  const required = { action: "fs:ReadObject", resource: `arn:svc:fs:::repository/r/object/${key}` };
  const { effect } = await world.decisions.check({
    user: "big",
    required,
    context: new Map(),
    explain: false,
    entrance: "check",
    requestId: "",
  });
  return effect === "allow";
}

it("a user with very many policies and groups is answered as a naive look at all of them does", async () => {
  const model = await filled();
  const seed = Number(process.env["ORACLE_SEED"] ?? Date.now() & 0x7fffffff);
  const steps = fc.sample(step, { seed, numRuns: ROUNDS });
  const seen = { allowed: 0, refused: 0 };
  for (const [round, one] of steps.entries()) {
    await change(model, one);
    const asked = Array.from({ length: KEYS }, (_, key) => key);
    const expected = asked.map((key) => model.allows(key));
    for (const isAllowed of expected) seen[isAllowed ? "allowed" : "refused"]++;
    const answers = await Promise.all(asked.map((key) => allows(key)));
    expect(answers, `seed ${seed}, round ${round}: ${JSON.stringify(one)}`).toEqual(expected);
    // A deny is taken back, so that the next change can be seen.
    if (one.effect === "deny") await change(model, { ...one, kind: "put", effect: "allow" });
  }
  expect(seen.allowed).toBeGreaterThan(ROUNDS);
  expect(seen.refused).toBeGreaterThan(ROUNDS / 20);
});

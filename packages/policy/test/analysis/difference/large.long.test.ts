import { accessDifference } from "@svc-authorizer/policy/analysis/difference/access-difference.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import type { NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { expect, it } from "vitest";
import { sized } from "../../../../../test/proofs/size.ts";

const BEGIN = "arn:svc:fs:::repository/";
const ACTIONS = [["fs:ReadObject"], ["fs:WriteObject", "fs:DeleteObject"], ["fs:List*"], ["fs:*"], ["ci:*"]];
const vocabulary = await openCatalog({ partition: "svc" });

const POLICIES = sized(20, 100);
/** Milliseconds of CPU that are given to what would take more. */
const PATIENCE_MS = sized(1_000, 4_000);

/** 2,000 or 10,000 statements in policies of 100: many repositories, `${user}`, denies and conditions. */
function statements(): readonly NamedStatements[] {
  return Array.from({ length: POLICIES }, (_, team) => ({
    name: `Team${team}`,
    statement: Array.from({ length: 100 }, (__, index): Statement => {
      const area = index % 3 === 0 ? "${user}" : "area";
      return {
        effect: index % 20 === 19 ? "deny" : "allow",
        action: ACTIONS[index % ACTIONS.length] as string[],
        resource: `${BEGIN}r${team}-${index % 10}/object/${area}/p${index}/*`,
        ...(index % 7 === 0 && { condition: { IpAddress: { SourceIp: [`10.${index}.0.0/16`] } } }),
      };
    }),
  }));
}

type Edit = (statement: Statement) => Statement;

const EDITS = {
  resource: (one) => ({ ...one, resource: one.resource.replace(/object\/.*/s, "*") }),
  everything: (one) => ({ ...one, resource: "*" }),
  condition: ({ condition: _, ...one }) => one,
  effect: (one) => ({ ...one, effect: one.effect === "allow" ? "deny" : "allow" }),
  action: (one) => ({ ...one, action: ["fs:*"] }),
} satisfies Record<string, Edit>;

/** The same with one statement of each policy edited. */
function edited(policies: readonly NamedStatements[], edit: Edit): readonly NamedStatements[] {
  return policies.map(({ name, statement }, team) => ({
    name,
    statement: statement.map((one, index) => (index === (team * 37) % 100 ? edit(one) : one)),
  }));
}

function measured(before: readonly NamedStatements[], after: readonly NamedStatements[], patience: number) {
  const begin = process.threadCpuUsage();
  const found = accessDifference(before, after, { partition: "svc", vocabulary, patience });
  const { user, system } = process.threadCpuUsage(begin);
  return { ...found, ms: (user + system) / 1_000 };
}

it.each(Object.keys(EDITS) as (keyof typeof EDITS)[])(
  `${POLICIES * 100} statements of which ${POLICIES} differ in their %s are compared in the CPU time that they have, or the difference says that it is cut`,
  { timeout: 120_000 },
  (kind) => {
    const before = statements();
    // Only what reaches over all statements is more than the time allows.
    const isCut = kind === "everything";
    const patience = isCut ? PATIENCE_MS : 4_000;
    const { gains, losses, leftOut, ms } = measured(before, edited(before, EDITS[kind]), patience);
    console.log(
      `${kind}: ${gains.length} gains, ${losses.length} losses, ${ms.toFixed(0)} ms of CPU${leftOut.map((one) => `; ${one}`).join("")}`,
    );
    if (!isCut) expect(leftOut).toEqual([]);
    expect(gains.length + losses.length).toBeGreaterThan(0);
    // The last search may take a second more.
    expect(ms).toBeLessThan(patience + 2_000);
  },
);

type Shape = (index: number) => Partial<Statement>;

/** 10,000 statements against 10,000 of which none is in both. */
const ALL_DIFFER: Readonly<Record<string, readonly [Shape, Shape]>> = {
  "actions and resources": [
    (index) => ({ action: ["fs:ReadObject"], resource: `${BEGIN}r${index}/object/a*` }),
    (index) => ({ action: ["fs:WriteObject"], resource: `${BEGIN}r${index}/object/b${index % 7}*` }),
  ],
  actions: [(index) => ({ action: [`fs:A${index}`] }), (index) => ({ action: [`fs:B${index}`] })],
  effects: [
    (index) => ({ action: ["fs:*"], resource: `${BEGIN}r${index}*/x` }),
    (index) => ({ effect: "deny", action: ["fs:*"], resource: `${BEGIN}*${index}` }),
  ],
  names: [
    (index) => ({ action: ["fs:*"], resource: `${BEGIN}${"${user}"}/${index}` }),
    (index) => ({ action: ["fs:*"], resource: `${BEGIN}u${index}/*` }),
  ],
  conditions: [
    (index) => ({ condition: { IpAddress: { SourceIp: [`10.${index % 250}.${index >> 8}.0/24`] } } }),
    (index) => ({ condition: { IpAddress: { SourceIp: [`11.${index % 250}.${index >> 8}.0/24`] } } }),
  ],
};

// Each takes all of its time.
it.each(Object.keys(ALL_DIFFER).slice(0, sized(1, 5)))(
  "10,000 statements against 10,000 that all differ in their %s are cut after the CPU time that they have, and the difference says so",
  { timeout: 120_000 },
  (kind) => {
    const [old, now] = ALL_DIFFER[kind] as readonly [Shape, Shape];
    const side = (shape: Shape): readonly NamedStatements[] => {
      const statement = Array.from(
        { length: 10_000 },
        (_, index): Statement => ({
          effect: "allow",
          action: ["fs:*"],
          resource: "*",
          ...shape(index),
        }),
      );
      return [{ name: "Big", statement }];
    };
    const { gains, losses, leftOut, ms } = measured(side(old), side(now), PATIENCE_MS);
    const { length } = [...gains, ...losses];
    console.log(`all ${kind}: ${length} lines, ${ms.toFixed(0)} ms of CPU; ${leftOut.join("; ")}`);
    expect(leftOut).not.toEqual([]);
    expect(ms).toBeLessThan(PATIENCE_MS + 2_000);
  },
);

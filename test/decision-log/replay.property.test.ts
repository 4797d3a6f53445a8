import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import type { NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import type { LoggedDecision } from "@svc-authorizer/policy/records/record.ts";
import { Replay } from "@svc-authorizer/policy/records/replay/replay.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { policiesOf, required } from "../../packages/policy/test/engine/arbitraries.ts";
import { oracle } from "../../packages/policy/test/engine/oracle.ts";
import { RecordEncoder } from "../../src/decision-log/encode/encode.ts";

const USERS = ["alice", "bob", "carol"];
/** Random decisions that are compared with brute force. */
const DECISIONS = 10_000;
const PER_CASE = 50;

const named = policiesOf(12).map((policies) =>
  policies
    .map((policy, index) => ({ ...policy, name: `p${index}` }))
    .map((policy) => ({ ...policy, statement: policy.statement.map(({ condition: _, ...rest }) => rest) }))
    .sort((a, b) => compareUtf8(a.name, b.name)),
);
const held = fc.array(fc.array(fc.nat(11), { maxLength: 6 }), { minLength: 3, maxLength: 3 });
const requests = fc.array(fc.record({ user: fc.constantFrom(...USERS), required }), {
  minLength: PER_CASE,
  maxLength: PER_CASE,
});

type World = { readonly policies: readonly NamedStatements[]; readonly held: readonly (readonly number[])[] };

function heldBy({ policies, held: lists }: World, user: string): readonly NamedStatements[] {
  const own = lists[USERS.indexOf(user)] ?? [];
  return policies.filter((_, index) => own.includes(index));
}

describe("a replay", () => {
  it(`says what brute force says about ${DECISIONS.toLocaleString("en")} random decisions`, () => {
    const totals = { wider: 0, narrower: 0 };
    fc.assert(
      fc.property(named, named, held, held, requests, (before, after, heldBefore, heldAfter, asked) => {
        const old: World = { policies: before, held: heldBefore };
        const now: World = { policies: after, held: heldAfter };
        const encoder = new RecordEncoder({ node: "n", policySet: "", revision: () => 1 });
        const replay = new Replay({
          partition: "svc",
          before: (user) => heldBy(old, user),
          after: (user) => heldBy(now, user),
          examples: 2,
        });
        const expected = new Map<string, number>();
        let decisions = 0;
        for (const [index, one] of asked.entries()) {
          const context = new Map<string, string>();
          const compiled = compile(heldBy(old, one.user), { partition: "svc", evaluator: "extended" });
          const outcome = decide(compiled, { ...one, context });
          const record = encoder.decision({
            id: `d-${index}`,
            entrance: "check",
            requestId: "r",
            call: undefined,
            user: one.user,
            loaded: undefined,
            required: one.required,
            context,
            outcome,
            decidedBy: [],
          });
          const logged = JSON.parse(`${record}}`) as LoggedDecision;
          replay.add(logged);
          decisions++;
          // Texts with broken characters are repaired when they are recorded.
          const tree = JSON.parse(JSON.stringify(one.required)) as typeof one.required;
          const [byOld, byNew]: [Statement[], Statement[]] = [[], []];
          const was = oracle(heldBy(old, one.user), { user: one.user, required: tree, context }, byOld);
          const is = oracle(heldBy(now, one.user), { user: one.user, required: tree, context }, byNew);
          if ((was.effect === "allow") === (is.effect === "allow")) continue;
          const wider = is.effect === "allow";
          totals[wider ? "wider" : "narrower"]++;
          const deciding = is.effect === "neutral" ? [] : byNew;
          const world = deciding.length > 0 ? now : old;
          const statement = deciding.at(-1) ?? byOld.at(-1);
          const place = placeOf(world.policies, statement);
          const key = [wider ? "wider" : "narrower", deciding.length > 0 ? "added" : "removed", place].join(
            " ",
          );
          expected.set(key, (expected.get(key) ?? 0) + 1);
        }
        const report = replay.report();
        const found = report.groups.map(
          ({ change, side, policy, statement, count }) =>
            [`${change} ${side} ${policy === "" ? "none" : `${policy}/${statement}`}`, count] as const,
        );
        expect(new Map(found)).toEqual(expected);
        expect(report.decisions).toBe(decisions);
        for (const { examples, count } of report.groups) expect(examples).toHaveLength(Math.min(2, count));
      }),
      { numRuns: DECISIONS / PER_CASE },
    );
    expect(totals.wider).toBeGreaterThan(20);
    expect(totals.narrower).toBeGreaterThan(20);
  });
});

function placeOf(policies: readonly NamedStatements[], wanted: Statement | undefined): string {
  for (const { name, statement } of policies) {
    const index = wanted === undefined ? -1 : statement.indexOf(wanted);
    if (index >= 0) return `${name}/${index}`;
  }
  return "none";
}

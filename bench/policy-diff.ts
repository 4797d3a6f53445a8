/** Milliseconds that a comparison of two sets of policies takes (`authorizer.escalation`). */
import { widening } from "@svc-authorizer/policy/analysis/compare/widening.ts";
import type { NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { benchPolicies } from "./engine.ts";

const ROUNDS = 5;

/** One comparison: its name, how long it took, how many widenings it found (it stops at 100). */
interface DiffTime {
  readonly name: string;
  readonly ms: number;
  readonly widenings: number;
}

/** Policies whose resources overlap in many ways: wildcards in front, in between and behind, users, conditions. */
function tangledPolicies(statements: number, salt: number): NamedStatements[] {
  const forms = [
    (n: number) => `arn:svc:fs:::repository/team-${n % 7}-*/branch/*`,
    (n: number) => `arn:svc:fs:::repository/*-${n}/*`,
    (n: number) => `arn:svc:fs:::repository/*/branch/release-${n}?`,
    (n: number) => `arn:svc:fs:::repository/team-${n % 11}-\${user}/*`,
    (n: number) => `arn:svc:fs:::repository/team-${n % 5}-data/object/year=20??/part-${n}*`,
  ];
  const actions = ["fs:Read*", "fs:List*", "fs:*Object", "fs:CreateCommit", "fs:*"];
  const statement = Array.from({ length: statements }, (_, index): Statement => {
    const n = index * 13 + salt;
    const form = forms[n % forms.length] as (n: number) => string;
    return {
      effect: n % 4 === 0 ? "deny" : "allow",
      action: [actions[n % 3] as string, actions[(n + 1) % actions.length] as string],
      resource: form(n),
      ...(n % 9 === 0 ? { condition: { IpAddress: { SourceIp: [`10.${n % 200}.0.0/16`] } } } : {}),
    };
  });
  return [{ name: "tangled", statement }];
}

/** The same set without its last allow and its last deny. */
function edited(policies: readonly NamedStatements[]): NamedStatements[] {
  return policies.map(({ name, statement }) => ({ name, statement: statement.slice(0, -1) }));
}

/** Compares sets of this size: alike, edited, unrelated; the best of some rounds each. */
export function measureDiffs(statements: number): DiffTime[] {
  const plain = benchPolicies(statements);
  const tangled = tangledPolicies(statements, 0);
  const pairs: [string, NamedStatements[], NamedStatements[]][] = [
    ["an edited set", plain, edited(plain)],
    ["sets that overlap in many ways", tangled, tangledPolicies(statements, 5)],
    ["the same, edited", tangled, edited(tangled)],
    ["unrelated sets", plain, tangled],
  ];
  return pairs.map(([name, before, after]) => {
    let best = Number.POSITIVE_INFINITY;
    let widenings = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const start = process.hrtime.bigint();
      widenings = widening(before, after, { partition: "svc" }).length;
      best = Math.min(best, Number(process.hrtime.bigint() - start) / 1e6);
    }
    return { name, ms: best, widenings };
  });
}

if (process.argv[1] === import.meta.filename) {
  for (const { name, ms, widenings } of measureDiffs(200)) {
    console.log(`${name}: ${ms.toFixed(0)} ms, ${widenings} widenings`);
  }
}

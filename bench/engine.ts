/** In-process decisions per second: parsing outside the timed loop, each request's strings used once. */
import { CompiledPolicies, compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { compilePolicyInSteps } from "@svc-authorizer/policy/engine/compile/compiled-policy.ts";
import { policySetInSteps } from "@svc-authorizer/policy/engine/compile/policy-set.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import { Lookup } from "@svc-authorizer/policy/engine/decide/lookup.ts";
import { StatementPool } from "@svc-authorizer/policy/engine/statement.ts";
import { finish } from "@svc-authorizer/policy/engine/work.ts";
import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";

const REQUESTS = 200_000;
const ROUNDS = 5;
const context = new Map([["SourceIp", "10.1.2.3"]]);

/** Policies of one user: repositories of its own with read access, as a platform team would write them. */
export function benchPolicies(statements: number): NamedStatements[] {
  const verbs = ["fs:Read*", "fs:List*", "fs:WriteObject", "fs:DeleteObject", "fs:CreateCommit"];
  return Array.from({ length: Math.ceil(statements / 10) }, (_, policy) => ({
    name: `policy-${policy}`,
    statement: Array.from({ length: Math.min(10, statements - policy * 10) }, (_, index) => ({
      effect: index % 10 === 9 ? "deny" : "allow",
      action: verbs.slice(0, 1 + (index % verbs.length)),
      resource: `arn:svc:fs:::repository/repo-${policy}-${index}/${index % 2 === 0 ? "*" : `branch/main-${index}`}`,
    })),
  }));
}

/** A resource that one of the statements allows to read, a new one for each index. */
export function benchResource(statements: number, index: number): string {
  const policy = index % Math.ceil(statements / 10);
  return `arn:svc:fs:::repository/repo-${policy}-${(index % 4) * 2}/object/data/part-${index}.parquet`;
}

/** A request parsed from text of its own, so that it shares no string with another one. */
function requestOf(statements: number, index: number) {
  const required = { action: "fs:ReadObject", resource: benchResource(statements, index) };
  return JSON.parse(JSON.stringify({ user: "alice", required }));
}

const OPTIONS = { partition: "svc", evaluator: "extended" } as const;

/** Decisions per second with this many statements in one set: the best of some rounds. */
export function engineRate(statements: number): number {
  return rateOf(compile(benchPolicies(statements), OPTIONS), statements);
}

/** The same for a user of this many groups, which share the statements between them. */
export function composedRate(statements: number, groups: number): number {
  const pool = new StatementPool(OPTIONS.evaluator);
  const policies = benchPolicies(statements).map((policy) => finish(compilePolicyInSteps(policy, pool)));
  const sets = Array.from({ length: groups }, (_, group) => {
    const own = policies.filter((__, index) => index % groups === group);
    own.sort((a, b) => compareUtf8(a.source.name, b.source.name));
    return finish(policySetInSteps(own, OPTIONS.partition));
  });
  return rateOf(new CompiledPolicies(OPTIONS, sets), statements);
}

function rateOf(policies: CompiledPolicies, statements: number): number {
  const lookup = new Lookup();
  let best = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const requests = Array.from({ length: REQUESTS }, (_, index) => requestOf(statements, index));
    let allowed = 0;
    const start = process.hrtime.bigint();
    for (const { user, required } of requests) {
      if (decide(policies, { user, required, context }, lookup).effect === "allow") allowed++;
    }
    const seconds = Number(process.hrtime.bigint() - start) / 1e9;
    if (allowed !== REQUESTS) throw new Error(`${allowed} of ${REQUESTS} allowed`);
    best = Math.max(best, REQUESTS / seconds);
  }
  return best;
}

if (process.argv[1] === import.meta.filename) {
  for (const statements of [10, 1000, 10_000]) {
    console.log(
      `${statements} statements: ${Math.round(engineRate(statements)).toLocaleString("en")} decisions/s`,
    );
  }
  console.log(
    `10000 in five groups: ${Math.round(composedRate(10_000, 5)).toLocaleString("en")} decisions/s`,
  );
}

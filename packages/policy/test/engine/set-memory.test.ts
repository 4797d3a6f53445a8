import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { compilePolicyInSteps } from "../../src/engine/compile/compiled-policy.ts";
import { policySetInSteps } from "../../src/engine/compile/policy-set.ts";
import { StatementPool } from "../../src/engine/statement.ts";
import { finish } from "../../src/engine/work.ts";

const SETS = 20_000;
/** Bytes of a set of one policy with one statement, with its beginnings for one action; with Node 24 about 980. */
const MOST_BYTES = 1_100;

function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}

it("holds little for the policy of a group: a service may know many groups", async () => {
  const pool = new StatementPool("extended");
  const action = ["fs:ReadObject"];
  const sources = Array.from({ length: SETS }, (_, index) => ({
    name: `policy-${index}`,
    statement: [{ effect: "allow", action, resource: `arn:svc:fs:::repository/r${index}/object/*` }],
  }));
  const before = heapBytes();
  const sets = sources.map((source) => {
    const policy = finish(compilePolicyInSteps(source, pool));
    const set = finish(policySetInSteps([policy], "svc"));
    finish(set.beginnings.inSteps(new Set(set.lists)));
    return set;
  });
  await expect.poll(() => (heapBytes() - before) / SETS).toBeLessThan(MOST_BYTES);
  expect(sets).toHaveLength(SETS);
});

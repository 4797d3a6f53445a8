/**
 * Runs many schedules: `node main.ts COUNT SEED smallest|first RUN`. Prints the smallest fault that it finds, or the first
 * one; exits 1 then. It begins with the run of that number among those of the seed.
 */

import fc from "fast-check";
import { anyRun } from "./arbitrary.ts";
import { faultOf } from "./run.ts";
import { replaceClock } from "./work-clock.ts";

const [count = "2000", seed = String(Date.now() % 1e9), until = "smallest", from = "0"] =
  process.argv.slice(2);
replaceClock();
let fault = "";
const outcome = await fc.check(
  fc.asyncProperty(anyRun, async (run) => {
    fault = await faultOf(run);
    return fault === "";
  }),
  { numRuns: Number(count), seed: Number(seed), endOnFailure: until === "first", path: from },
);
if (outcome.failed) {
  const [run] = outcome.counterexample ?? [];
  const again = run === undefined ? fault : await faultOf(run);
  const [at] = (outcome.counterexamplePath ?? "").split(":");
  const last = again === "" ? `${fault} ${String(outcome.errorInstance)}` : again;
  console.log(JSON.stringify({ fault: last, runs: outcome.numRuns, seed, at, nodes: run?.nodes.length }));
  process.exitCode = 1;
} else {
  console.log(JSON.stringify({ fault: "", runs: outcome.numRuns, seed }));
}

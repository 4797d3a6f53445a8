/** Runs many schedules: `node main.ts COUNT SEED`. Prints the first fault that it finds with its seed; exits 1 then. */

import { replaceClock } from "../model/work-clock.ts";
import { faultOf } from "./run.ts";

/** Schedules at a time: they mostly wait for timers. */
const AT_ONCE = 12;

const [count = "500", first = String(Date.now() % 1e9)] = process.argv.slice(2);
replaceClock();
let found: { readonly fault: string; readonly runs: number; readonly seed: string } | undefined;
let next = 0;
const some = async (): Promise<void> => {
  while (found === undefined && next < Number(count)) {
    const run = next++;
    const fault = await faultOf(Number(first) + run);
    if (fault !== "") found ??= { fault, runs: run + 1, seed: String(Number(first) + run) };
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, some));
console.log(JSON.stringify(found ?? { fault: "", runs: Number(count), seed: first }));
process.exit(found === undefined ? 0 : 1);
